"""Command lines as they come, put together at random from what build systems and people write: whatever gcc does with
one, accshare-cc does: exit code, messages, the files and their names, and what is in them wherever no region is."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from driver_programs import REGION
from tiers import every

#: every line has these, so that gcc knows as little of acc pragmas as it says, and as much of OpenACC as we do
COMMON = ("-Wno-unknown-pragmas", "-D_OPENACC=201711")
INPUTS = (
    *("region.c",) * 10, "sub/inner.c", "region.c plain.c", "plain.c region.c", "region.c -DNO_MAIN second.c",
    "region.c plain.o", "plain.o sub/inner.c -lm", "-x c region.c", "-x c region.txt",
    "-x c region.txt -x none plain.o", "-xc region.txt plain.c", "-x c - ", "-x c -x none region.c",
    "region.c -x c plain.c", "ready.i", "asks.c",
    "asks.c region.c", "plain.c", "@args", "broken.c", "missing.c region.c", "broken.c plain.c", "fault.c",
)  # fmt: skip
MODES = (
    *("-c",) * 4, *("",) * 4, "-S", "-E", "-fsyntax-only", "-M", "-MM", "--compile", "--assemble", "--preprocess",
    "--user-dependencies", "-S -c", "-c -E", "-MM -MG",
)  # fmt: skip
OUTPUTS = (
    *("",) * 8, "-o out", "-oout.x", "-o sub/out.o", "--output=sub/out", "--output out", "-o ''", "-o none/out",
    "-o /dev/null", "-o -", "-o first -o second", "-o a.b.c",
)  # fmt: skip
DEPENDENCIES = (
    *("",) * 8, "-MD", "-MMD", "-MMD -MP", "-MD -MF d.d", "-MMD -MFsub/d.d", "-MMD -MT t -MQ '$q'", "-Wp,-MD,w.d",
    "-Wp,-MMD,w.d -MP", "-MF d.d", "-MP", "-MT t", "-MD -MF none/d.d", "--write-user-dependencies", "-MMD -MF x.d",
    "-MD -MG -MF d.d", "--write-dependencies -MMD",
)  # fmt: skip
NAMES = (
    *("",) * 8, "-save-temps", "-save-temps=obj", "-save-temps=cwd", "--save-temps", "-dumpbase foo", "-dumpdir d-",
    "-dumpbase foo.c -dumpbase-ext .c", "-dumpdir sub/ -save-temps", "--coverage", "-fprofile-arcs -ftest-coverage",
    "-fdump-tree-optimized", "-fdump-rtl-expand -fdump-ipa-inline", "-fstack-usage", "-g -gsplit-dwarf",
    "-fcallgraph-info", "-aux-info aux.txt", "-fdump-tree-optimized=named.txt", "-flto", "-flto -save-temps -o lto",
    "-fopt-info-vec=opt.txt", "--coverage -save-temps=obj", "-dumpbase sub/dir -fstack-usage", "-pipe -save-temps",
)  # fmt: skip
CODE = (
    *("",) * 6, "-O0", "-O2", "-O3", "-Os", "-Ofast", "--optimize=2", "-g", "-g3", "-ggdb", "--debug", "-std=c99",
    "--std=c11", "--std gnu99", "-ansi", "-pipe", "-fPIC", "-pthread", "-m64", "-march=native", "-fno-common", "-w",
    "-fsanitize=undefined", "-ffast-math", "--fast-math", "-Wall", "-Wall -Wextra", "--all-warnings", "-Werror",
    "-pedantic", "-Wall -Werror", "-fverbose-asm", "-frandom-seed=7", "-fmax-errors=1", "-frobnicate", "--frobnicate",
    "-Wnonsense", "-fworking-directory", "-ffile-prefix-map=/=x", "-fvisibility=hidden", "-fno-pie -no-pie",
    "-fexec-charset=utf-8", "-ffunction-sections -Wl,--gc-sections", "-funsigned-char", "-fshort-enums", "-fopenmp",
    "-Wno-error -Wconversion", "-fno-builtin", "-fstack-protector-all", "--param max-unroll-times=4", "-mno-sse2",
    "-mgeneral-regs-only", "-fmessage-length=0", "-fdiagnostics-color=always", "-fdiagnostics-plain-output",
)  # fmt: skip
PREPROCESSING = (
    *("",) * 6, "-DX", "-D X=1", "--define-macro=X=2", "--define-macro X", "-UX", "--undefine-macro X", "-I.", "-I sub",
    "--include-directory=.", "-isystem sub", "-iquote .", "-idirafter sub", "-include size.h", "--include=size.h",
    "--include size.h", "-imacros size.h", "-nostdinc", "-P", "--no-line-commands", "-C", "-CC", "-dM", "-dD", "-dN",
    "-H", "--trace-includes", "-undef", "-trigraphs", "-fdirectives-only", "-DNO_MAIN", "-include none.h", "-Wp,-DX",
    "-Xpreprocessor -DX", "-Wundef", "-DSIZE=3", "-dI",
)  # fmt: skip
LINKING = (
    *("",) * 8, "-lm", "-L. -lm", "-s", "-shared -fPIC", "-r -nostdlib", "-rdynamic", "-Xlinker -s", "-Wl,-z,now",
    "--for-linker=-s", "-Wl,-O1", "-no-pie", "-l none", "-static-libgcc", "--shared -fPIC", "-Wl,--as-needed",
    "-u main", "-e main", "-T none.ld", "-Wl,-Map,out.map", "-pie", "-fuse-ld=bfd", "-z now",
)  # fmt: skip
ASKS = """\
#ifdef _OPENACC
int asks(int x) { return x + _OPENACC; }
#endif
#ifndef NO_MAIN
int main(void) { return 0; }
#endif
"""
FILES = {
    "region.c": REGION,
    "region.txt": REGION,
    "sub/inner.c": REGION,
    "sub/size.h": "#define SIZE 7\n",
    "size.h": "#ifndef SIZE\n#define SIZE 9\n#endif\n",
    "second.c": REGION.replace("scale", "second").replace("int main", "int other"),
    "plain.c": "int plain(int x)\n{\n  return x + 1;\n}\n",
    "asks.c": ASKS,
    "broken.c": REGION + "int broken(void) { return undeclared; }\n",
    "fault.c": "#include <none.h>\n" + REGION,
    "args": "-Wall region.c -I 'sub' -DQUOTED=\"a b\"\n",
}
#: what a linked program may be called
PROGRAMS = ("a.out", "out", "out.x", "sub/out", "sub/out.o", "second", "a.b.c", "lto")


def command_line(rng: random.Random) -> str:
    groups = [MODES, OUTPUTS, DEPENDENCIES, NAMES, CODE, CODE, PREPROCESSING, LINKING]
    words = [rng.choice(group) for group in groups]
    words = [word if rng.random() < 0.6 or group is MODES else "" for word, group in zip(words, groups, strict=True)]
    words.insert(rng.randrange(len(words) + 1), rng.choice(INPUTS))
    line = " ".join(word for word in words if word)
    # gcc takes its own -.i for an option
    return re.sub(r"-?-save-temps(=\w+)?", "", line) if " - " in f" {line} " else line


class Bench:
    """Runs compilers on the same files under the same path, one after the other."""

    def __init__(self, folder: Path, acc, **environment: str) -> None:
        self.folder = folder
        self.program = acc.program
        self.environment = {**acc.environment, **environment, "ACCSHARE_OFFLOAD": "disabled"}
        self.files = {name: text.encode() for name, text in FILES.items()}
        whole = REGION.replace('#include "size.h"', FILES["size.h"])
        whole = whole.replace("#define PART [0:n]\n", "").replace(" PART", "[0:n]")  # gcc expands no pragmas
        self.files["ready.i"] = made("gcc", "-E", "-x", "c", "-", text=whole)
        plain = folder.with_name("plain.o")
        made("gcc", "-c", "-x", "c", "-", "-o", str(plain), text=FILES["plain.c"])
        self.files["plain.o"] = plain.read_bytes()

    def differences(self, line: str, host: str) -> dict[str, tuple[object, object]]:
        """What is not the same when accshare-cc takes the place of `host`: what that gave, and what accshare-cc."""
        theirs, ours = self.result(host, line), self.result(self.program, line)
        return {key: (theirs[key], ours[key]) for key in theirs if theirs[key] != ours[key]}

    def result(self, program: str, line: str) -> dict[str, object]:
        """All that can be seen of a command line."""
        shutil.rmtree(self.folder, ignore_errors=True)
        for name, text in self.files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
        done = self.run("sh", "-c", f"{program} {' '.join(COMMON)} {line} {COMMON[0]}", stdin=REGION)
        said = [one for one in done.stderr.decode("latin-1").split("\n") if re.search(r"\b(error|warning):", one)]
        ran = [self.run(f"./{name}") for name in PROGRAMS if self.is_program(name) and "shared" not in line]
        # gcc, given an @file, writes some for the programs it calls; clang keeps bitcode of what it preprocesses
        paths = [
            path
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and not re.search(r"args(\.\d)?$|\.bc$", path.name)
        ]
        return {
            "code": done.returncode,
            # linkers name addresses, which other code has elsewhere
            "messages": sorted({re.sub(r"\b[0-9a-f]{16}\b", "", one) for one in said if "[ACC704]" not in one}),
            "printed": b"" if "-o -" in line else done.stdout,
            "ran": [(one.returncode, one.stdout) for one in ran],
            "files": [(str(path.relative_to(self.folder)), path.stat().st_mode) for path in paths],
            "contents": {path.name: path.read_bytes() for path in paths if is_steady(path.name, line)},
        }

    def is_program(self, name: str) -> bool:
        path = self.folder / name
        return path.is_file() and path.read_bytes()[:4] == b"\x7fELF" and os.access(path, os.X_OK)

    def run(self, *command: str, stdin: str = "") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            command, cwd=self.folder, env=self.environment, input=stdin.encode(), capture_output=True, check=False
        )


def made(*command: str, text: str) -> bytes:
    return subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True).stdout


def is_steady(name: str, line: str) -> bool:
    """Whether a file has nothing to do with a region, nor with the time it was made."""
    if name.endswith(".d"):
        return True
    holds_region = any(word in line for word in ("region", "inner", "ready", "@args", "-x c - ", "second"))
    stamped = any(word in line for word in ("-flto", "coverage", "-fprofile")) or name.endswith((".gcno", ".gcda"))
    return name.startswith(("plain.", "asks.")) and not holds_region and not stamped


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def unlike(bench: Bench, seeds: range, host: str = "gcc") -> dict[str, dict[str, tuple[object, object]]]:
    """The command lines that give something else, by their seeds and texts."""
    lines = {f"{seed}: {line}": line for seed in seeds for line in [command_line(random.Random(seed))]}
    if host == "clang":  # it takes -C with -E only, and says so when all else is done
        lines = {name: re.sub(r"-CC?\b", "", line) for name, line in lines.items()}
    return {name: found for name, line in lines.items() if (found := bench.differences(line, host))}


@pytest.mark.parametrize("seeds", every(2, [range(5000, 5004), range(5004, 5020)]))
def test_some_command_lines(acc, cache, tmp_path, seeds):
    bench = Bench(tmp_path / "work", acc, ACCSHARE_CACHE_DIR=str(cache), ACCSHARE_CC="gcc")
    assert unlike(bench, seeds) == {}


@pytest.mark.slow
def test_some_command_lines_of_clang(acc, cache, tmp_path):
    bench = Bench(tmp_path / "work", acc, ACCSHARE_CACHE_DIR=str(cache), ACCSHARE_CC="clang")
    found = unlike(bench, range(2000, 2100), "clang")
    # clang says of each of its steps which options that has no use for
    assert {line: what for line, what in found.items() if what.keys() != {"messages"}} == {}


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_a_thousand_command_lines(acc, cache, tmp_path, part):
    bench = Bench(tmp_path / "work", acc, ACCSHARE_CACHE_DIR=str(cache), ACCSHARE_CC="gcc")
    assert unlike(bench, range(50 * part, 50 * part + 50)) == {}
