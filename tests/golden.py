"""Compares what the compiler generates for every program here with what an earlier revision generates.

For changes that should change nothing. Run as ``make golden BASE=REVISION``: OpenCL C, host C and the long report of
each program, for a CPU and three GPUs, with local memory where it pays, where it saves traffic, nowhere and everywhere,
and with additions in any order. What `BASE` generates is kept in ``build/golden``.
"""

from __future__ import annotations

import argparse
import difflib
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "build" / "golden"
TARGETS = "--acc-target=generic-cpu,gtx-690,hd-7850,h100"
WAYS = {
    "auto": [],
    "on": ["--acc-share=on"],
    "off": ["--acc-share=off"],
    "forced": ["--acc-share=force"],
    "reordered": ["-ffast-math"],
}
#: lines of a difference that are shown for each file
SHOWN = 12


def programs(only: str) -> list[str]:
    """The annotated programs, relative to the project."""
    found = sorted(path for part in ("samples", "benchmarks", "tests") for path in (ROOT / part).rglob("*.c"))
    annotated = (path for path in found if "#pragma acc" in path.read_text(encoding="latin-1"))
    names = (path.relative_to(ROOT).as_posix() for path in annotated)
    return [name for name in names if fnmatch(name, only)]


def emit(folder: Path, names: list[str]) -> None:
    """Write what the compiler that Python finds generates for programs."""
    # an editable installation goes before PYTHONPATH: it would be compared with itself
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
    from accshare.report import explain  # noqa: PLC0415 - whichever compiler PYTHONPATH names
    from accshare.run import files  # noqa: PLC0415
    from accshare.run.sources import Unreadable, compile_file  # noqa: PLC0415

    os.environ["ACCSHARE_TUNING"] = os.devnull
    for name in names:
        for way, flags in WAYS.items():
            into = folder / name / way
            if (into / "report").exists():
                continue
            try:
                unit = compile_file(name, ["-w", "-Iruntime/include", "-Isamples", TARGETS, *flags])
            except Unreadable as why:
                sys.exit(f"golden: {why}")
            files.write(unit, into, kernels=True, host=True)
            (into / "report").write_text(explain(unit.result, unit.source), encoding="utf-8")


def emitted(tree: Path, folder: Path, names: list[str], jobs: int) -> None:
    """Let the compiler in `tree` write into `folder`, in several processes."""
    packages = sysconfig.get_path("purelib")
    environment = {**os.environ, "PYTHONPATH": f"{tree}{os.pathsep}{packages}", "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-S", __file__, "--emit", str(folder)]  # what is installed must not come first
    running = [subprocess.Popen([*command, *names[k::jobs]], env=environment, cwd=ROOT) for k in range(jobs)]
    codes = [process.wait() for process in running]
    if any(codes):
        sys.exit("golden: a compiler failed, see above")


def differences(old: Path, new: Path, name: str) -> Iterator[str]:
    """The differing files of a program, each with the first lines that differ."""
    paths = {path.relative_to(folder) for folder in (old, new) for path in (folder / name).rglob("*") if path.is_file()}
    for path in sorted(paths):
        before, after = (_lines(folder / path) for folder in (old, new))
        if before != after:
            changed = list(difflib.unified_diff(before, after, "before", "after", n=1, lineterm=""))[2:]
            yield "\n".join((str(path), *changed[:SHOWN], *(["…"] if len(changed) > SHOWN else [])))


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="latin-1").splitlines() if path.exists() else []


def _git(*words: str) -> str:
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True, text=True).stdout.strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default="HEAD", help="the revision to compare with")
    parser.add_argument("--only", default="*", help="programs to compare, a pattern of their paths")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--emit", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.emit:
        emit(Path(args.emit[0]), args.emit[1:])
        return 0
    revision = _git("rev-parse", "--verify", f"{args.base}^{{commit}}")
    old, new, names = KEPT / revision, KEPT / "new", programs(args.only)
    tree = KEPT / f"tree-{revision}"
    if not tree.exists():
        _git("worktree", "prune")
        _git("worktree", "add", "--detach", str(tree), revision)
    emitted(tree, old, names, args.jobs)
    subprocess.run(["rm", "-rf", str(new)], check=True)
    emitted(ROOT, new, names, args.jobs)
    found = [text for name in names for text in differences(old, new, name)]
    print("\n\n".join(found))
    print(f"{len(names)} programs, {len(found)} files differ from {args.base}'s")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
