"""Vectors along loops inside an iteration: where they may be, and that the proof refuses them elsewhere."""

from dataclasses import replace

import pytest

from accshare.device import preset
from accshare.diagnostics import Rejected
from accshare.frontend.parse import parse
from accshare.kernel import lower
from accshare.mapping import map_to
from accshare.options import Options
from accshare.poly import model
from accshare.pragma import read
from accshare.relax import relax
from accshare.schedule import schedule
from accshare.schedule.ir import Band, Role, Versions, in_order, steps
from accshare.source import SourceFile
from accshare.target import adaptation

pytestmark = pytest.mark.quick

SUM = """
for (int i = 0; i < m; i++) {
  int sum = 0;
  for (int k = 0; k < n; k++) sum += a[i][k] * c[k];
  b[i] = sum;
}
"""
TOTAL_TOO = """
for (int i = 0; i < m; i++) {
  int sum = 0;
  for (int k = 0; k < n; k++) sum += a[i][k] * c[k];
  total += sum;
}
"""
TEMPORARY = """
for (int i = 0; i < m; i++) {
  int sum = 0, last;
  for (int k = 0; k < n; k++) { last = a[i][k]; sum += last * last; }
  b[i] = sum;
}
"""
LAST_VALUE = """
for (int i = 0; i < m; i++) {
  int sum = 0, last = 0;
  for (int k = 0; k < n; k++) { last = a[i][k]; sum += last; }
  b[i] = sum + last;
}
"""
PREFIX = """
for (int i = 0; i < m; i++) {
  b[i] = 0;
  for (int k = 1; k < n; k++) a[i][k] += a[i][k - 1];
}
"""
CLAUSE = """
for (int i = 0; i < m; i++) {
  float sum = 0;
  #pragma acc loop reduction(+:sum)
  for (int k = 0; k < n; k++) sum += x[i][k] * z[k];
  y[i] = sum;
}
"""
NO_CLAUSE = CLAUSE.replace("#pragma acc loop reduction(+:sum)", "")
IN_ORDER_THEN_FREE = NO_CLAUSE.replace("y[i] = sum;", "for (int k = 0; k < n; k++) x[i][k] /= sum;")
#: vectors of rows, for the sake of the root
ROOTS_THEN_FREE = IN_ORDER_THEN_FREE.replace("x[i][k] * z[k]", "sqrtf(x[i][k])")
OTHER_CLAUSE = CLAUSE.replace("+:sum", "*:sum")
COLUMNS = CLAUSE.replace("x[i][k]", "x[k][i]")


def mapped(body):
    """The schedule of a kernels region around `body`."""
    text = f"""
int a[99][999], b[999], c[999], total;
short g[999][999], h[999];
unsigned short o[999][999];
float x[999][999], w[999][999], y[999], z[999];
void f(int m, int n) {{
#pragma acc kernels
{{
{body}
}}
}}
"""
    source = SourceFile.of("f.c", text)
    return schedule(relax(model(parse(source, read(source).directives).regions[0]), Options()), Options())


def lowered(scheduled):
    options = Options()
    return lower(map_to(scheduled, preset("xeon-8480"), options), options, adaptation(preset("xeon-8480")))


def vectors_along_loops(body):
    return lowered(mapped(body)).kernels[0].register_tile.reduction is not None


@pytest.mark.parametrize("body", [SUM, TOTAL_TOO, TEMPORARY, CLAUSE, IN_ORDER_THEN_FREE])
def test_vectors_lie_along_loops_that_only_combine_or_are_free(body):
    assert vectors_along_loops(body)


@pytest.mark.parametrize("body", [LAST_VALUE, NO_CLAUSE, ROOTS_THEN_FREE, OTHER_CLAUSE, COLUMNS])
def test_others_keep_their_order_or_have_vectors_of_columns(body):
    assert not vectors_along_loops(body)


#: compilers have an instruction for two products of these and their sum
SHORTS = SUM.replace("a[i][k] * c[k]", "g[i][k] * h[k]")
NOT_ALL_SHORT = SUM.replace("a[i][k]", "g[i][k]")
UNSIGNED = SUM.replace("a[i][k] * c[k]", "o[i][k] * h[k]")
SHIFTED = SHORTS.replace("g[i][k] * h[k]", "g[i][k] * h[k] >> 2")
SQUARES = SHORTS.replace("h[k]", "g[i][k]")
DOWN_A_COLUMN = SHORTS.replace("g[i][k]", "g[k][i]")


@pytest.mark.parametrize("body", [NOT_ALL_SHORT, UNSIGNED, SHIFTED, SQUARES, DOWN_A_COLUMN])
def test_sums_of_other_products_are_in_vectors(body):
    assert lowered(mapped(body)).kernels[0].register_tile


def test_sums_of_products_of_short_numbers_stay_as_they_are_for_compilers():
    assert lowered(mapped(SHORTS)).kernels[0].register_tile is None


SCALED = "for (int i = 0; i < m; i++) for (int k = 0; k < n; k++) x[i][k] += y[i] * z[k];"
TURNED = "for (int i = 0; i < m; i++) for (int k = 0; k < n; k++) x[i][k] += w[k][i];"


def test_tiles_are_long_rows_but_where_an_array_is_read_across():
    def columns(body):
        nest = map_to(mapped(body), preset("xeon-8480"), Options()).nests[0]
        return next(m.size for m in nest.placement.partition.nest.grid if m.axis == 0)

    assert columns(SCALED) > columns(TURNED)


def plain(scheduled):
    node = scheduled.tree
    return node.plain if isinstance(node, Versions) else node


def taken_for(scheduled, **changes):
    """The schedule in which other things are said of the loop inside."""
    kernel = plain(scheduled)

    def changed(node):
        (member,) = node.members if isinstance(node, Band) else (None,)
        return replace(node, members=(replace(member, **changes),)) if member else node

    inside = in_order(tuple(map(changed, steps(kernel.inside))))
    return replace(scheduled, tree=replace(kernel, child=replace(kernel.child, child=inside)))


def reduction_forgotten(scheduled):
    (known,) = plain(scheduled).reassociable
    return taken_for(scheduled, reductions=(), private=known.private | {"sum"})


def needed_value_private(scheduled):
    (other,) = plain(mapped(SUM)).reassociable
    return taken_for(scheduled, role=Role.REASSOCIABLE, reductions=other.reductions, private=frozenset({"last"}))


def serial_loop_in_no_order(scheduled):
    return taken_for(scheduled, role=Role.REASSOCIABLE)


@pytest.mark.parametrize(
    ("body", "spoil", "message"),
    [
        (SUM, reduction_forgotten, "another value of sum"),
        (LAST_VALUE, needed_value_private, "another value of"),
        (PREFIX, serial_loop_in_no_order, "dependence on a"),
    ],
    ids=lambda v: getattr(v, "__name__", None),
)
def test_a_wrong_claim_about_a_loop_is_refused(body, spoil, message):
    scheduled = mapped(body)
    assert lowered(scheduled).kernels
    with pytest.raises(Rejected) as caught:
        lowered(spoil(scheduled))
    assert caught.value.diagnostic.code == "ACC902"
    assert message in caught.value.diagnostic.message
