"""Times ``handwritten.cl`` as ``programs/gemm.c`` is timed, the device working in the program's own memory.

python handwritten.py float|double M N K REPEATS
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pyopencl as cl

from accshare.run.opencl import default_device

#: bytes of a vector and rows of a tile, where the matrix has as many
VECTOR, ROWS = 64, 8


def buffer(context: cl.Context, array: np.ndarray) -> cl.Buffer:
    return cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR, hostbuf=array)


def main(real: str, m: int, n: int, k: int, repeats: int) -> int:
    kind = np.dtype({"float": "float32", "double": "float64"}[real])
    widths = [width for width in (16, 8, 4, 2) if width * kind.itemsize <= VECTOR and 2 * width <= n]
    if not widths:
        print("takes at least 4 columns", file=sys.stderr)
        return 2
    rows, width = min(ROWS, m), widths[0]
    context = cl.Context([default_device()])
    queue = cl.CommandQueue(context)
    defines = [f"-DREAL={real}", f"-DV={width}", f"-DROWS={rows}", f"-Dm={m}", f"-Dn={n}", f"-Dk={k}"]
    program = cl.Program(context, Path(__file__).with_suffix(".cl").read_text()).build(options=defines)
    panels = -(-n // (2 * width))
    random = np.random.default_rng(1)
    shapes = ((m, k), (k, n), (m, n), (m, n), (panels * k, 2 * width))
    arrays = [random.integers(-2, 3, shape).astype(kind) for shape in shapes]
    a, b, c, out, packed = (buffer(context, array) for array in arrays)
    pack, multiply = program.pack, program.multiply

    def run() -> float:
        start = time.perf_counter()
        pack(queue, (k, panels), (1, 1), b, packed)
        multiply(queue, (-(-m // rows), panels), (1, 1), a, packed, c, out)
        queue.finish()
        return time.perf_counter() - start

    seconds = [run() for _ in range(repeats + 1)]
    cl.enqueue_map_buffer(queue, out, cl.map_flags.READ, 0, (m, n), kind)
    if not np.array_equal(2 * (arrays[0] @ arrays[1]) + 4 * arrays[2], arrays[3]):
        print("a wrong result", file=sys.stderr)
        return 1
    print(f"time first={seconds[0]:.9f} best={min(seconds):.9f}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
