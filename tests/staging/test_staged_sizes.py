"""Work-groups, strips, padding and iterations side by side of many sizes leave results as they are."""

import subprocess

import pytest
from calls import check_where, simulate

from accshare.device import preset
from accshare.driver.paths import runtime_library
from accshare.options import Ilp, Options, Share
from accshare.pipeline import compile_unit
from accshare.source import SourceFile

pytestmark = pytest.mark.usefixtures("opencl")

#: settings of the kernels of `product` and `blur`, which say what they are called
SETTINGS = [
    "--acc-ilp=Y:2,X:2",
    "--acc-ilp=Y:4",
    "--acc-ilp=off --acc-choose={product}:TB_X=64,TB_Y=4,k=8,PAD=1 --acc-choose={blur}:TB_X=32,TB_Y=2,PAD=3",
]
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"
PRODUCT = """
extern int printf(const char *, ...);
float a[40][40], b[40][40], c[40][40];
int main(int argc, char **argv)
{
  int total = 0, n = 39 + argc;
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++) {
      a[i][j] = i % 3;
      b[i][j] = j % 5;
    }
#pragma acc kernels loop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++)
      total += c[i][j];
  printf("total %d\\n", total);
  return 0;
}
"""


@pytest.fixture(scope="module")
def kernels(workshop):
    """The names of the kernels, by the functions they come from."""
    words = (w for c in workshop.calls("sizes", "generic-gpu") for n in c.notices for w in n.split())
    names = {w.removeprefix("kernel=") for w in words if w.startswith("kernel=")}
    return {name.split("_")[0]: name for name in names}


@pytest.mark.thorough
@pytest.mark.parametrize("settings", SETTINGS)
def test_sizes_change_no_result(workshop, kernels, settings):
    options = settings.format(**kernels).split()
    calls = workshop.calls("sizes", "generic-gpu", "--acc-share=force", *options)
    assert [(c.text, c.result) for c in calls] == workshop.host_results("sizes")
    check_where(calls)


@pytest.fixture
def multiplying(tmp_path):
    """The program `PRODUCT`, with or without one of the barriers of its kernel."""

    def built(missing):
        options = Options(share=Share.ON, ilp=Ilp(automatic=False))
        source = SourceFile.of("product.c", PRODUCT)
        host = compile_unit(source, (preset("generic-gpu"),), options, runtime_library()).host
        parts = host.split(BARRIER)
        assert len(parts) == 3
        text, program = tmp_path / "product.i", tmp_path / "product"
        kept = [";" if number == missing else BARRIER for number in range(2)]
        text.write_text(parts[0] + kept[0] + parts[1] + kept[1] + parts[2], encoding="latin-1")
        subprocess.run(["gcc", str(text), "-o", str(program)], check=True)
        return program

    return built


@pytest.mark.thorough
def test_staged_kernels_are_free_of_races_and_need_their_barriers(multiplying, tmp_path):
    printed, complaints = simulate(multiplying(None), tmp_path)
    assert complaints == ""
    for number in range(2):
        assert "data race" in simulate(multiplying(number), tmp_path)[1]
    host = subprocess.run(["gcc", "-xc", "-", "-o", str(tmp_path / "host")], input=PRODUCT, text=True, check=True)
    assert host.returncode == 0
    assert subprocess.run([tmp_path / "host"], capture_output=True, text=True, check=True).stdout == printed
