"""The proofs about staging have teeth: what is spoilt between stages is refused, and so is a kernel without a
barrier."""

from dataclasses import replace

import islpy as isl
import pytest

from accshare.device import preset
from accshare.diagnostics import Rejected
from accshare.frontend.parse import parse
from accshare.kernel import lower
from accshare.kernel.checks.beyond import check_beyond
from accshare.kernel.checks.races import check_races
from accshare.kernel.generate.grid import grid
from accshare.kernel.generate.space import space_of
from accshare.kernel.ir import AS_WRITTEN, Barrier, Guarded, Loop
from accshare.kernel.local.group import staged_work
from accshare.mapping import map_to
from accshare.mapping.gpu.banks import place
from accshare.mapping.ir import Layout, NestPlan, Plan, cut
from accshare.options import Ilp, Options, Share
from accshare.poly import model
from accshare.pragma import read
from accshare.relax import relax
from accshare.schedule import schedule
from accshare.source import SourceFile
from accshare.target import adaptation

pytestmark = pytest.mark.quick

PRODUCT = """
for (int i = 0; i < n; i++)
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++)
      c[i][j] += a[i][k] * b[k][j];
"""
STENCIL = """
for (int i = 1; i < n - 1; i++)
  for (int j = 1; j < n - 1; j++)
    b[i][j] = a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];
"""
ROWS = """
for (int i = 0; i < n; i++)
  for (int k = 1; k < n; k++)
    a[i][k] += a[i][k - 1];
"""
HORNER = """
for (int i = 0; i < n; i++) {
  x[i] = 1;
  for (int k = 0; k < n; k++)
    x[i] = x[i] * y[k] + a[i][k];
  x[i] += 2;
}
"""
BLUR = """
for (int i = 2; i < n - 2; i++)
  for (int j = 2; j < n - 2; j++) {
    float sum = 0;
    for (int k = -2; k < 3; k++)
      sum += a[i][j + k];
    b[i][j] = sum;
  }
"""
WHOLE = """
for (int i = 1; i < n - 1; i++)
  for (int j = 2; j < 958; j++)
    b[i][j] = a[i - 1][j - 2] + a[i - 1][j + 2] + a[i + 1][j - 2] + a[i + 1][j + 2] + a[i][j - 2] + a[i][j + 2];
"""
PROGRAMS = (PRODUCT, STENCIL, ROWS, HORNER)
OPTIONS = Options(share=Share.FORCE, ilp=Ilp(automatic=False))


def partitioned(body):
    """The partition of a kernels region around `body`, with all arrays in local memory."""
    text = f"""
float a[900][960], b[900][960], c[900][960], x[900], y[900];
void f(int n) {{
#pragma acc kernels
{{
{body}
}}
}}
"""
    source = SourceFile.of("f.c", text)
    scheduled = schedule(relax(model(parse(source, read(source).directives).regions[0]), OPTIONS), OPTIONS)
    return map_to(scheduled, preset("generic-gpu"), OPTIONS).partition


def lowered(cut_up, spoil=lambda placement: placement):
    """The kernels of a partition, after a change of its placement."""
    placed = spoil(place(cut_up, OPTIONS))
    return lower(Plan(placed, tuple(map(NestPlan, placed.nests))), OPTIONS, adaptation(cut_up.device))


def of_nest(change):
    """A change of the only nest, as one of a partition or a placement."""
    return lambda stage: replace(stage, nests=(change(stage.nests[0]),))


def of_tile(name, **changes):
    """A change of what is staged of an array; functions get the old value and the nest."""

    def changed(nest):
        def spoilt(staged):
            return {k: v(getattr(staged, k), nest) if callable(v) else v for k, v in changes.items()}

        return anew(nest, staged=tuple(replace(s, **spoilt(s)) if is_called(s, name) else s for s in nest.staged))

    return of_nest(changed)


def anew(nest, **changes):
    """A kernel cut in another way."""
    kept = {"grid": nest.nest.grid, "strips": nest.strips, "staged": nest.staged}
    return replace(nest, nest=cut(nest.nest, **{**kept, **changes}))


def is_called(staged, name):
    return staged.variable.name == name


def shorter(axis):
    return lambda lengths, nest: tuple(n - (k == axis) for k, n in enumerate(lengths))


def of_grid(change):
    return of_nest(lambda nest: anew(nest, grid=tuple(map(change, nest.nest.grid))))


def laid_out(name, order, padding):
    def changed(nest):
        layout = Layout(order, padding)
        return replace(
            nest, tiles=tuple(replace(t, layout=layout) if is_called(t.staged, name) else t for t in nest.tiles)
        )

    return of_nest(changed)


def remapped(matrix):
    return of_nest(lambda nest: replace(nest, remap=matrix))


def rotated(placement):
    return of_nest(lambda nest: replace(nest, rotated=tuple(s.loop for s in nest.partition.strips)))(placement)


WRONG_SIZES = [
    (PRODUCT, of_tile("a", lengths=shorter(0)), "tile of a is too small"),
    (PRODUCT, of_tile("a", lengths=shorter(1)), "tile of a is too small"),
    (PRODUCT, of_tile("c", lengths=shorter(1)), "tile of c is too small"),
    (STENCIL, of_tile("a", lengths=shorter(0)), "tile of a is too small"),
    (STENCIL, of_tile("a", lengths=shorter(1)), "tile of a is too small"),
    (STENCIL, of_tile("b", lengths=shorter(1)), "tile of b is too small"),
    (ROWS, of_tile("a", lengths=shorter(1)), "tile of a is too small"),
    (PRODUCT, of_nest(lambda n: anew(n, strips=(replace(n.strips[0], size=64),))), "is too small"),
    (PRODUCT, of_grid(lambda d: replace(d, size=d.size * 2)), "is too small"),
    (PRODUCT, of_grid(lambda d: replace(d, threads=d.threads - 1)), "share its tile evenly"),
    (PRODUCT, of_grid(lambda d: replace(d, axis=0)), "share its tile evenly"),
]
WRONG_COPIES = [
    (PRODUCT, of_tile("a", reads=False), "tile of a is read before anything is in it"),
    (PRODUCT, of_tile("c", reads=False), "tile of c is read before anything is in it"),
    (ROWS, of_tile("a", reads=False), "tile of a is read before anything is in it"),
    (PRODUCT, of_tile("c", writes=False), "not everything goes through it"),
    (STENCIL, of_tile("b", writes=False), "not everything goes through it"),
    (ROWS, of_tile("a", accesses=lambda accesses, nest: accesses[1:]), "not everything goes through it"),
    (ROWS, of_tile("a", accesses=lambda accesses, nest: accesses[:-1]), "not everything goes through it"),
    (HORNER, of_tile("x", accesses=lambda accesses, nest: accesses[1:]), "not everything goes through it"),
    (PRODUCT, of_tile("a", width=3), "vectors that are not all there"),
    (PRODUCT, of_tile("a", width=4), "vectors that are not all there"),  # n may be no multiple of 4
    (STENCIL, of_tile("a", width=2), "vectors that are not all there"),
    (WHOLE, of_grid(lambda d: replace(d, begin=1)), "vectors that are not all there"),
]
WRONG_PLACES = [
    (PRODUCT, laid_out("a", (0, 0), 0), "one place for several elements"),
    (PRODUCT, laid_out("a", (0, 1), -1), "one place for several elements"),
    (PRODUCT, remapped(((1, 0), (1, 0))), "two work-items of a group have one place"),
    (PRODUCT, remapped(((0, 1), (1, 0))), "two work-items of a group have one place"),  # 32 by 8
    (HORNER, rotated, "the iterations of k have an order, by x"),
    (ROWS, rotated, "the iterations of k have an order, by a"),
]
RIGHT = [
    (HORNER, of_tile("x", reads=False), lambda placement: placement),  # written there first
    (STENCIL, of_tile("a", accesses=lambda accesses, nest: accesses[1:]), lambda placement: placement),
    (PRODUCT, lambda cut: cut, laid_out("a", (1, 0), 3)),
    (PRODUCT, lambda cut: cut, remapped(((1, 1), (0, 1)))),
    (PRODUCT, lambda cut: cut, rotated),
]


def refusal(cut, spoil=lambda placement: placement):
    with pytest.raises(Rejected) as caught:
        lowered(cut, spoil)
    assert caught.value.diagnostic.code == "ACC902"
    return caught.value.diagnostic.message


@pytest.mark.parametrize(("body", "spoil", "message"), [*WRONG_SIZES, *WRONG_COPIES])
def test_a_wrong_tile_is_refused(body, spoil, message):
    cut = partitioned(body)
    lowered(cut)
    assert message in refusal(spoil(cut))


@pytest.mark.parametrize(("body", "spoil", "message"), WRONG_PLACES)
def test_a_wrong_place_is_refused(body, spoil, message):
    assert message in refusal(partitioned(body), spoil)


@pytest.mark.parametrize(("body", "cut_change", "place_change"), RIGHT)
def test_what_changes_no_value_is_accepted(body, cut_change, place_change):
    assert lowered(cut_change(partitioned(body)), place_change).kernels[0].local


def beyond(body):
    """What runs for iterations that don't exist, and all else that `check_beyond` looks at."""
    cut_up = partitioned(body)
    space = space_of(cut_up.schedule.scop, place(cut_up, OPTIONS).nests[0])
    own = staged_work(space, space.context.intersect(grid(space).starts), AS_WRITTEN.strips)
    return space, own.work.beyond, own.tiles, own.registers


@pytest.mark.parametrize(("body", "names"), [(BLUR, 2), (HORNER, 0), (STENCIL, 0)])
def test_what_only_computes_runs_for_iterations_that_do_not_exist(body, names):
    space, found, *rest = beyond(body)
    assert len(found) == names
    for name, instances in found:
        (statement,) = (s for s in space.partition.nest.statements if s.name == name)
        assert space.launched(statement).is_strict_subset(instances)
    check_beyond(space, found, *rest)


@pytest.mark.parametrize(
    ("number", "change", "message"),
    [
        (1, lambda every: every.upper_bound_val(isl.dim_type.set, 2, 1), "changes what is stored"),
        (1, lambda every: every.drop_constraints_involving_dims(isl.dim_type.set, 2, 1), "changes what is stored"),
        (0, lambda every: every.subtract(every), "changes what is stored"),
        (2, lambda every: every, "needs global memory"),
    ],
)
def test_what_would_be_seen_of_iterations_that_do_not_exist_is_refused(number, change, message):
    space, found, tiles, _ = beyond(BLUR)
    statement = space.partition.nest.statements[number]
    instances = dict(found).get(statement.name, space.launched(statement))
    with pytest.raises(Rejected) as caught:
        check_beyond(space, ((statement.name, change(instances)),), tiles, frozenset())
    assert message in caught.value.diagnostic.message


def test_what_would_leave_its_tile_is_refused():
    space, found, tiles, registers = beyond(BLUR)
    check_beyond(space, found, tiles, registers)
    narrower = tuple(replace(t, staged=replace(t.staged, lengths=(t.staged.lengths[0], 4))) for t in tiles)
    with pytest.raises(Rejected, match="leaves its tile"):
        check_beyond(space, found, narrower, registers)


def barriers(stmts):
    return sum(
        isinstance(s, Barrier)
        or (isinstance(s, Loop) and barriers(s.body))
        or (isinstance(s, Guarded) and barriers(s.then) + barriers(s.other))
        for s in stmts
    )


def without(stmts, number):
    """`stmts` without one of their barriers."""
    result = []
    for stmt in stmts:
        here = barriers((stmt,))
        if not 0 <= number < here:
            result.append(stmt)
        elif isinstance(stmt, Loop):
            result.append(replace(stmt, body=without(stmt.body, number)))
        elif isinstance(stmt, Guarded):
            then = barriers(stmt.then)
            result.append(replace(stmt, then=without(stmt.then, number), other=without(stmt.other, number - then)))
        number -= here
    return tuple(result)


def but(name):
    """Without a tile for an array."""
    return of_nest(lambda nest: anew(nest, staged=tuple(s for s in nest.staged if not is_called(s, name))))


@pytest.mark.parametrize(
    ("body", "aside", "exchanged"),
    [
        (PRODUCT, "c", set()),  # with a tile for c too, barriers come twice
        (STENCIL, "", set()),
        (ROWS, "", {"a"}),
        (HORNER, "x", set()),
    ],
)
def test_a_kernel_without_one_of_its_barriers_is_refused(body, aside, exchanged):
    (kernel,) = lowered(but(aside)(partitioned(body))).kernels
    check_races(kernel, frozenset(exchanged))
    count = barriers(kernel.body)
    assert count >= 2
    for number in range(count):
        with pytest.raises(Rejected, match=r"meet in \w+ without a barrier"):
            check_races(replace(kernel, body=without(kernel.body, number)), frozenset(exchanged))
