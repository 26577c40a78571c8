"""The proofs have teeth: a wrong schedule and a wrong kernel are refused."""

from dataclasses import replace

import islpy as isl
import pytest

from accshare.device import preset
from accshare.diagnostics import Rejected
from accshare.frontend.ir import INT
from accshare.frontend.parse import parse
from accshare.islexpr import binary, literal, variable
from accshare.kernel import lower
from accshare.kernel.checks.verify import verify
from accshare.kernel.ir import Barrier, Define, Fence, Guarded
from accshare.mapping import map_to
from accshare.options import Options
from accshare.poly import model
from accshare.poly.ir import Mode
from accshare.pragma import read
from accshare.relax import relax
from accshare.schedule import schedule
from accshare.schedule.ir import Band, Leaf, Role, Sequence
from accshare.schedule.separate import separated
from accshare.source import SourceFile
from accshare.target import adaptation

pytestmark = pytest.mark.quick

TARGETS = ("generic-gpu", "generic-cpu")

TWO_KERNELS = """
for (int i = 0; i < n; i++) a[i] = b[i] + 1;
for (int i = 0; i < n; i++) c[i] = a[i] * 2;
"""
SERIAL = """
for (int i = 0; i < n; i++) b[i] = i;
for (int i = 1; i < n; i++) a[i] = a[i - 1] + b[i];
"""
TIME_LOOP = """
for (int t = 1; t < n; t++)
  for (int i = 0; i < 9; i++)
    m[t][i] = m[t - 1][i] + 1;
"""
TOTAL = """
int s = 0;
for (int i = 0; i < n; i++) s += a[i];
for (int i = 0; i < n; i++) b[i] = a[i] + s;
"""
OWN = """
for (int i = 0; i < n; i++) {
  a[i] = 0;
  for (int j = 0; j < 9; j++) {
    int r = m[i][j] * 3;
    c[j + 9 * i] = r + 1;
  }
}
"""
GUARDED = "for (int i = 0; i < n; i++) a[i + k] = a[i];"


def mapped(body):
    """The schedule of a kernels region around `body`."""
    text = f"""
int a[9000], b[900], c[900], m[99][99];
void f(int n, int k) {{
#pragma acc kernels
{{
{body}
}}
}}
"""
    source = SourceFile.of("f.c", text)
    return schedule(relax(model(parse(source, read(source).directives).regions[0]), Options()), Options())


def lowered(scheduled, target="generic-gpu"):
    options = Options()
    return lower(map_to(scheduled, preset(target), options), options, adaptation(preset(target)))


def on_grid(band):
    """The same loop, its iterations spread over work-items."""
    (member,) = band.members
    return replace(band, members=(replace(member, role=Role.GRID),))


def swapped(scheduled):
    return replace(scheduled, tree=Sequence(scheduled.tree.children[::-1]))


def serial_loop_in_parallel(scheduled):
    first, second = scheduled.tree.children
    spread = replace(second, child=on_grid(second.child))
    return replace(scheduled, tree=Sequence((first, spread)))


def time_loop_in_parallel(scheduled):
    kernel, (around,) = scheduled.tree.child, scheduled.tree.members
    grid = (replace(around, role=Role.GRID, axis=1), *kernel.grid)
    return replace(scheduled, tree=replace(kernel, host=(), child=Band(grid, kernel.inside)))


def shared_scalar_made_private(scheduled):
    children = tuple(replace(k, private=k.private | {"s"}, reductions=()) for k in scheduled.tree.children)
    return replace(scheduled, tree=Sequence(children), scratch=())


def with_loops(scheduled, change):
    """The one loop inside of a kernel as others."""
    kernel = scheduled.tree
    inside = [new for node in kernel.inside.children for new in (change(node) if isinstance(node, Band) else [node])]
    return replace(scheduled, tree=replace(kernel, child=Band(kernel.grid, Sequence(tuple(inside)))))


def read_before_it_is_written(scheduled):
    return with_loops(scheduled, lambda band: [replace(band, child=Sequence(band.child.children[::-1]))])


def written_in_all_iterations_first(scheduled):
    return with_loops(scheduled, lambda band: [replace(band, child=part) for part in band.child.children])


def guard_forgotten(scheduled):
    return replace(scheduled, guards=(), assumed=())


BROKEN = [
    (TWO_KERNELS, swapped, "flow dependence on a"),
    (SERIAL, serial_loop_in_parallel, "flow dependence on a"),
    (TIME_LOOP, time_loop_in_parallel, "flow dependence on m"),
    (TOTAL, shared_scalar_made_private, "another value of s"),
    (OWN, read_before_it_is_written, "another value of r"),
    (OWN, written_in_all_iterations_first, "another value of r"),
    (GUARDED, guard_forgotten, "dependence on a"),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("body", "spoil", "message"), BROKEN, ids=lambda v: getattr(v, "__name__", None))
def test_a_wrong_schedule_is_refused(body, spoil, message, target):
    scheduled = mapped(body)
    lowered(scheduled, target)
    with pytest.raises(Rejected) as caught:
        lowered(spoil(scheduled), target)
    assert caught.value.diagnostic.code == "ACC902"
    assert message in caught.value.diagnostic.message


def test_what_a_kernel_is_told_to_read_only_it_writes_nowhere():
    apart = separated(mapped("for (int i = 1; i < n; i++) a[i] = a[0] + b[i];"))
    lowered(apart)
    (statement,) = apart.scop.statements
    part, written = (next(a for a in statement.accesses if test(a)) for test in (is_part, is_written))
    wrong = replace(part, relation=written.relation.set_tuple_name(isl.dim_type.out, part.space))
    broken = replace(statement, accesses=tuple(wrong if a is part else a for a in statement.accesses))
    tree = replace(apart.tree, child=replace(apart.tree.child, child=Leaf(broken)))
    with pytest.raises(Rejected) as caught:
        lowered(replace(apart, tree=tree))
    assert caught.value.diagnostic.code == "ACC902"
    assert "would write what it reads of a" in caught.value.diagnostic.message


def is_part(access):
    return access.variable.part_of == "a"


def is_written(access):
    return access.mode is Mode.WRITE


def refused(kernel):
    with pytest.raises(Rejected) as caught:
        verify(kernel)
    assert caught.value.diagnostic.code == "ACC902"
    return caught.value.diagnostic.message


def test_a_kernel_without_one_of_its_names_is_refused():
    kernel = lowered(mapped(TWO_KERNELS)).kernels[0]
    assert f"{kernel.params[0].name} is used but not declared" in refused(replace(kernel, params=kernel.params[1:]))
    coordinate = next(s for s in kernel.body if isinstance(s, Define))
    without = tuple(s for s in kernel.body if s is not coordinate)
    assert f"{coordinate.symbol.unique} is used but not declared" in refused(replace(kernel, body=without))


def test_a_barrier_that_some_work_items_skip_is_refused():
    kernel = next(k for k in lowered(mapped(TOTAL)).kernels if k.local)
    lane = next(s.symbol for s in kernel.body if isinstance(s, Define) and s.symbol.name == "lane")
    half = binary("<", variable(lane), literal(7, INT), INT)
    body = (*kernel.body, Guarded(half, (Barrier(Fence.LOCAL),)))
    assert "not all work-items" in refused(replace(kernel, body=body))
