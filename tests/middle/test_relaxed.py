"""What becomes of the dependences that loops carry."""

import pytest

from accshare.frontend.parse import parse
from accshare.options import Options
from accshare.poly import model
from accshare.pragma import read
from accshare.relax import relax
from accshare.relax.ir import Kind
from accshare.source import SourceFile

pytestmark = pytest.mark.quick

LOOPS = """
int a[9000], b[900], c[900], m[99][99];
void f(int n, int k, int t) {
#pragma acc kernels
{
int s = 0;
for (int hard = 1; hard < n; hard++) a[hard] = a[hard - 1] + 1;
for (int guarded = 0; guarded < n; guarded++) a[guarded + k] = a[guarded];
#pragma acc loop independent
for (int trusted = 0; trusted < n; trusted++) a[b[trusted]] = 1;
for (int combined = 0; combined < n; combined++) s += c[combined];
for (int private = 0; private < n; private++) { t = c[private]; c[private] = 2 * t; }
for (int unordered = 0; unordered < n; unordered++) {
#pragma acc atomic
  a[b[unordered]] += s;
}
for (int none = 0; none < n; none++)
  for (int element = 0; element < n; element++) m[none][3] += c[element];
#pragma acc loop independent
for (int broken = 1; broken < n; broken++) b[broken] = b[broken - 1];
#pragma acc loop seq
for (int seq = 0; seq < n; seq++) b[seq] = seq;
}
}
"""


@pytest.fixture(scope="module")
def relaxed():
    source = SourceFile.of("f.c", LOOPS)
    return relax(model(parse(source, read(source).directives).regions[0]), Options())


def kinds(order):
    return {one.kind for one in order.carried}


def test_each_dependence_is_what_its_loop_makes_of_it(relaxed):
    found = {order.loop.iterator.name: kinds(order) for order in relaxed.loops}
    wanted = {kind.value: {kind} for kind in Kind}
    assert found == wanted | {"none": set(), "element": {Kind.HARD}, "broken": {Kind.HARD}, "seq": set()}


def test_only_hard_dependences_and_directives_make_loops_serial(relaxed):
    codes = {o.loop.iterator.name: o.reason.code for o in relaxed.loops if o.reason is not None}
    assert codes == {"hard": "ACC302", "element": "ACC302", "broken": "ACC302", "seq": "ACC308"}
    assert all(order.parallel == (order.loop.iterator.name not in codes) for order in relaxed.loops)
    assert [o.broken_promise.code for o in relaxed.loops if o.broken_promise is not None] == ["ACC303"]


def test_what_a_parallel_loop_stands_on(relaxed):
    orders = {order.loop.iterator.name: order for order in relaxed.loops}
    assert [one.promised for one in orders["trusted"].assumed] == [True]
    assert {one.promised for one in orders["guarded"].assumed} == {False}
    assert all(guard.reason.endswith("share elements of a") for guard in orders["guarded"].guards)
    assert len(orders["guarded"].guards) == len(orders["guarded"].assumed)
    assert orders["private"].private == {"t"}
    assert [r.variable.name for r in orders["combined"].reductions] == ["s"]


def test_elements_are_combined_into_where_that_is_asked(relaxed):
    element = next(order.loop for order in relaxed.loops if order.loop.iterator.name == "element")
    assert [r.variable.name for r in relaxed.order(element, elements=True).reductions] == ["m"]
    assert not relaxed.order(element).parallel
    hard = relaxed.loops[0].loop
    assert relaxed.order(hard, elements=True) is relaxed.order(hard)
