"""What the repository says about itself is so: README, Makefile, the runtime's settings, versions."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import accshare

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINKS = sorted({(page, link) for page in PAGES for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text())})
SHELL = [".ci/run", "benchmarks/on-device.sh", "benchmarks/opencl-env.sh", "samples/demo.sh", "tests/needs.sh"]


def headings(page):
    """The anchors that a page's headings have on the web."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}


def test_links_lead_somewhere():
    assert len(LINKS) > len(PAGES)
    for page, link in LINKS:
        path, _, anchor = link.partition("#")
        if path.startswith("http"):
            continue
        target = page.parent / path if path else page
        assert target.exists(), f"{page.name}: {link}"
        assert not anchor or anchor in headings(target), f"{page.name}: {link}"


def test_the_readme_names_the_stages():
    named = re.findall(r"^\| \[(\w+)\]\(accshare/\w+\) \|", README, re.MULTILINE)
    assert set(named) == {path.parent.name for path in (ROOT / "accshare").glob("*/ir.py")}
    pipeline = (ROOT / "accshare/pipeline.py").read_text()
    assert set(named) == set(re.findall(r'trace\("(\w+)", ', pipeline))


def test_the_readmes_variables_are_those_the_runtime_reads():
    described = set(re.findall(r"`(ACC\w+)`[^|]*\|", re.sub(r"`, `", "` | `", README)))
    sources = "".join(path.read_text() for path in (ROOT / "runtime/src").glob("*.[ch]"))
    read = set(re.findall(r'"(ACC(?:_DEVICE|SHARE)_[A-Z_]+)"', sources))
    assert described - {"ACCSHARE_CC"} >= read - {"ACCSHARE_RUNTIME"}
    assert "ACCSHARE_RUNTIME" in described


def test_the_readmes_commands_exist():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"^make (\w[\w-]*) ", README, re.MULTILINE)) <= targets


@pytest.mark.parametrize("script", SHELL)
def test_a_script_is_well_formed(script):
    interpreter = (ROOT / script).read_text().splitlines()[0].rpartition("/")[2]
    shell = interpreter if interpreter == "bash" else "sh"
    checked = subprocess.run([shell, "-n", str(ROOT / script)], capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_one_version():
    declared = re.search(r'^version = "([^"]+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert declared
    assert accshare.__version__ == declared[1]
