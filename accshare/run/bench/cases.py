"""What ``accshare bench --peers`` compares with what: programs, their sizes, and how fast they should be."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from accshare.records import dataclass

#: the same loops by the host compiler
GCC, OPENMP = "gcc", "openmp"
#: what polyhedral compilers make of the loops: LLVM's, and one that writes C with OpenMP
POLLY, PLUTO = "polly", "pluto"
#: a library that its vendor or a community tuned, and what no transpose can beat
BLAS, COPY = "blas", "copy"
#: on the same device: one work-item an element, and OpenCL written by hand for a CPU
NAIVE, BY_HAND = "naive", "by_hand"
#: element types
FLOAT, DOUBLE, BYTE = "float", "double", "byte"
BYTES = {FLOAT: 4, DOUBLE: 8, BYTE: 1}

_BEST_HOST = (GCC, OPENMP)
_COMPILERS = (GCC, POLLY, PLUTO)


@dataclass(frozen=True, slots=True)
class Work:
    """Of one pass over the data: arithmetic operations, and elements that are read and that are written, each counted
    once. A run makes so many `passes`."""

    operations: int
    elements: int
    passes: int = 1


@dataclass(frozen=True, slots=True)
class Case:
    """A program should be at least `goal` times as fast as the fastest of `peers`; `shown` are such that matter to no
    goal.

    `sizes` are arguments of the program, small, medium and large; `work` takes the same numbers. `reals` are the
    element types it is measured with. `sample` tells a program of ``samples``, which has a type of its own; `forced`
    that the device is used even where the host is expected to be faster. A program that has several `loops`, files in a
    folder with its name, is built for those of that name, and only run where it is asked for.
    """

    program: str
    peers: tuple[str, ...]
    goal: float
    sizes: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
    work: Callable[..., Work]
    reals: tuple[str, ...] = (FLOAT, DOUBLE)
    sample: bool = False
    forced: bool = True
    loops: str = ""
    shown: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Of the program, for people."""
        if self.loops:
            return f"{self.program}/{self.loops}"
        return f"samples/{self.program}" if self.sample else self.program


@dataclass(frozen=True, slots=True)
class Wish:
    """A case at one size, with one element type."""

    case: Case
    arguments: str
    real: str

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.case.name} {self.arguments} ({self.real})"

    @property
    def work(self) -> Work:
        """What the program does."""
        return self.case.work(*map(int, self.arguments.split()))


def _product(m: int, n: int, k: int) -> Work:
    return Work(2 * m * n * k, m * k + k * n + 2 * m * n)


def _products(m: int, n: int, k: int, last: int) -> Work:
    elements = m * k + k * n + n * last + 2 * m * last + 2 * m * n
    return Work(2 * m * n * k + 2 * m * n * last, elements)


def _transpose(rows: int, columns: int) -> Work:
    return Work(0, 2 * rows * columns)


def _vector_product(rows: int, columns: int) -> Work:
    return Work(2 * rows * columns, rows * columns + rows + columns)


def _two_vector_products(rows: int, columns: int) -> Work:
    return Work(4 * rows * columns, 2 * rows * columns + 2 * rows + 2 * columns)


def _square_vector_products(n: int) -> Work:
    return Work(4 * n * n, 2 * n * n + 6 * n)


def _dot(n: int) -> Work:
    return Work(2 * n, 2 * n)


def _hotspot(rows: int, columns: int, steps: int) -> Work:
    return Work(15 * rows * columns, 3 * rows * columns, steps)


def _jacobi(rows: int, columns: int, steps: int) -> Work:
    return Work(5 * rows * columns, 2 * rows * columns, steps)


def _relaxed(rows: int, columns: int, steps: int) -> Work:
    return Work(7 * rows * columns, 2 * rows * columns, steps)


def _line(points: int, sweeps: int, n: int, steps: int) -> Work:
    return Work((2 * points - 1) * sweeps * n, 2 * n, steps)


def _box(depth: int, rows: int, columns: int, steps: int) -> Work:
    return Work(16 * depth * rows * columns, 2 * depth * rows * columns, steps)


def _heat(rows: int, columns: int, steps: int) -> Work:
    return Work(20 * rows * columns, 2 * rows * columns, steps)


def _fields(rows: int, columns: int, steps: int) -> Work:
    return Work(11 * rows * columns, 6 * rows * columns, steps)


def _gauss(height: int, width: int) -> Work:
    return Work(51 * height * width, 2 * height * width)


def _bytes_filtered(height: int, width: int) -> Work:
    return Work(0, 2 * height * width)


def _stencil(depth: int, height: int, width: int, steps: int) -> Work:
    return Work(30 * depth * height * width, 2 * depth * height * width, steps)


def _doitgen(r: int, q: int, p: int) -> Work:
    return Work(2 * r * q * p * p, p * p + 4 * r * q * p)


def _syrk(n: int, k: int) -> Work:
    return Work(n * (n + 1) * k, n * k + n * (n + 1))


def _symmetric(n: int) -> Work:
    return Work(5 * n * n * n, 7 * n * n)


def _covariances(pairs: int, columns: int) -> Work:
    return Work(2 * pairs * columns * (columns + 3), 4 * pairs * columns + columns * columns)


def _matrix_and_vectors(n: int) -> Work:
    return Work(11 * n * n, 2 * n * n + 8 * n)


def _filtered(height: int, width: int) -> Work:
    return Work(17 * height * width, 2 * height * width)


def _convolution(pictures: int, outputs: int, height: int, width: int, inputs: int) -> Work:
    points = pictures * height * width
    elements = pictures * inputs * (height + 2) * (width + 2) + outputs * inputs * 9 + points * outputs
    return Work(2 * points * outputs * inputs * 9, elements)


def _counted(n: int) -> Work:
    return Work(0, n)


def _differences(n: int) -> Work:
    return Work(4 * n, 2 * n)


def _particles(n: int, steps: int) -> Work:
    return Work(16 * n, 12 * n, steps)


def _sums(n: int) -> Work:
    return Work(4 * n * n, n * n + 4 * n)


def _fourier(n: int) -> Work:
    return Work(256 * 9 * n, 5 * n + 1024)


#: SUPER's seventeen with their sizes: products, sums of rows and columns, sweeps, a Fourier sum, and what has cubes
_TWO_LEVELS: tuple[tuple[tuple[str, str, str], dict[str, Callable[..., Work]]], ...] = (
    (
        ("33", "1000", "2001"),
        {
            "two_products": lambda n: Work(4 * n**3, 7 * n * n),
            "three_products": lambda n: Work(6 * n**3, 10 * n * n),
            "covariance": lambda n: Work(n**3 + 3 * n * n, 4 * n * n),
            "product": lambda n: _product(n, n, n),
            "symm": lambda n: Work(2 * n**3, 4 * n * n),
            "syr2k": lambda n: Work(6 * n**3, 4 * n * n),
        },
    ),
    (
        ("67", "3001", "9001"),
        {
            "atax": _sums,
            "bicg": _sums,
            "gemver": _matrix_and_vectors,
            "gesummv": lambda n: Work(4 * n * n, 2 * n * n + 2 * n),
            "mvt": lambda n: Work(4 * n * n, n * n + 6 * n),
        },
    ),
    (
        ("67", "1301", "7001"),
        {
            "jacobi_2d": lambda n: Work(5 * n * n, 4 * n * n, 20),
            "jacobi_2d_alt": lambda n: Work(3 * n * n, 4 * n * n, 20),
        },
    ),
    (("67", "100001", "10000001"), {"mri_q": _fourier}),
    (
        ("33", "150", "256"),
        {
            "doitgen": lambda n: _doitgen(n, n, n),
            "penta_coefficients": lambda n: Work(6 * n**3, 7 * n**3),
            "penta_substitution": lambda n: Work(12 * n**3, 8 * n**3),
        },
    ),
)

#: sizes that tiles divide and sizes that they do not; none is special to the compiler
CASES = (
    Case(
        "gemm",
        (BLAS,),
        0.9,
        (
            ("33 35 37",),
            ("512 512 512", "1024 1024 1024", "2048 2048 2048", "1000 1100 1200"),
            ("4096 4096 4096", "3000 3100 3200"),
        ),
        _product,
    ),
    Case(
        "mt",
        (COPY,),
        0.5,
        (("65 67",), ("2048 2048", "4096 4096", "2047 3001", "4097 4097"), ("8192 8192", "8191 9001")),
        _transpose,
    ),
    Case(
        "mv",
        _BEST_HOST,
        1.0,
        (("65 67",), ("2048 2048", "4096 4096", "3001 2999"), ("16384 8192", "15001 9001")),
        _vector_product,
    ),
    Case("mvt", _BEST_HOST, 1.0, (("67",), ("2048", "4096", "3001"), ("8192", "9001")), _square_vector_products),
    Case(
        "atax",
        _BEST_HOST,
        1.0,
        (("65 67",), ("2048 2048", "4096 4096", "3001 2999"), ("8192 8192", "9001 7001")),
        _two_vector_products,
    ),
    Case("dot", _BEST_HOST, 1.0, (("1001",), ("1048576", "10000001"), ("100000001",)), _dot),
    Case(
        "hotspot",
        _BEST_HOST,
        1.0,
        (("33 35 4",), ("512 512 60", "2048 2048 20", "1001 2003 20"), ("8192 8192 10", "7001 9001 10")),
        _hotspot,
    ),
    Case(
        "jacobi2d",
        _BEST_HOST,
        1.0,
        (("33 35 4",), ("512 512 60", "2048 2048 20", "1001 2003 20"), ("8192 8192 10", "7001 9001 10")),
        _jacobi,
        shown=(PLUTO,),
    ),
    Case(
        "sor",
        (GCC,),
        2.0,
        (("33 35 4",), ("512 512 60", "2048 2048 20", "1001 2003 20"), ("8192 8192 10",)),
        _relaxed,
        shown=(PLUTO,),
    ),
    Case(
        "sor1d",
        (GCC,),
        2.0,
        (("67 5",), ("65536 200",), ("65536 4000",)),
        partial(_line, 3, 1),
        (FLOAT,),
        forced=False,
        shown=(PLUTO,),
    ),
    *(
        Case(program, _BEST_HOST, 1.0, ((sizes[0],), (sizes[1],), (sizes[2],)), work, (FLOAT,), shown=(PLUTO,))
        for program, work, sizes in (
            ("jacobi1d", partial(_line, 3, 2), ("67 5", "65536 200", "65536 4000")),
            ("jacobi3d", _box, ("9 11 13 2", "101 75 203 10", "400 400 400 4")),
            ("heat2d", _heat, ("33 35 4", "1001 2003 10", "4096 4096 20")),
            ("fdtd2d", _fields, ("33 35 4", "1001 2003 10", "4096 4096 20")),
        )
    ),
    Case("gauss", _BEST_HOST, 1.2, (("33 35",), ("1024 1024", "1001 2003"), ("8192 8192", "7001 9001")), _gauss),
    Case(
        "gauss",
        _BEST_HOST,
        1.2,
        (("33 35",), ("1024 1024", "1001 2003"), ("8192 8192", "7001 9001")),
        _bytes_filtered,
        (BYTE,),
        sample=True,
    ),
    Case(
        "histogram",
        _BEST_HOST,
        1.0,
        (("1001",), ("10000000", "4194304"), ("134217728",)),
        _counted,
        (BYTE,),
        sample=True,
    ),
    Case(
        "stencil27",
        _BEST_HOST,
        1.2,
        (("9 11 13 2",), ("64 64 64 20", "128 128 128 10", "101 75 203 10"), ("400 400 400 4", "301 351 401 4")),
        _stencil,
        shown=(PLUTO,),
    ),
    Case(
        "2mm",
        _BEST_HOST,
        2.0,
        (("33 35 37 31",), ("512 512 512 512", "800 900 1100 1200"), ("2048 2048 2048 2048", "1801 1901 2101 2201")),
        _products,
    ),
    Case("doitgen", _BEST_HOST, 2.0, (("9 11 33",), ("128 128 128", "75 101 203"), ("256 256 256",)), _doitgen),
    Case("syrk", _BEST_HOST, 2.0, (("33 35",), ("512 512", "1000 1200"), ("2048 2048", "2001 2203")), _syrk),
    Case("symmetric", _BEST_HOST, 1.0, (("33",), ("512", "1000"), ("2048", "2001")), _symmetric),
    Case(
        "covariance", _BEST_HOST, 1.0, (("17 35",), ("256 512", "601 1000"), ("1024 2048", "1001 2001")), _covariances
    ),
    Case("gemver", _BEST_HOST, 1.0, (("67",), ("2048", "3001"), ("8192", "9001")), _matrix_and_vectors),
    Case("conv2d", _BEST_HOST, 2.0, (("33 35",), ("1024 1024", "1001 2003"), ("8192 8192", "7001 9001")), _filtered),
    Case("gemm", _BEST_HOST, 2.0, (("10 50 7",), ("10 500 64", "8 3000 2000"), ("16 8192 8192",)), _product),
    Case("mv", _BEST_HOST, 1.0, (("3 1000",), ("4 1000000", "1 3000001"), ("2 50000001",)), _vector_product),
    Case(
        "convolution",
        _BEST_HOST,
        2.0,
        (("2 5 4 3 6",), ("1 512 7 7 512", "2 61 55 57 13"), ("8 512 14 14 512",)),
        _convolution,
    ),
    *(
        Case(program, (GCC,), 0.95, (sizes[:1], sizes, sizes), work, (real,), sample=True, forced=False)
        for program, real, work, sizes in (
            ("gemm", FLOAT, _product, ("1 1 1", "8 8 8", "60 70 50", "256 256 256", "700 800 600")),
            ("mt", FLOAT, _transpose, ("1 1", "30 20", "300 200", "2048 2048")),
            ("mv", FLOAT, _vector_product, ("1 1", "30 20", "300 200", "2048 2048")),
            ("gauss", BYTE, _bytes_filtered, ("5 5", "30 20", "300 200", "2048 2048")),
            ("hotspot", FLOAT, _hotspot, ("1 1 2", "30 20 10", "300 200 10", "2048 2048 10")),
            ("reduction", DOUBLE, _differences, ("1", "100", "10000", "4194304")),
            ("histogram", BYTE, _counted, ("1", "100", "10000", "4194304")),
            ("struct", FLOAT, _particles, ("1 1", "100 10", "10000 10", "1048576 10")),
        )
    ),
    *(
        Case("two_levels", _COMPILERS, 1.0, ((sizes[0],), (sizes[1],), (sizes[2],)), work, (FLOAT,), loops=loops)
        for sizes, those in _TWO_LEVELS
        for loops, work in those.items()
    ),
)
