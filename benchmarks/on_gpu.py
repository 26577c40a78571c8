"""Peers of ``accshare bench --ablation``: kernels that were written by hand for GPUs (``on_gpu``), and products by
libraries, on the samples' problems. Each is checked against NumPy.

python on_gpu.py hand|clblast|cublas SAMPLE SIZE... REPEATS

Prints the seconds that a run takes, the fastest of REPEATS: in kernels by the device's own clock for what was written
by hand, from call to end for libraries. Exit code 2: there is no such library, or nothing for this sample.
"""

from __future__ import annotations

import ctypes
import importlib.util
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np
import pyopencl as cl

from accshare.run.opencl import default_device

SOURCES = Path(__file__).with_suffix("")
FLOAT, INT, BYTE = np.float32, np.int32, np.uint8
#: products in a row, whose mean is a run of a library
_IN_A_ROW = 10


class Launch(NamedTuple):
    """A kernel's arguments in its order, arrays by name, and the work-items of a launch and of a group, by x and y."""

    arguments: tuple[object, ...]
    items: tuple[int, int]
    group: tuple[int, int]


class Problem(NamedTuple):
    """Arrays by name; what must be in some of them after the first `checked` launches; the launches of a run."""

    arrays: Mapping[str, np.ndarray]
    results: Mapping[str, np.ndarray]
    launches: tuple[Launch, ...]
    checked: int = 1


def whole(*shape: int, seed: int) -> np.ndarray:
    """Small whole numbers, whose sums are exact in every order."""
    return np.random.default_rng(seed).integers(-2, 3, shape).astype(FLOAT)


def up(n: int, multiple: int) -> int:
    """The next multiple."""
    return -(-n // multiple) * multiple


def gemm(m: int, n: int, k: int) -> Problem:
    """C = 2 A B + 4 C"""
    a, b, c = whole(m, k, seed=1), whole(k, n, seed=2), whole(m, n, seed=3)
    arguments = (INT(m), INT(n), INT(k), FLOAT(2), "A", "B", FLOAT(4), "C")
    launch = Launch(arguments, (up(n, 64) // 4, up(m, 64) // 4), (16, 16))
    return Problem({"A": a, "B": b, "C": c}, {"C": 2 * (a @ b) + 4 * c}, (launch,))


def mt(rows: int, columns: int) -> Problem:
    """B = A^T"""
    a = whole(rows, columns, seed=1)
    launch = Launch((INT(rows), INT(columns), "A", "B"), (up(columns, 32), up(rows, 32) // 4), (32, 8))
    return Problem({"A": a, "B": np.zeros((columns, rows), FLOAT)}, {"B": a.T}, (launch,))


def mv(rows: int, columns: int) -> Problem:
    """y = A x"""
    a, x = whole(rows, columns, seed=1), whole(columns, seed=2)
    launch = Launch((INT(rows), INT(columns), "A", "x", "y"), (up(rows, 8) * 4, 8), (32, 8))
    return Problem({"A": a, "x": x, "y": np.zeros(rows, FLOAT)}, {"y": a @ x}, (launch,))


def gauss(height: int, width: int) -> Problem:
    """A filter of 5 x 5 points over bytes."""
    image = np.random.default_rng(1).integers(0, 256, (height, width)).astype(BYTE)
    weight = np.outer((1, 4, 6, 4, 1), (1, 4, 6, 4, 1)).astype(INT)
    right, total = image.copy(), np.zeros((height - 4, width - 4), INT)
    for v, u in np.ndindex(5, 5):
        total += weight[v, u] * image[v : height - 4 + v, u : width - 4 + u]
    right[2:-2, 2:-2] = total // 256
    launch = Launch((INT(height), INT(width), "weight", "in", "out"), (up(width - 4, 32), up(height - 4, 8)), (32, 8))
    return Problem({"weight": weight, "in": image, "out": image.copy()}, {"out": right}, (launch,))


def hotspot(rows: int, columns: int, steps: int) -> Problem:
    """A thermal simulation, back and forth between two grids."""
    random, shape = np.random.default_rng(1), (rows + 2, columns + 2)
    power, now = random.integers(0, 5, shape).astype(FLOAT) / 4, random.integers(60, 100, shape).astype(FLOAT)
    middle = slice(1, -1)

    def step(heat: np.ndarray) -> np.ndarray:
        """The same operations in the same order as the kernel's."""
        left, here = heat.copy(), heat[middle, middle]
        row = heat[middle, :-2] + heat[middle, 2:] - 2 * here
        column = heat[:-2, middle] + heat[2:, middle] - 2 * here
        gained = power[middle, middle] + FLOAT(0.125) * row + FLOAT(0.25) * column + FLOAT(0.015625) * (80 - here)
        left[middle, middle] = here + FLOAT(0.5) * gained
        return left

    ways = (("now", "next"), ("next", "now"))
    items = (up(columns, 32), up(-(-rows // 4), 4))
    there_and_back = tuple(Launch((INT(rows), INT(columns), "power", *way), items, (32, 4)) for way in ways)
    arrays = {"power": power, "now": now, "next": now.copy()}
    return Problem(arrays, {"now": step(step(now))}, there_and_back * (-(-steps // 2)), 2)


PROBLEMS: Mapping[str, Callable[..., Problem]] = {f.__name__: f for f in (gemm, mt, mv, gauss, hotspot)}


def nothing(why: str) -> NoReturn:
    """Ends the program where there is nothing to measure."""
    print(why, file=sys.stderr)
    raise SystemExit(2)


def check(results: Mapping[str, np.ndarray], found: Callable[[str], np.ndarray]) -> None:
    """Ends the program where a result is not what NumPy has; of floats, where it is further away than rounding."""
    for name, right in results.items():
        if not np.allclose(found(name), right, rtol=1e-5, atol=0):
            raise SystemExit(f"{name}: a wrong result")


def by_hand(sample: str, problem: Problem, repeats: int) -> float:
    """Seconds in kernels."""
    context = cl.Context([default_device()])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    kernel = cl.Kernel(cl.Program(context, (SOURCES / f"{sample}.cl").read_text()).build(), sample)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffers = {name: cl.Buffer(context, flags, hostbuf=np.ascontiguousarray(x)) for name, x in problem.arrays.items()}

    def run(launches: tuple[Launch, ...]) -> float:
        events = [
            kernel(
                queue, one.items, one.group, *(buffers.get(a, a) if isinstance(a, str) else a for a in one.arguments)
            )
            for one in launches
        ]
        queue.finish()
        return sum(event.profile.end - event.profile.start for event in events) * 1e-9

    def found(name: str) -> np.ndarray:
        array = np.empty_like(np.ascontiguousarray(problem.results[name]))
        cl.enqueue_copy(queue, array, buffers[name])
        return array

    run(problem.launches[: problem.checked])
    check(problem.results, found)
    return min(run(problem.launches) for _ in range(repeats))


def library(names: tuple[str, ...], package: str) -> ctypes.CDLL:
    """The first of the libraries that can be loaded, from where the system has them or from pip's package, if any."""
    there = package and importlib.util.find_spec(package.partition(".")[0])
    spec = importlib.util.find_spec(package) if there else None
    folders = [Path(place) / "lib" for place in (spec.submodule_search_locations or ())] if spec else []
    for name in (*names, *(str(folder / name) for folder in folders for name in names)):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return nothing(f"no {names[0]}")


def timed(product: Callable[[], None], wait: Callable[[], object], repeats: int) -> float:
    """Seconds of a product, of several in a row."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(_IN_A_ROW):
            product()
        wait()
        times.append((time.perf_counter() - start) / _IN_A_ROW)
    return min(times)


def clblast(problem: Problem, repeats: int) -> float:
    """CLBlast's product of row-major matrices on the OpenCL device."""
    lib = library(("libclblast.so.1", "libclblast.so"), "clblast")
    context = cl.Context([default_device()])
    queue = cl.CommandQueue(context)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    a, b, c = (cl.Buffer(context, flags, hostbuf=problem.arrays[name]) for name in "ABC")
    (m, k), n = problem.arrays["A"].shape, problem.arrays["B"].shape[1]
    size, real, memory = ctypes.c_size_t, ctypes.c_float, ctypes.c_void_p
    handle = memory(queue.int_ptr)
    row_major, as_it_is = 101, 111

    def product() -> None:
        status = lib.CLBlastSgemm(
            row_major, as_it_is, as_it_is, size(m), size(n), size(k),
            real(2), memory(a.int_ptr), size(0), size(k), memory(b.int_ptr), size(0), size(n),
            real(4), memory(c.int_ptr), size(0), size(n), ctypes.byref(handle), None,
        )  # fmt: skip
        if status != 0:
            raise SystemExit(f"CLBlastSgemm: status {status}")

    def found(name: str) -> np.ndarray:
        array = np.empty_like(problem.arrays[name])
        cl.enqueue_copy(queue, array, c)
        return array

    product()
    check(problem.results, found)
    return timed(product, queue.finish, repeats)


def cublas(problem: Problem, repeats: int) -> float:
    """cuBLAS' product; its matrices have columns one after the other, so that B A of the transposed is asked for."""
    lib = library(("libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"), "nvidia.cublas")
    cuda = library(("libcuda.so.1",), "")
    memory, real = ctypes.c_void_p, ctypes.c_float

    def done(status: int, what: str) -> None:
        if status != 0:
            raise SystemExit(f"{what}: status {status}")

    context, handle, device = memory(), memory(), ctypes.c_int()
    done(cuda.cuInit(0), "cuInit")
    done(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    done(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
    done(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent")
    done(lib.cublasCreate_v2(ctypes.byref(handle)), "cublasCreate")
    places = {name: memory() for name in "ABC"}
    for name, place in places.items():
        array = problem.arrays[name]
        done(cuda.cuMemAlloc_v2(ctypes.byref(place), ctypes.c_size_t(array.nbytes)), "cuMemAlloc")
        done(cuda.cuMemcpyHtoD_v2(place, memory(array.ctypes.data), ctypes.c_size_t(array.nbytes)), "cuMemcpyHtoD")
    (m, k), n = problem.arrays["A"].shape, problem.arrays["B"].shape[1]
    two, four = real(2), real(4)

    def product() -> None:
        status = lib.cublasSgemm_v2(
            handle, 0, 0, n, m, k, ctypes.byref(two), places["B"], n, places["A"], k, ctypes.byref(four), places["C"], n
        )
        done(status, "cublasSgemm")

    def found(name: str) -> np.ndarray:
        array = np.empty_like(problem.arrays[name])
        done(cuda.cuCtxSynchronize(), "cuCtxSynchronize")
        done(
            cuda.cuMemcpyDtoH_v2(memory(array.ctypes.data), places[name], ctypes.c_size_t(array.nbytes)), "cuMemcpyDtoH"
        )
        return array

    product()
    check(problem.results, found)
    return timed(product, cuda.cuCtxSynchronize, repeats)


LIBRARIES: Mapping[str, Callable[[Problem, int], float]] = {"clblast": clblast, "cublas": cublas}


def main(by: str, sample: str, *numbers: str) -> None:
    if sample not in PROBLEMS or (by in LIBRARIES and sample != "gemm"):
        nothing(f"{by}: nothing for {sample}")
    *sizes, repeats = map(int, numbers)
    problem = PROBLEMS[sample](*sizes)
    seconds = by_hand(sample, problem, repeats) if by == "hand" else LIBRARIES[by](problem, repeats)
    print(f"{seconds:.9f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
