"""The report as a web page."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import accshare

from accshare.options import Options, Share
from accshare.report import to_json
from accshare.report.page import page

SAMPLES = Path(__file__).parent.parent.parent / "samples"


class Page(HTMLParser):
    """Collects what the page says, its ids, and what it would load."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.loaded, self.words = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if tag in {"script", "link", "img", "iframe", "object"} or (name in {"src", "href"} and value[:1] != "#"):
                self.loaded.append((tag, name, value))

    def handle_data(self, data):
        self.words.append(data)


def drawings(text):
    return [ElementTree.fromstring(found) for found in re.findall(r"<svg .*?</svg>", text, re.DOTALL)]


def words(drawing):
    return [" ".join(text.itertext()).strip() for text in drawing.iter("{http://www.w3.org/2000/svg}text")]


@pytest.fixture(scope="module")
def gemm_and_hotspot(tmp_path_factory):
    out = tmp_path_factory.mktemp("page") / "report.html"
    words = ("explain", "--html", "--acc-target=generic-gpu,generic-cpu", "samples/gemm.c", "samples/hotspot.c")
    done = accshare(*words, "-o", out, cwd=SAMPLES.parent)
    assert done.stdout.strip() == str(out)
    assert done.stderr == ""
    return out.read_text()


def test_it_needs_nothing_from_elsewhere(gemm_and_hotspot):
    assert Page(gemm_and_hotspot).loaded == []
    assert "@import" not in gemm_and_hotspot
    assert not re.search(r"url\((?!#)", gemm_and_hotspot)


def test_ids_are_unique(gemm_and_hotspot):
    ids = Page(gemm_and_hotspot).ids
    assert len(ids) == len(set(ids))
    wanted = set(re.findall(r'(?:href="#|url\(#)([^")]+)', gemm_and_hotspot))
    assert wanted <= set(ids)


def test_files_with_regions_of_one_name_keep_apart(compiled):
    ids = Page(page([compiled(SAMPLES / "gemm.c"), compiled(SAMPLES / "gemm.c")])).ids
    assert len(ids) == len(set(ids))
    assert sum(name.endswith("-gemm_l12") for name in ids) == 2


def test_it_shows_the_source_and_what_is_said_of_it(gemm_and_hotspot):
    said = "".join(Page(gemm_and_hotspot).words)
    assert "sum += A[i][l] * B[l][j];" in said
    assert "loop i parallel: grid y" in said
    assert "now[i - 1][j] + now[i + 1][j] - 2.0f * here;" in said
    assert "best of " in said


def test_the_pictures_are_of_the_plans_and_tiles(compiled):
    result, source = compiled(SAMPLES / "gemm.c")
    staging, _ = json.loads(to_json(result, source))["regions"][0]["kernels"][0]["staging"]
    tiles, surface, *_ = drawings(page([(result, source)]))
    for word in ("A[][k]", "B[][n]", "C[][n]", "strips of loop l", "seed, in local memory", "inferred, left alone"):
        assert word in words(tiles)
    plans = [{one["name"]: one["value"] for one in plan["parameters"]} for plan in staging["surface"]]
    for name in ("TB_X", "TB_Y"):
        assert {str(plan[name]) for plan in plans} <= set(words(surface))
        assert f"{name}, iterations along {name[-1].lower()}" in words(surface)
    assert len([word for word in words(surface) if word.endswith("iB")]) == len(plans)
    assert len([word for word in words(surface) if word.startswith("best")]) == 1
    assert len([word for word in words(surface) if word.endswith("next")]) == 1


def test_one_size_makes_bars(compiled):
    _, surface, _banks = drawings(page([compiled(SAMPLES / "mv.c")]))
    assert "TB_X, iterations along x" in words(surface)
    assert not any("TB_Y" in word for word in words(surface))
    assert any("best" in word for word in words(surface))


def test_the_same_program_makes_the_same_page(compiled):
    assert page([compiled(SAMPLES / "gemm.c")]) == page([compiled(SAMPLES / "gemm.c")])


def test_without_local_memory_there_are_no_pictures(compiled):
    text = page([compiled(SAMPLES / "gemm.c", Options(share=Share.OFF))])
    assert drawings(text) == []
    assert "kernel gemm_l12_0: work-group" in text


def test_what_looks_like_a_tag_is_text(compiled):
    program = """
void f(int n, int *restrict a) {
#pragma acc kernels loop
  for (int i = 0; i < n; i++) a[i] = i <n> 0; /* <script>alert(1)</script> */
}
""".replace("i <n> 0", "i < n")
    text = page([compiled(program)])
    assert "<script" not in text
    assert "<script>alert(1)</script>" in "".join(Page(text).words)


def test_a_region_on_the_host_and_a_pragma_that_cannot_be_read_are_in_it(compiled):
    program = """
int g(int);
void f(int n, int *restrict a) {
#pragma acc kernels loop
  for (int i = 0; i < n; i++) a[i] = g(i);
#pragma acc parallell
}
"""
    said = "".join(Page(page([compiled(program)])).words)
    assert "stays on the host" in said
    assert "ACC204" in said
    assert "line 6: error: unknown directive parallell" in said


def test_without_matplotlib_the_way_out_is_named(tmp_path):
    missing = (
        "import sys; sys.modules['matplotlib'] = None; from accshare.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", missing, "explain", str(SAMPLES / "mt.c")]
    done = subprocess.run([*command, "--html"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "-m pip install 'matplotlib" in done.stderr
    assert list(tmp_path.iterdir()) == []
    text = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "transpose" in text.stdout


def test_a_report_can_be_written_to_a_file(tmp_path):
    explain = ("explain", SAMPLES / "mt.c")
    assert accshare(*explain, "--json", "-o", "a.json", cwd=tmp_path).returncode == 0
    assert json.loads((tmp_path / "a.json").read_text())["schema"] == 1
    assert accshare(*explain, "--html", cwd=tmp_path).returncode == 0
    assert (tmp_path / "report.html").read_text().startswith("<!DOCTYPE html>")
    done = accshare(*explain, "-o", "no/such/folder", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "accshare: no/such/folder: No such file or directory\n"


def test_iterations_that_run_by_fronts_or_in_bands_are_drawn(tmp_path):
    source, out = tmp_path / "sweeps.c", tmp_path / "report.html"
    source.write_text("""
void relaxed(int steps, int n, float A[n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      A[i] = (A[i - 1] + A[i] + A[i + 1]) / 3;
}
void upwards(int m, int n, int p[m][n])
{
#pragma acc kernels
  for (int row = m - 2; row >= 0; row--)
    for (int column = 1; column < n; column++)
      p[row][column] += p[row + 1][column] + p[row][column - 1];
}
void averaged(int count, int n, float A[restrict n], float B[restrict n])
{
#pragma acc kernels
  for (int step = 0; step < count; step++) {
    for (int k = 1; k < n - 1; k++)
      B[k] = (A[k - 1] + A[k + 1]) / 2;
    for (int k = 1; k < n - 1; k++)
      A[k] = (B[k - 1] + B[k + 1]) / 2;
  }
}
""")
    accshare("explain", "--html", "--acc-target=native", source, "-o", out)
    text = out.read_text()
    steps, table, bands = (set(words(drawing)) for drawing in drawings(text))
    assert steps == {"loop t", "loop i"}
    assert table == {"downwards: loop row", "loop column"}
    assert "(the same 2*t + i)" in text
    assert text.count("a shade is a launch of tiles") == 2
    assert bands == {"loop step", "loop k"}
    assert "Steps of loop step, of 2 sweeps each, in bands of loop k: the first launch runs what is light" in text
