"""The JSON report against ``docs/report-schema.md``, and what it says about known programs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from accshare.options import Options, Share
from accshare.report import to_json

ROOT = Path(__file__).parent.parent.parent
SAMPLES = sorted((ROOT / "samples").rglob("*.c"))
SECTIONS = re.split(r"^## (\w+)\n", (ROOT / "docs" / "report-schema.md").read_text(), flags=re.MULTILINE)[1:]
SCHEMA = {
    name: dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", text, re.MULTILINE))
    for name, text in zip(SECTIONS[::2], SECTIONS[1::2], strict=True)
}
PLAIN = {"string": str, "integer": int, "boolean": bool, "number": float}


def problems(value, kind, path="report"):
    """Where a JSON value is not of a documented type."""
    if kind.endswith(" or null"):
        return [] if value is None else problems(value, kind.removesuffix(" or null"), path)
    if kind.startswith("["):
        found = value if isinstance(value, list) else [None]
        return [p for k, item in enumerate(found) for p in problems(item, kind.strip("[]"), f"{path}[{k}]")]
    if kind == "pair":
        return [] if len(value) == 2 and all(isinstance(name, str) for name in value) else [path]
    if kind == "sizes":
        return [] if len(value) <= 3 and all(type(n) is int and n > 0 for n in value) else [path]
    if kind in PLAIN:
        return [] if type(value) is PLAIN[kind] else [f"{path} is no {kind}"]
    if not isinstance(value, dict) or set(value) != set(SCHEMA[kind]):
        return [f"{path} has not the keys of {kind}"]
    return [p for key, part in SCHEMA[kind].items() for p in problems(value[key], part, f"{path}.{key}")]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_a_samples_report_is_as_documented(sample, compiled):
    report = json.loads(to_json(*compiled(sample)))
    assert problems(report, "report") == []


MIXED = """
int f(int);
void all_kinds(int n, int steps, int k, float *a, float *b, const int *index, float *c)
{
    #pragma acc kernels
    #pragma acc share(a[*], missing[*])
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++) b[i] = a[i];
        for (int i = 0; i < n; i++) a[i] = b[i] + b[i + k];
    }
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) a[i] = b[index[i]];
    #pragma acc kernels loop
    for (int i = 1; i < n; i++) c[i] = c[i - 1];
    #pragma acc kernels loop
    for (int i = 0; i < n; i++) a[i] = f(i);
    #pragma acc parallel lop
    ;
}
"""


def test_a_report_of_everything_is_as_documented(compiled):
    report = json.loads(to_json(*compiled(MIXED)))
    assert problems(report, "report") == []
    assert [region["offloaded"] for region in report["regions"]] == [True, True, False, False]
    assert [region["messages"][0]["code"] for region in report["regions"]] == ["ACC501", "ACC604", "ACC401", "ACC204"]
    assert [message["code"] for message in report["messages"]] == ["ACC103"]


def test_loops_transfers_and_tests(compiled):
    (region, *_) = json.loads(to_json(*compiled(MIXED)))["regions"]
    loops = {(loop["iterator"], loop["place"]["line"]): loop for loop in region["loops"]}
    assert loops["t", 7]["runs"] == "host"
    assert loops["t", 7]["reason"]["code"] == "ACC302"
    assert loops["t", 7]["kernels"] == [kernel["name"] for kernel in region["kernels"]]
    assert [(loops["i", line]["runs"], loops["i", line]["axis"]) for line in (8, 9)] == [("grid", "x")] * 2
    assert {t["name"]: t["movement"] for t in region["transfers"]} == {"a": "copy", "b": "copy"}
    assert sorted(region["overlap_tests"][0]) == ["a", "b"]
    assert {hint["array"]: hint["checked"] for hint in region["hints"]} == {"a": True, "missing": False}
    assert region["validation"]["dependences"] > 0


def test_what_options_switch_off_is_not_claimed(compiled):
    report = json.loads(to_json(*compiled(MIXED, Options(validate=False, share=Share.OFF))))
    region = report["regions"][0]
    assert region["validation"] is None
    assert not any(hint["checked"] or hint["staged"] for hint in region["hints"])


def test_sizes_are_those_of_the_device(compiled):
    text = """
void add(int n, float a[restrict n][n]) {
    #pragma acc kernels loop
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] += 1.0f;
}
"""
    result, source = compiled(text)
    (region,) = json.loads(to_json(result, source))["regions"]
    (kernel,) = region["kernels"]
    sizes = {size["target"]: size for size in kernel["sizes"]}
    for variant in result.output.regions[0].variants:
        (made,) = variant.variant.kernels
        work_group = sizes[variant.variant.target.name]["work_group"]
        assert (*work_group, 1) == made.work_group
    (ilp,) = kernel["ilp"]
    assert ilp["target"] == "generic-gpu"
    assert ilp["factors"] == [*sizes["generic-gpu"]["tile"], 1]
    work_group = sizes["generic-gpu"]["work_group"]
    assert ilp["tile"] == [own * n for own, n in zip(ilp["factors"], work_group, strict=False)]
    assert kernel["name"] == made.name


def test_data_directives_name_the_regions_inside(compiled):
    text = """
void f(int n, float *restrict a) {
    #pragma acc data copy(a[0:n])
    {
        #pragma acc kernels loop
        for (int i = 0; i < n; i++) a[i] = 0;
    }
    #pragma acc exit data delete(a) if(n > 3)
}
"""
    report = json.loads(to_json(*compiled(text)))
    assert problems(report, "report") == []
    assert report["functions"] == ["f"]
    assert [(one["directive"], one["place"]["line"], one["regions"]) for one in report["data"]] == [
        ("data", 3, ["f_l5"]),
        ("exit data", 8, []),
    ]
    assert report["data"][0]["sections"] == [{"movement": "copy", "name": "a[0:n]"}]
