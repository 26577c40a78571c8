"""The proof covers kernels in parts: what combines the parts has to stand where the loop stood."""

from dataclasses import replace

import pytest

from accshare.device import preset
from accshare.diagnostics import Rejected
from accshare.frontend.parse import parse
from accshare.kernel import lower
from accshare.kernel.checks.validate import Placed, validate
from accshare.kernel.generate.codegen import work
from accshare.kernel.generate.space import space_of
from accshare.mapping import map_to
from accshare.options import Options
from accshare.poly import model
from accshare.pragma import read
from accshare.relax import relax
from accshare.schedule import schedule
from accshare.schedule.ir import Sequence, Versions
from accshare.source import SourceFile
from accshare.target import adaptation

pytestmark = pytest.mark.quick

OF_A_SCALAR = """
for (int i = 0; i < m; i++) {
  int sum = 0;
  for (int k = 0; k < n; k++) sum += a[i][k];
  b[i] = sum;
}
"""
OF_AN_ELEMENT = """
for (int i = 0; i < m; i++) {
  b[i] *= 2;
  for (int k = 0; k < n; k++) b[i] += a[i][k];
  c[i] = b[i];
}
"""
ALONE = """
for (int i = 0; i < m; i++)
  for (int k = 0; k < n; k++) b[i] += a[i][k];
"""
SCALED = """
for (int i = 0; i < m; i++) {
  int sum = 0, scale = b[i];
  for (int k = 0; k < n; k++) sum += a[i][k] * scale;
  b[i] = sum;
}
"""
TWO_LOOPS = """
for (int i = 0; i < m; i++) {
  int sum = 0;
  for (int k = 0; k < n; k++) sum += a[i][k];
  for (int k = 0; k < n; k++) a[i][k] -= sum;
}
"""
LAST_VALUE = """
for (int i = 0; i < m; i++) {
  int sum = 0, last = 0;
  for (int k = 0; k < n; k++) { last = a[i][k]; sum += last; }
  b[i] = sum + last;
}
"""
SHORT = """
for (int i = 0; i < m; i++)
  for (int k = 0; k < 99; k++) b[i] += a[i][k];
"""
OWN_ROW = """
for (int i = 0; i < m; i++)
  for (int k = 0; k < n; k++) a[i][0] += a[i][k];
"""


def mapped(body):
    """The schedule of a kernels region around `body`."""
    text = f"""
int a[99][99999], b[99], c[99];
void f(int m, int n) {{
#pragma acc kernels
{{
{body}
}}
}}
"""
    source = SourceFile.of("f.c", text)
    return schedule(relax(model(parse(source, read(source).directives).regions[0]), Options()), Options())


def lowered(scheduled, target):
    options = Options()
    return lower(map_to(scheduled, preset(target), options), options, adaptation(preset(target)))


@pytest.mark.parametrize("body", [OF_A_SCALAR, OF_AN_ELEMENT, ALONE])
@pytest.mark.parametrize("target", ["generic-gpu", "generic-cpu"])
def test_a_kernel_has_two_forms(body, target):
    assert isinstance(mapped(body).tree, Versions)
    names = [kernel.name for kernel in lowered(mapped(body), target).kernels]
    assert names == ["f_l4_0", "f_l4_0_split", "f_l4_0_finalize"]


@pytest.mark.parametrize("body", [SCALED, TWO_LOOPS, LAST_VALUE, SHORT, OWN_ROW])
def test_a_kernel_has_one_form_where_parts_are_not_legal_or_not_worth_it(body):
    assert not isinstance(mapped(body).tree, Versions)


def test_rows_that_a_work_item_has_at_once_have_results_of_their_own():
    scheduled, options = mapped(OF_A_SCALAR), Options()
    plan = map_to(scheduled, preset("generic-cpu"), options)
    spaces = [space_of(scheduled.scop, nest.placement) for nest in plan.nests]
    placed = tuple(Placed(space, work(space, space.context).order) for space in spaces)
    with pytest.raises(Rejected) as why:
        validate(scheduled, placed)
    assert "combine what several iterations have of sum into one" in why.value.diagnostic.message


def reordered(scheduled, order):
    """The schedule with what follows the parts in another order."""
    both, last = scheduled.tree, scheduled.tree.split.finalize
    inside = Sequence(tuple(last.inside.children[k] for k in order))
    last = replace(last, child=replace(last.child, child=inside))
    return replace(scheduled, tree=replace(both, split=replace(both.split, finalize=last)))


@pytest.mark.parametrize("order", [(1, 0, 2), (0, 2, 1)])
@pytest.mark.parametrize("body", [OF_A_SCALAR, OF_AN_ELEMENT])
def test_parts_have_to_be_combined_where_the_loop_stood(body, order):
    assert lowered(reordered(mapped(body), (0, 1, 2)), "generic-gpu").kernels
    with pytest.raises(Rejected) as why:
        lowered(reordered(mapped(body), order), "generic-gpu")
    assert why.value.diagnostic.code == "ACC902"
