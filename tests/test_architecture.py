"""The import rules of the design, read off the source with `ast`: a violation names file, line, import and rule."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

PACKAGE = Path(__file__).parent.parent / "accshare"
NAME = "accshare"

#: the road, one way
STAGES = "pragma frontend poly order relax schedule data mapping kernel emit".split()  # noqa: SIM905 - reads as a road
#: what every stage may use
COMMON = set("records spelling source diagnostics options device private literals once opencl_names".split())  # noqa: SIM905
#: walks over the C AST, C's way out of it and isl's way into it: for what comes after `frontend`
AFTER_FRONTEND = {
    "carried",
    "lastwrite",
    "dataflow",
    "lifetimes",
    "numbers",
    "closed",
    "pieces",
    "instances",
    "tree",
    "reference",
    "atomics",
    "combining",
    "factors",
    "grain",
    "teams",
    "operations",
    "subscripts",
    "builtins",
    "islbuild",
    "islexpr",
    "linear",
    "quota",
    "conversions",
    "cprint",
    "ranges",
    "inputs",
    "target",
    "vectormath",
}
#: what stands beside the stages, and which top-level packages and modules it may use besides `COMMON` and every `ir`
BESIDE = {
    "records": set(),
    "spelling": set(),
    "source": {"records"},
    "diagnostics": {"records", "source"},
    "options": {"records", "device"},
    "literals": set(),
    "once": set(),
    "opencl_names": set(),
    "private": set(),
    "device": {"records", "private"},
    "tree": set(),
    "reference": {"tree"},
    "islbuild": {"quota"},
    "builtins": set(),
    "target": {"tree"},
    "islexpr": {"tree", "builtins", "islbuild"},
    "linear": {"islexpr", "conversions"},
    "atomics": {"tree", "reference", "conversions"},
    "combining": {"tree", "reference", "conversions"},
    "factors": {"tree"},
    "grain": set(),
    "teams": set(),
    "operations": {"tree"},
    "subscripts": {"conversions", "quota"},
    "inputs": {"tree"},
    "vectormath": {"builtins"},
    "conversions": set(),
    "cprint": {"conversions"},
    "ranges": {"conversions"},
    "quota": set(),
    "carried": set(),
    "lastwrite": {"quota"},
    "dataflow": {"islbuild", "lastwrite", "quota"},
    "lifetimes": {"carried", "dataflow", "islbuild"},
    "numbers": set(),
    "closed": {"combining", "dataflow", "numbers", "reference", "tree"},
    "pieces": set(),
    "instances": set(),
    "trace": {"quota"},
    "pipeline": {*STAGES, "lifetimes", "trace", "target"},
    "traffic": AFTER_FRONTEND,
    "report": {*AFTER_FRONTEND, "pipeline", "mapping"},
    "run": {*AFTER_FRONTEND, "pipeline", "trace", "driver", "report", "mapping", "traffic"},
    "driver": {*AFTER_FRONTEND, "pipeline", "trace", "report"},
    "manual": {"driver", "cli"},
    "cli": {*STAGES, "pipeline", "trace", "driver", "run", "report", "manual"},
    "cc": {"driver", "cli"},
}
#: the few who may know a foreign library
IMPORTERS = {
    "clang": {"frontend/clang.py"},
    "pyopencl": {"run/"},
    "lark": {"pragma/parse.py"},
    # which makes the same classes faster
    "dataclasses": {"records.py"},
    # Generated C and the HTML report are both templates; they share nothing else.
    "jinja2": {"emit/", "report/page.py"},
    "matplotlib": {"report/drawing.py"},
    "islpy": {
        "carried.py",
        "closed.py",
        "dataflow.py",
        "lastwrite.py",
        "lifetimes.py",
        "pieces.py",
        "instances.py",
        "islbuild.py",
        "islexpr.py",
        "quota.py",
        "subscripts.py",
        "poly/",
        "order/",
        "data/",
        "relax/",
        "schedule/",
        "mapping/",
        "kernel/",
        "target/",
        "traffic/",
    },
}
#: where a stage's verb is, if what stands beside the stages needs its `ir`, and loads `__init__` with that
VERBS = {"frontend": "parse.py"}
#: they load some only when asked for, so that `accshare-cc` on a file without pragmas costs nothing, and no report
#: nor `dataclasses` where nobody wants them
LAZY = {
    "cc.py",
    "cli.py",
    "driver/start.py",
    "driver/tunings.py",
    "driver/worker.py",
    "records.py",
    "spelling.py",
    "trace.py",
}
#: a crash of ours is caught here, and nowhere else
BOUNDARIES = ("trace.py", "driver/")
MOST_FUNCTION_LINES = 60


@dataclass(frozen=True)
class Import:
    """One imported module: `target` is absolute, `inside` says that it stands in a function."""

    file: str
    line: int
    target: str
    inside: bool

    def breaks(self, rule: str) -> str:
        return f"{NAME}/{self.file}:{self.line} imports {self.target}: {rule}"


def files(root: Path) -> list[Path]:
    return sorted(root.rglob("*.py"))


def modules(root: Path) -> dict[str, str]:
    """Dotted module name -> file, relative to the package."""
    found = {}
    for path in files(root):
        parts = [NAME, *path.relative_to(root).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.relative_to(root).as_posix()
    return found


def trees(root: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in files(root):
        yield path.relative_to(root).as_posix(), parsed(path.read_text(), str(path))


#: every rule reads the package
parsed = functools.cache(ast.parse)


def imports(root: Path) -> list[Import]:
    """Every import of the package; ``from accshare.x import y`` counts as accshare.x.y where that is a module."""
    known = modules(root)
    found = []
    for file, tree in trees(root):
        package = [NAME, *Path(file).parts[:-1]]
        inside = {
            id(node)
            for function in ast.walk(tree)
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            for node in ast.walk(function)
        }
        for node in ast.walk(tree):
            targets: list[str] = []
            if isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                above = package[: len(package) - node.level + 1] if node.level else []
                stem = ".".join(above + ([node.module] if node.module else []))
                targets = [f"{stem}.{a.name}" if f"{stem}.{a.name}" in known else stem for a in node.names]
            found += [Import(file, node.lineno, target, id(node) in inside) for target in dict.fromkeys(targets)]
    return found


def may_import(importer: str, target: list[str]) -> bool:
    """Whether top-level part `importer` may import ``accshare.<target…>``."""
    owner = target[0]
    if owner in (importer, *COMMON - {importer}) and importer not in COMMON:
        return True
    if importer in BESIDE:
        return owner == importer or owner in BESIDE[importer] or (importer not in COMMON and target[1:] == ["ir"])
    if importer not in STAGES:
        return False
    if owner in AFTER_FRONTEND:
        return STAGES.index(importer) > 0
    return owner in STAGES[: STAGES.index(importer)] and target[1:] == ["ir"]


def against_the_road(root: Path) -> list[str]:
    broken = []
    for entry in imports(root):
        importer = entry.file.split("/")[0].removesuffix(".py")
        target = entry.target.split(".")
        if importer == "__init__" or target[0] != NAME or len(target) == 1:
            continue
        if not may_import(importer, target[1:]):
            rule = "a stage imports only earlier stages' ir" if importer in STAGES else f"not one of {importer}'s"
            broken.append(entry.breaks(rule))
    return broken


def unknown_parts(root: Path) -> list[str]:
    parts = {file.split("/")[0].removesuffix(".py") for file in modules(root).values()}
    return [f"{NAME}/{part} has no place in the design" for part in sorted(parts - {*STAGES, *BESIDE, "__init__"})]


def cycles(root: Path) -> list[str]:
    """Modules that need themselves. To load one is to load the packages around it first, so that these count."""
    known = modules(root)
    names = {file: name for name, file in known.items()}
    edges: dict[str, set[str]] = {name: set() for name in known}
    for entry in imports(root):
        source, parts = names[entry.file], entry.target.split(".")
        loaded = {".".join(parts[:k]) for k in range(2, len(parts) + 1)} & known.keys()
        edges[source] |= set() if entry.inside else {one for one in loaded if not f"{source}.".startswith(f"{one}.")}
    return [" -> ".join(path) for path in _loops(edges)]


def _loops(edges: dict[str, set[str]]) -> Iterator[list[str]]:
    """One shortest way back to itself for each module that has one."""
    for start in sorted(edges):
        paths, seen = [[start]], set()
        while paths:
            path = paths.pop(0)
            for after in sorted(edges[path[-1]]):
                if after == start:
                    yield [*path, start]
                    paths = []
                    break
                if after not in seen:
                    seen.add(after)
                    paths.append([*path, after])


def hidden_imports(root: Path) -> list[str]:
    return [e.breaks("no import inside a function") for e in imports(root) if e.inside and e.file not in LAZY]


def foreign_imports(root: Path) -> list[str]:
    broken = []
    for entry in imports(root):
        allowed = IMPORTERS.get(entry.target.split(".")[0])
        if allowed is not None and not any(
            entry.file == a or (a[-1] == "/" and entry.file.startswith(a)) for a in allowed
        ):
            broken.append(entry.breaks(f"only {', '.join(sorted(allowed))} may"))
    return broken


def more_than_one_verb(root: Path) -> list[str]:
    """A stage's `__init__`, or the module that `VERBS` names, exports types (Capitalised) and one verb."""
    broken = []
    for stage in STAGES:
        if not (root / stage / "ir.py").exists():
            continue
        init = root / stage / VERBS.get(stage, "__init__.py")
        tree = ast.parse(init.read_text()) if init.exists() else ast.Module([], [])
        exported = [
            name
            for node in tree.body
            if isinstance(node, ast.Assign) and any(getattr(t, "id", "") == "__all__" for t in node.targets)
            for name in ast.literal_eval(node.value)
        ]
        verbs = [name for name in exported if name[0].islower()]
        if len(verbs) != 1:
            broken.append(f"{NAME}/{stage}/{init.name} exports {verbs or 'nothing'}: a stage has one public verb")
    return broken


def loose_dataclasses(root: Path) -> list[str]:
    broken = []
    for file, tree in trees(root):
        if not file.endswith("/ir.py"):
            continue
        for node in ast.walk(tree):
            if not isinstance(node, ast.ClassDef):
                continue
            for decorator in node.decorator_list:
                if "dataclass" not in ast.unparse(decorator):
                    continue
                words = {k.arg for k in getattr(decorator, "keywords", []) if getattr(k.value, "value", None) is True}
                if not {"frozen", "slots"} <= words:
                    broken.append(
                        f"{NAME}/{file}:{node.lineno} {node.name}: an ir's dataclasses are frozen and slotted"
                    )
    return broken


def too_long(root: Path) -> list[str]:
    broken = []
    for file, tree in trees(root):
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                size = (node.end_lineno or node.lineno) - node.lineno + 1
                if size > MOST_FUNCTION_LINES:
                    broken.append(f"{NAME}/{file}:{node.lineno} {node.name} has {size} lines")
    return broken


def postponed_work(root: Path) -> list[str]:
    pattern = re.compile(r"#.*\b(TODO|FIXME|HACK|XXX)\b")
    return [
        f"{NAME}/{path.relative_to(root).as_posix()}:{number} {line.strip()}"
        for path in files(root)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if pattern.search(line)
    ]


def broad_excepts(root: Path) -> list[str]:
    """Only where a crash of ours becomes a numbered message may one handler catch everything."""
    found: dict[str, list[str]] = {}
    for file, tree in trees(root):
        for node in ast.walk(tree):
            if not isinstance(node, ast.ExceptHandler):
                continue
            names = {getattr(n, "id", "") for n in ast.walk(node.type)} if node.type else {"everything"}
            if names & {"Exception", "BaseException", "everything"}:
                boundary = next((b for b in BOUNDARIES if file.startswith(b)), "")
                found.setdefault(boundary, []).append(f"{NAME}/{file}:{node.lineno} catches everything")
    return [line for boundary, lines in found.items() for line in lines[1 if boundary else 0 :]]


def opencl_spelling(root: Path) -> list[str]:
    """Kernels are in no language until `emit` prints them: what names a stage before it has, and its comments, aside,
    no text is OpenCL's."""
    spelled = re.compile(
        r"\bget_(global|local|group|num)_\w+|CLK_\w+|\b__(global|local|private)\b|\bv(load|store)\d|\bas_\w+\d"
    )
    return [
        f"{NAME}/{file}:{node.lineno} {node.value!r}"
        for file, tree in trees(root)
        if file.split("/")[0] in STAGES[: STAGES.index("emit")]
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and spelled.search(node.value)
    ]


def text_for_isl(root: Path) -> list[str]:
    """isl makes nothing of text but numbers and identifiers: sets and relations are built by `islbuild`."""
    broken = []
    for file, tree in trees(root):
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            made = node.func.attr[0].isupper() and getattr(node.func.value, "id", "") in ("isl", "islpy")
            if (made and node.func.attr not in ("Id", "Val")) or node.func.attr == "read_from_str":
                broken.append(f"{NAME}/{file}:{node.lineno} {ast.unparse(node.func)} reads text: build it")
    return broken


def disguised_devices(root: Path) -> list[str]:
    """What a kind of device needs is decided in `mapping` and `target`; later stages read plans and figures."""
    later = STAGES[STAGES.index("mapping") + 1 :]
    return [
        f"{NAME}/{file}:{node.lineno} asks for the kind of a device"
        for file, tree in trees(root)
        if file.split("/")[0] in later
        for node in ast.walk(tree)
        if getattr(node, "id", "") == "DeviceKind" or getattr(node, "attr", "") == "packs"
    ]


RULES: list[Callable[[Path], list[str]]] = [
    against_the_road,
    unknown_parts,
    cycles,
    hidden_imports,
    foreign_imports,
    more_than_one_verb,
    loose_dataclasses,
    too_long,
    postponed_work,
    broad_excepts,
    text_for_isl,
    opencl_spelling,
    disguised_devices,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_package_keeps_the_rule(rule):
    assert not rule(PACKAGE), "\n" + "\n".join(rule(PACKAGE))


def package(root: Path, texts: dict[str, str]) -> Path:
    for file, text in texts.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text)
    return root


@pytest.mark.parametrize(
    ("rule", "texts", "said"),
    [
        (
            against_the_road,
            {"poly/build.py": "from accshare.kernel.ir import KernelFunction\n"},
            "poly/build.py:1 imports accshare.kernel.ir",
        ),
        (
            against_the_road,
            {"kernel/a.py": "\nfrom accshare.poly import model\n"},
            "kernel/a.py:2 imports accshare.poly",
        ),
        (against_the_road, {"kernel/a.py": "from ..poly.build import x\n", "poly/build.py": ""}, "accshare.poly.build"),
        (against_the_road, {"pragma/parse.py": "import accshare.tree\n"}, "accshare.tree"),
        (against_the_road, {"device/model.py": "from accshare.frontend.ir import Region\n"}, "accshare.frontend.ir"),
        (
            against_the_road,
            {"report/a.py": "from accshare.run.bench import main\n", "run/bench.py": ""},
            "accshare.run",
        ),
        (unknown_parts, {"utils.py": ""}, "accshare/utils"),
        (cycles, {"poly/a.py": "from accshare.poly import b\n", "poly/b.py": "from .a import x\n"}, "accshare.poly.a"),
        (
            cycles,
            {
                "tree.py": "from accshare.poly.ir import Scop\n",
                "poly/ir.py": "",
                "poly/__init__.py": "from accshare.poly.b import model\n",
                "poly/b.py": "from accshare.tree import x\n",
            },
            "accshare.poly -> accshare.poly.b -> accshare.tree -> accshare.poly",
        ),
        (hidden_imports, {"poly/a.py": "def f():\n    import os\n"}, "poly/a.py:2 imports os"),
        (foreign_imports, {"frontend/ir.py": "import clang.cindex\n"}, "frontend/clang.py"),
        (foreign_imports, {"emit/host.py": "import islpy as isl\n"}, "imports islpy"),
        (foreign_imports, {"poly/ir.py": "from dataclasses import dataclass\n"}, "records.py"),
        (foreign_imports, {"report/text.py": "import jinja2\n"}, "report/page.py"),
        (foreign_imports, {"run/tables.py": "from matplotlib.figure import Figure\n"}, "report/drawing.py"),
        (
            more_than_one_verb,
            {"poly/ir.py": "", "poly/__init__.py": "__all__ = ['Scop', 'model', 'help_me']\n"},
            "help_me",
        ),
        (more_than_one_verb, {"poly/ir.py": ""}, "nothing"),
        (loose_dataclasses, {"poly/ir.py": "@dataclass(frozen=True)\nclass Scop:\n    x: int\n"}, "poly/ir.py:2 Scop"),
        (too_long, {"poly/a.py": "def f():\n" + "    x = 1\n" * 60}, "f has 61 lines"),
        (postponed_work, {"poly/a.py": "x = 1  # " + "TODO: later\n"}, "poly/a.py:1"),
        (broad_excepts, {"poly/a.py": "try:\n    x = 1\nexcept (ValueError, Exception):\n    pass\n"}, "poly/a.py:3"),
        (opencl_spelling, {"kernel/a.py": "x = 1\nLOCAL = 'CLK_LOCAL_MEM_FENCE'\n"}, "kernel/a.py:2"),
        (text_for_isl, {"poly/a.py": "import islpy as isl\nx = isl.Set(f'{{ [{n}] }}')\n"}, "poly/a.py:2 isl.Set"),
        (text_for_isl, {"poly/a.py": "x = isl.Map.read_from_str(context, str(relation))\n"}, "isl.Map.read_from_str"),
        (disguised_devices, {"kernel/a.py": "slow = device.kind is DeviceKind.CPU\n"}, "kernel/a.py:1"),
        (broad_excepts, {"driver/a.py": "try:\n    x = 1\nexcept:\n    pass\n" * 2}, "driver/a.py:7"),
    ],
)
def test_a_violation_is_named(tmp_path, rule, texts, said):
    (broken,) = rule(package(tmp_path, texts)) if rule is not cycles else rule(package(tmp_path, texts))[:1]
    assert said in broken


def test_what_the_design_allows_passes(tmp_path):
    root = package(
        tmp_path,
        {
            "poly/__init__.py": "from accshare.poly.build import model\n__all__ = ['model']\n",
            "poly/ir.py": "from accshare.frontend.ir import Region\n",
            "poly/build.py": "from accshare import tree\nfrom accshare.source import Span\nfrom .ir import Scop\n",
            "pipeline.py": "from accshare.poly import model\nfrom accshare.poly.ir import Scop\n",
            "cc.py": "def main():\n    from accshare.driver import compile\n",
            "run/bench.py": "import pyopencl\nfrom accshare.pipeline import compile\n",
        },
    )
    assert [line for rule in RULES for line in rule(root)] == []


def test_files_of_the_runtime_need_one_another_in_one_direction():
    edges: dict[str, set[str]] = {}
    for file in sorted((PACKAGE.parent / "runtime/src").glob("*.[ch]")):
        needed = re.findall(r'^#include "(\w+)\.h"', file.read_text(), re.MULTILINE)
        edges.setdefault(file.stem, set()).update(set(needed) - {file.stem})
    edges |= {name: set() for name in set().union(*edges.values()) - edges.keys()}
    assert "present" in edges["device"]
    assert [" -> ".join(path) for path in _loops(edges)] == []
