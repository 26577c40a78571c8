"""The proof knows nothing of how an order was found: one that dependences forbid is refused, whoever asks for it."""

from __future__ import annotations

from dataclasses import replace

import islpy as isl
import pytest

from accshare.device import preset
from accshare.diagnostics import Rejected
from accshare.frontend.ir import Atomic, Block
from accshare.frontend.parse import parse
from accshare.instances import check_instances
from accshare.kernel import lower
from accshare.kernel.checks.expansions import check_expansions
from accshare.kernel.checks.turned import check_turned
from accshare.mapping import map_to
from accshare.numbers import Number
from accshare.options import Options
from accshare.order import Facts, order
from accshare.order.again import in_blocks_of_rows
from accshare.order.align import shifted
from accshare.order.block import blocked, by_blocks
from accshare.order.carry import Copy, Placed, as_written, rearranged
from accshare.order.copies import in_copy, with_copies
from accshare.order.ir import BLOCK, Word
from accshare.order.remade import Remade
from accshare.order.row_pass import in_row_pass
from accshare.order.split import split, splits
from accshare.order.squares import brought_forward, cut
from accshare.order.tiles import Tile, in_tiles
from accshare.order.upwards import turned_around
from accshare.order.waves import Wave, skewed
from accshare.poly import model
from accshare.poly.ir import Mode
from accshare.pragma import read
from accshare.relax import relax
from accshare.schedule import schedule
from accshare.source import SourceFile
from accshare.target import adaptation

pytestmark = pytest.mark.quick

#: the second loop needs what the first one leaves, in the same iteration of the outer loop and in an earlier one
TWO = """
for (int i = 1; i < n; i++) {
  for (int j = 0; j < n; j++) a[i][j] = b[i][j] + x[j];
  for (int j = 0; j < n; j++) b[i][j] = a[i][j] + a[i - 1][j];
}
"""
#: what the first loop reads of b, the second one changes later
CYCLE = """
for (int i = 1; i < n; i++) {
  for (int j = 0; j < n; j++) a[i][j] = b[i - 1][j] + 1;
  for (int j = 0; j < n; j++) b[i][j] = a[i][j] * 3;
}
"""
#: the dependence goes one row down and one column to the left
SKEWED = "for (int i = 1; i < n; i++) for (int j = 0; j < n - 1; j++) a[i][j] = a[i - 1][j + 1] + b[i][j];"
#: the second nest needs what the next iteration of the first one leaves
NEIGHBOURS = """
for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = x[j] + i;
for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[i][j] = a[i + 1][j] + a[i][j];
"""
#: the second loop has iterations that the first one has not
LONGER = """
for (int i = 0; i < 9; i++) x[i] = i;
for (int i = 2; i < n; i++) y[i] = i * 2;
"""
#: a scalar that each iteration sets before it is used in another statement
SCALAR = """
for (int i = 0; i < n; i++) {
  float s = x[i] * 2;
  for (int j = 0; j < n; j++) a[i][j] = s + j;
}
"""
#: a row's sums take the place of those of the row before
REUSED = """
for (int i = 0; i < n; i++) {
  for (int j = 0; j < n; j++) {
    y[j] = 0;
    for (int k = 0; k < n; k++) y[j] += a[i][k] * b[k][j];
  }
  for (int j = 0; j < n; j++) a[i][j] = y[j];
}
"""


def modelled(body, size=99):
    """A kernels region around `body`."""
    text = f"""
float a[{size}][{size}], b[{size}][{size}], x[{size}], y[{size}];
void f(int n) {{
#pragma acc kernels
{{
{body}
}}
}}
"""
    source = SourceFile.of("f.c", text)
    return model(parse(source, read(source).directives).regions[0])


def lowered(scop, target, options=Options()):  # noqa: B008 - a frozen value
    device = preset(target)
    return lower(map_to(schedule(relax(scop, options), options), device, options), options, adaptation(device))


def interchanged(scop):
    """All statements with their two outermost loops exchanged."""
    for place in map(as_written, scop.statements):
        own = (place.own[1], place.own[0], *place.own[2:])
        yield replace(place, own=own, loops=tuple(map(Copy, own)))


def distributed(*order):
    """Statements in loops of their own, which come in some order."""

    def places(scop):
        for number in order:
            place = as_written(scop.statements[number])
            yield replace(place, loops=tuple(replace(copy, number=number) for copy in place.loops))

    return places


def fused(scop):
    """All statements in the outermost loop of the first one."""
    outermost = Copy(scop.statements[0].loops[0])
    for place in map(as_written, scop.statements):
        yield replace(place, loops=(outermost, *place.loops[1:]))


WRONG = [
    (SKEWED, interchanged, "dependence on a"),
    (TWO, distributed(1, 0), "dependence on"),
    (CYCLE, distributed(0, 1), "dependence on b"),
    (CYCLE, distributed(1, 0), "dependence on"),
    (NEIGHBOURS, fused, "dependence on a"),
    (SCALAR, distributed(0, 1), "another value of s"),
    (LONGER, fused, "loop i leaves out iterations"),
]
#: the same, where they are legal
RIGHT = [
    (TWO, distributed(0, 1)),
    (SKEWED.replace("j + 1", "j"), interchanged),
    (NEIGHBOURS.replace("a[i + 1]", "a[i]"), fused),
    (CYCLE.replace("b[i - 1]", "b[i]"), distributed(0, 1)),
]


@pytest.mark.parametrize("target", ["generic-gpu", "generic-cpu"])
@pytest.mark.parametrize(("body", "places", "message"), WRONG)
def test_an_illegal_order_is_refused(body, places, message, target):
    scop = modelled(body)
    lowered(scop, target)
    with pytest.raises(Rejected) as caught:
        lowered(rearranged(scop, tuple(places(scop))), target)
    assert caught.value.diagnostic.code == "ACC902"
    assert message in caught.value.diagnostic.message


@pytest.mark.parametrize(("body", "places"), RIGHT)
def test_a_legal_order_is_proved(body, places):
    scop = modelled(body)
    assert lowered(rearranged(scop, tuple(places(scop))), "generic-cpu").kernels


#: what an iteration of the outer loop needs of the inner one comes later there
BACK = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i + 1][j] = a[i][j + 1] + b[i][j];"


def test_blocks_of_steps_that_depend_on_later_ones_are_refused():
    scop = modelled(BACK)
    (statement,) = scop.statements
    outer, inner = (by_blocks(scop, (statement,), {statement.name: loop}, BLOCK) for loop in statement.loops)
    assert outer.complete
    assert inner.complete
    lowered(outer.scop, "generic-gpu")
    with pytest.raises(Rejected) as caught:
        lowered(inner.scop, "generic-gpu")
    assert caught.value.diagnostic.code == "ACC902"
    assert "dependence on a" in caught.value.diagnostic.message


#: each unknown needs all before it
SOLVE = """
for (int i = 0; i < n; i++) {
  for (int j = 0; j < i; j++) x[i] -= a[i][j] * x[j];
  x[i] /= a[i][i];
}
"""


def test_rows_behind_a_block_wait_for_its_unknowns():
    scop = modelled(SOLVE)
    found = blocked(Facts(scop), scop.statements)
    *inside, behind = found.places
    assert len(lowered(rearranged(found.scop, found.places), "generic-cpu").kernels) == 2
    with pytest.raises(Rejected) as caught:
        lowered(rearranged(found.scop, (behind, *inside)), "generic-cpu")
    assert "dependence on x" in caught.value.diagnostic.message


#: in each step, a row and a column that earlier and later steps change
PATHS = """
for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)
  a[i][j] = a[i][j] < a[i][k] + a[k][j] ? a[i][j] : a[i][k] + a[k][j];
"""


@pytest.fixture(scope="module")
def paths():
    """Shortest paths in blocks that read copies: the places of squares, rows, columns, products and what copies."""
    scop = modelled(PATHS)
    found = blocked(Facts(scop), scop.statements)
    check_instances(scop, found.scop)
    assert [(len(one.statements), one.original.name) for one in found.scop.copies] == [(3, "a")] * 4
    return found


def first(*names):
    """Some pieces before all others, the last ones of what they are part of."""

    def places(found):
        early = [place for place in found.places if place.statement.name in names]
        return (*early, *(place for place in found.places if place not in early))

    return places


def behind_the_change(found):
    """What is copied before an element changes is copied afterwards."""
    names = [place.statement.name for place in found.places]
    places, where = list(found.places), names.index("S0_1")
    places[where - 1], places[where] = places[where], places[where - 1]
    return places


@pytest.mark.parametrize("places", [first("S0_8"), first("S0_5"), behind_the_change])
def test_pieces_of_a_block_that_run_before_what_they_read_is_there_are_refused(places, paths):
    with pytest.raises(Rejected) as caught:
        lowered(rearranged(paths.scop, tuple(places(paths))), "generic-cpu")
    assert caught.value.diagnostic.code == "ACC902"
    assert "dependence on a" in caught.value.diagnostic.message


@pytest.mark.parametrize("number", [0, 3])
def test_a_copy_that_is_taken_a_step_late_is_refused(number, paths):
    scop = paths.scop
    check_expansions(scop)
    copy = next(s for s in scop.statements if s.name == scop.copies[number].statements[0])
    later = isl.Map("{ [a, k, b, i, c, j, d] -> [a, k + 1, b, i, c, j, d] }")
    late = replace(copy, time=copy.time.apply_range(later))
    pairs = tuple(d.between({copy.name: late}, {}) for d in scop.dependences)
    statements = tuple(late if s is copy else s for s in scop.statements)
    with pytest.raises(Rejected) as caught:
        check_expansions(replace(scop, statements=statements, dependences=pairs))
    assert caught.value.diagnostic.code == "ACC902"
    assert "a copy of a" in caught.value.diagnostic.message


def changed(scop, wanted, change):
    """The region with another relation in the one access that is `wanted`."""
    accesses = [(s, a) for s in scop.statements for a in s.accesses if a.variable == scop.expansions[0].variable]
    ((owner, old),) = [(s, a) for s, a in accesses if wanted(s, a)]
    new = replace(old, relation=change(old.relation))
    statement = replace(owner, accesses=tuple(new if a is old else a for a in owner.accesses))
    pairs = (replace(d, source_access=new) if d.source_access is old else d for d in scop.dependences)
    dependences = tuple(replace(d, sink_access=new) if d.sink_access is old else d for d in pairs)
    statements = tuple(statement if s is owner else s for s in scop.statements)
    return replace(scop, statements=statements, dependences=dependences)


def by_one(relation):
    """With the part before."""
    before = isl.Map("{ [part, j] -> [part - 1, j] }").set_tuple_name(isl.dim_type.out, "y_of_i")
    return relation.apply_range(before.set_tuple_name(isl.dim_type.in_, "y_of_i"))


def without_last(scop):
    """Half of what is to be stored back is not."""
    last = scop.statements[-1]
    kept = last.domain.intersect(isl.Set("{ [j] : j mod 2 = 0 }").set_tuple_name(last.name))
    accesses = tuple(replace(a, relation=a.relation.intersect_domain(kept)) for a in last.accesses)
    fewer = replace(last, domain=kept, time=last.time.intersect_domain(kept), accesses=accesses)
    pairs = tuple(replace(d, sink=fewer) if d.sink is last else d for d in scop.dependences)
    return replace(scop, statements=(*scop.statements[:-1], fewer), dependences=pairs)


WRONGLY_EXPANDED = [
    lambda scop: changed(scop, lambda s, _: s.name == "S2", by_one),
    lambda scop: changed(scop, lambda s, _: s.name == scop.expansions[0].last, by_one),
    without_last,
    lambda scop: replace(
        scop, dependences=tuple(d for d in scop.dependences if d.source_access.variable.name != "y_of_i")
    ),
]


@pytest.mark.parametrize("change", WRONGLY_EXPANDED)
def test_a_wrong_part_is_refused(change):
    scop = order(Facts(modelled(REUSED)), preset("generic-cpu"), Options()).scop
    assert [(one.original.name, one.variable.name) for one in scop.expansions] == [("y", "y_of_i")]
    assert len(lowered(scop, "generic-cpu").scratch) == 1
    with pytest.raises(Rejected) as caught:
        lowered(change(scop), "generic-cpu")
    assert caught.value.diagnostic.code == "ACC902"


#: in each step, elements are read before they change
STEPS = """
for (int t = 0; t < n; t++)
  for (int i = 0; i < n - 1; i++) x[i] = (x[i] + x[i + 1]) / 2;
"""


def recopied(change, own=lambda body: body):
    """The region with another domain of the copy, other elements in it, or another text."""

    def altered(scop):
        copy = next(s for s in scop.statements if s.name == scop.copies[0].statements[0])
        relations = [change(a.relation, a) for a in copy.accesses]
        accesses = tuple(replace(a, relation=r) for a, r in zip(copy.accesses, relations, strict=True))
        domain = relations[1].domain()
        new = replace(copy, body=own(copy.body), domain=domain, time=copy.time.intersect_domain(domain))
        new = replace(new, accesses=accesses)
        known = {id(a): b for a, b in zip(copy.accesses, accesses, strict=True)}
        pairs = (d.between({new.name: new}, known) for d in scop.dependences)
        statements = tuple(new if s is copy else s for s in scop.statements)
        return replace(scop, statements=statements, dependences=tuple(pairs))

    return altered


def only(text):
    """Fewer iterations of the copy."""
    return recopied(lambda relation, _: relation.intersect_domain(isl.Set(text).set_tuple_name("S0_copy")))


def one_on(relation, access):
    """Of the element behind."""
    by = isl.Map("{ [i] -> [i + 1] }").set_tuple_name(isl.dim_type.in_, "x").set_tuple_name(isl.dim_type.out, "x")
    return relation.apply_range(by) if access.mode is Mode.READ else relation


WRONGLY_COPIED = [
    lambda scop: replace(scop, statements=scop.statements[1:]),
    lambda scop: replace(scop, statements=scop.statements[::-1]),
    only("{ [t, i] : i > 0 }"),
    only("{ [t, i] : t mod 2 = 0 }"),
    only("[n] -> { [t, i] : i < n - 1 }"),
    recopied(one_on),
    recopied(lambda relation, _: relation, lambda body: replace(body, op="+=")),
    recopied(lambda relation, _: relation, lambda body: replace(body, value=body.target)),
    lambda scop: replace(
        scop, dependences=tuple(d for d in scop.dependences if d.source_access.variable.name != "x_before")
    ),
    lambda scop: replace(scop, dependences=tuple(d for d in scop.dependences if d.source.name != "S0_copy")),
    lambda scop: replace(scop, dependences=tuple(d for d in scop.dependences if d.sink.name != "S0_copy")),
]


@pytest.mark.parametrize("change", WRONGLY_COPIED)
def test_a_wrong_copy_is_refused(change):
    scop = modelled(STEPS)
    (found,) = with_copies(Facts(scop), scop.statements)
    check_instances(scop, found.scop)
    assert [(one.original.name, one.variable.name) for one in found.scop.copies] == [("x", "x_before")]
    assert len(lowered(found.scop, "generic-cpu").scratch) == 1
    with pytest.raises(Rejected) as caught:
        lowered(change(found.scop), "generic-cpu")
    assert caught.value.diagnostic.code == "ACC902"


def test_nothing_is_copied_where_a_loop_needs_what_it_has_changed():
    scop = modelled(STEPS.replace("x[i + 1]", "x[i + 1] + x[i > 0 ? i - 1 : 0]"))
    assert not tuple(with_copies(Facts(scop), scop.statements))
    late = modelled(STEPS.replace("x[i + 1]", "x[i - 1]").replace("i = 0", "i = 1"))
    reads = [a for a in late.statements[0].accesses if a.mode is Mode.READ]
    found = Remade(late, late.statements, ())
    assert in_copy(found, 1, reads[0].variable, tuple(("S0", a.reference) for a in reads)) is None


#: each element needs those to its left and above it on the right, which fronts have to be two columns apart for
NINE = """
for (int i = 1; i < n; i++)
  for (int j = 1; j < n - 1; j++) a[i][j] = a[i][j - 1] + a[i - 1][j + 1] + a[i][j];
"""


@pytest.mark.parametrize("target", ["generic-gpu", "generic-cpu"])
@pytest.mark.parametrize("wave", [Wave(0, 1), Wave(2, -1), Wave(-2, 1)])
def test_fronts_along_which_something_depends_are_refused(wave, target):
    scop = modelled(NINE)
    with pytest.raises(Rejected) as caught:
        lowered(skewed(scop, scop.statements, scop.statements[0].loops, wave).scop, target)
    assert caught.value.diagnostic.code == "ACC902"


def test_fronts_along_which_nothing_depends_are_proved():
    scop = modelled(NINE)
    for wave in (Wave(2, 1), Wave(3, 1)):
        assert lowered(skewed(scop, scop.statements, scop.statements[0].loops, wave).scop, "generic-cpu").kernels


@pytest.mark.parametrize("target", ["generic-gpu", "generic-cpu"])
def test_tiles_of_fronts_that_need_one_another_are_refused(target):
    scop = modelled(NINE)
    fronts = skewed(scop, scop.statements, scop.statements[0].loops, Wave(2, 1))
    for rows in (False, True):
        tiles = in_tiles(fronts, Tile(64, 16, 1, rows))
        check_instances(scop, tiles.scop)
        assert lowered(tiles.scop, target).kernels
    with pytest.raises(Rejected) as caught:
        lowered(in_tiles(fronts, Tile(64, 16, -1)).scop, target)
    assert caught.value.diagnostic.code == "ACC902"


#: all iterations need what the first one leaves, and the last one changes what they read
ENDS = "for (int i = 0; i < n; i++) x[i] = x[0] * 2 + x[n - 1] + y[i];"


def test_parts_of_a_loop_in_another_order_are_refused():
    scop = modelled(ENDS)
    *_, found = splits(Facts(scop), scop.statements)
    assert len(found.statements) == 3
    check_instances(scop, found.scop)
    assert len(lowered(found.scop, "generic-cpu").kernels) == 3
    first, inner, last = found.statements
    for wrong in ((inner, first, last), (first, last, inner), (last, inner, first)):
        with pytest.raises(Rejected) as caught:
            lowered(replace(found.scop, statements=wrong), "generic-gpu")
        assert "dependence on x" in caught.value.diagnostic.message


def test_parts_that_are_not_all_or_have_something_twice_are_refused():
    scop = modelled(ENDS)
    *_, found = splits(Facts(scop), scop.statements)
    first, inner, last = found.statements
    for wrong in ((first, inner), (first, inner, last, replace(inner, name="again"))):
        with pytest.raises(Rejected) as caught:
            check_instances(scop, replace(found.scop, statements=wrong))
        assert caught.value.diagnostic.code == "ACC902"


#: columns are added up of what the first nest leaves
PASSES = """
for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] += x[j];
for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[i] += a[j][i];
"""


@pytest.mark.parametrize(("read", "legal"), [("a[j][i]", True), ("a[j + 1][i]", False)])
def test_sums_in_one_pass_need_what_is_there(read, legal):
    scop = modelled(PASSES.replace("a[j][i]", read))
    first, second = scop.statements
    i, j = first.loops
    places = Placed(first, tuple(map(Copy, second.loops)), (j, i)), as_written(second)
    found = rearranged(scop, places)
    if legal:
        assert len(lowered(found, "generic-cpu").kernels) == 1
    else:
        with pytest.raises(Rejected) as caught:
            lowered(found, "generic-cpu")
        assert "dependence on a" in caught.value.diagnostic.message


#: a matrix is gone over twice, and rows of the first pass may need what all of the second one leaves
TWICE = """
for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[i] += a[i][j] * x[j];
for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) b[0][j] += a[i][j] * y[i];
"""


@pytest.mark.parametrize(("left", "legal"), [("b[0][j]", True), ("x[j]", False)])
def test_a_block_of_rows_needs_nothing_of_later_ones(left, legal):
    scop = modelled(TWICE.replace("b[0][j]", left))
    assert (in_blocks_of_rows(scop) is not None) == legal
    first, second = scop.statements
    cut = by_blocks(scop, scop.statements, {first.name: first.loops[0], second.name: second.loops[1]}, 64)
    assert cut is not None
    check_instances(scop, cut.scop)
    if legal:
        assert len(lowered(cut.scop, "generic-cpu").kernels) == 2
    else:
        with pytest.raises(Rejected) as caught:
            lowered(cut.scop, "generic-cpu")
        assert "dependence on x" in caught.value.diagnostic.message


@pytest.mark.parametrize(("left", "legal"), [("b[0][j]", True), ("x[j]", False), ("y[j]", False)])
def test_rows_go_through_both_passes_where_they_need_nothing_of_others(left, legal):
    scop = modelled(TWICE.replace("b[0][j]", left))
    assert (in_row_pass(scop, reassociate=True) is not None) == legal


def test_sums_of_columns_keep_their_order_where_nobody_asks_for_another():
    scop = modelled(TWICE)
    assert in_row_pass(scop, reassociate=False) is None
    found = in_row_pass(scop, reassociate=True)
    assert found is not None
    check_turned(found.scop, native=True, reassociate=True)
    with pytest.raises(Rejected, match="combine numbers in another order"):
        lowered(found.scop, "generic-cpu")
    *others, last = found.scop.statements
    assert isinstance(last.body, Atomic)
    alone = Block((replace(last.body.body.statements[0], op="="),), last.body.span)
    stores = replace(last, body=replace(last.body, body=alone))
    with pytest.raises(Rejected, match="combine numbers in another order"):
        check_turned(replace(found.scop, statements=(*others, stores)), native=True, reassociate=True)


def test_a_loop_that_is_split_elsewhere_is_right_and_not_parallel():
    scop = modelled(ENDS)
    (statement,) = scop.statements
    place = isl.PwAff("{ [5] }")
    found = split(scop, scop.statements, statement.loops[0], (place,))
    check_instances(scop, found.scop)
    with pytest.raises(Rejected) as caught:
        lowered(found.scop, "generic-cpu")
    assert caught.value.diagnostic.code == "ACC401"


#: sweeps whose rows are two steps apart: those below are old, and those above new
SWEPT = """
for (int t = 0; t < n; t++)
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) a[i][j] = a[i - 1][j] + a[i][j - 1] + a[i + 1][j + 1];
"""


@pytest.mark.parametrize("wave", [Wave(2, 1), Wave(3, 1)])
def test_fronts_of_rows_are_proved(wave):
    scop = modelled(SWEPT)
    assert lowered(skewed(scop, scop.statements, scop.statements[0].loops[:2], wave).scop, "generic-cpu").kernels


@pytest.mark.parametrize(("wave", "code"), [(Wave(1, 1), "ACC401"), (Wave(2, -1), "ACC902"), (Wave(-2, 1), "ACC902")])
def test_fronts_of_rows_that_need_one_another_are_refused(wave, code):
    """Steps of a front need one another, so that nothing is parallel, or the proof fails."""
    scop = modelled(SWEPT)
    with pytest.raises(Rejected) as caught:
        lowered(skewed(scop, scop.statements, scop.statements[0].loops[:2], wave).scop, "generic-cpu")
    assert caught.value.diagnostic.code == code


#: rows go up, and each needs the one behind
UPWARDS = "for (int i = n - 2; i >= 0; i--) for (int j = 0; j < n; j++) a[i][j] = a[i + 1][j] + b[i][j];"
#: the second nest needs what the first one leaves in the iteration before
BEHIND = """
for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = x[j] + i;
for (int i = 1; i <= n; i++) for (int j = 0; j < n; j++) b[i][j] = a[i - 1][j];
"""


@pytest.mark.parametrize("target", ["generic-gpu", "generic-cpu"])
def test_a_loop_that_is_turned_around_against_what_it_carries_is_refused(target):
    scop = modelled(UPWARDS)
    lowered(scop, target)
    outer, _ = scop.statements[0].loops
    with pytest.raises(Rejected) as caught:
        lowered(turned_around(scop, (outer,)), target)
    assert "dependence on a" in caught.value.diagnostic.message
    free = modelled(UPWARDS.replace("a[i + 1]", "a[i]"))
    assert lowered(turned_around(free, free.statements[0].loops[:1]), target).kernels


@pytest.mark.parametrize(
    ("body", "by", "message"),
    [(BEHIND, 2, "leaves out"), (BEHIND, 0, "leaves out"), (BEHIND.replace("a[i - 1]", "a[i]"), 1, "dependence on a")],
)
def test_loops_that_are_shifted_by_something_else_are_refused(body, by, message):
    scop = modelled(body)
    loop = scop.statements[1].loops[0]
    away = shifted(scop, scop.statements[1:], loop, by)
    assert lowered(away, "generic-cpu").kernels
    with pytest.raises(Rejected) as caught:
        lowered(rearranged(away, tuple(fused(away))), "generic-cpu")
    assert message in caught.value.diagnostic.message


def test_loops_that_are_shifted_by_what_lies_between_them_are_proved():
    scop = modelled(BEHIND)
    away = shifted(scop, scop.statements[1:], scop.statements[1].loops[0], 1)
    assert len(lowered(rearranged(away, tuple(fused(away))), "generic-gpu").kernels) == 1


#: an entry takes what shorter intervals hold
INTERVALS = """
for (int i = n - 1; i >= 0; i--)
  for (int j = i + 1; j < n; j++)
    for (int k = i + 1; k < j; k++) a[i][j] = a[i][k] + a[k + 1][j] > a[i][j] ? a[i][k] + a[k + 1][j] : a[i][j];
"""
#: the first and the last iteration that need nothing of the square, or others
FIRST, LAST = "64 * square + 64", "64 * front + 64 * square - 1"
RANGES = [
    (FIRST, LAST, True),
    ("64 * square + 63", LAST, True),
    (FIRST, "64 * front + 64 * square - 9", True),
    ("64 * square + 62", LAST, False),
    ("64 * square", LAST, False),
]


@pytest.mark.parametrize(("first", "last", "legal"), RANGES)
@pytest.mark.parametrize("combined", ["a[i][j]", "a[i][j] + 1"])
def test_only_what_needs_nothing_of_a_square_comes_first_where_it_has_no_order(first, last, legal, combined):
    scop = modelled(INTERVALS.replace(": a[i][j]", f": {combined}"), 999)
    whole, (inside,) = cut(scop, scop.statements, scop.statements[0].loops[:2])
    check_instances(scop, whole)
    lowered(whole, "generic-cpu")
    name = inside.domain.get_tuple_name()
    early = isl.Set(f"{{ {name}[front, square, i, j, k] : {first} <= k <= {last} }}").intersect(inside.domain)
    made = brought_forward(whole, (inside,), {name: early})
    check_instances(scop, made[0])
    if legal and combined == "a[i][j]":
        assert len(lowered(made[0], "generic-cpu").kernels) == 2
        return
    with pytest.raises(Rejected) as caught:
        lowered(made[0], "generic-cpu")
    assert caught.value.diagnostic.code == "ACC902"
    assert "dependence on a" in caught.value.diagnostic.message


@pytest.mark.parametrize("reassociate", [False, True])
def test_what_forgets_all_before_a_nan_comes_first_where_it_need_have_no_order(reassociate):
    scop = modelled(INTERVALS.replace("> a[i][j] ?", "< a[i][j] ? a[i][j] :").replace(": a[i][j];", ";"), 999)
    whole, (inside,) = cut(scop, scop.statements, scop.statements[0].loops[:2])
    name = inside.domain.get_tuple_name()
    early = isl.Set(f"{{ {name}[front, square, i, j, k] : {FIRST} <= k <= {LAST} }}").intersect(inside.domain)
    made, _ = brought_forward(whole, (inside,), {name: early}, reassociate)
    if reassociate:
        assert len(lowered(made, "generic-cpu", Options(reassociate=True)).kernels) == 2
        return
    with pytest.raises(Rejected) as caught:
        lowered(made, "generic-cpu")
    assert "dependence on a" in caught.value.diagnostic.message


#: columns go on where there are no rows
NARROW = """
for (int i = 3; i <= n - 5; i++)
  for (int j = 3; j < n - 2; j++)
    for (int k = i + 1; k < j; k++) a[i][j] += a[i][k - 1] * a[k + 1][j];
"""


def test_blocks_begin_wherever_their_loop_does_though_others_pass_nothing():
    ordered = order(Facts(modelled(NARROW, 999)), preset("generic-cpu"), Options(schedule="blocks"))
    assert [step.word for step in ordered.steps] == [Word.BLOCKED]
    assert lowered(ordered.scop, "generic-cpu").kernels


#: what comes before a NaN is forgotten
FORGETTING = """
for (int i = n - 1; i >= 0; i--)
  for (int j = i + 1; j < n; j++)
    for (int k = i + 1; k < j; k++)
      a[i][j] = a[i][j] >= a[i][k] + a[k][j] + b[k][j] ? a[i][j] : a[i][k] + a[k][j] + b[k][j];
"""
INTERVALS_OF_SUMS = """
for (int i = n - 1; i >= 0; i--)
  for (int j = i + 1; j < n; j++)
    for (int k = i + 1; k < j; k++) a[i][j] += a[i][k] * a[k][j];
"""


def looked_at_too_little(tests):
    """What a region looks at, with something left out."""
    own = {test.name: test for test in tests}
    yield ()
    yield (own["a"],)
    yield own["a"], replace(own["b"], name="x")
    yield replace(own["a"], numbers=own["a"].numbers | {Number.MINUS_ZERO}), own["b"]
    for name, other in (("a", "b"), ("b", "a")):
        yield replace(own[name], numbers=own[name].numbers | {Number.LOWEST}), own[other]
        yield replace(own[name], elements=own[name].elements.subtract(own[name].elements.lexmin())), own[other]


def test_numbers_that_nobody_looks_at_keep_their_order():
    scop = order(Facts(modelled(FORGETTING, 999)), preset("generic-cpu"), Options(schedule="blocks"), tested=True).scop
    check_turned(scop, native=True, reassociate=False)
    check_turned(replace(scop, tests=()), native=False, reassociate=True)
    with pytest.raises(Rejected, match="combine numbers in another order"):
        check_turned(scop, native=False, reassociate=False)
    for tests in looked_at_too_little(scop.tests):
        with pytest.raises(Rejected, match="combine numbers in another order"):
            check_turned(replace(scop, tests=tests), native=True, reassociate=False)


def test_sums_keep_their_order():
    asked = Options(schedule="blocks", reassociate=True)
    scop = order(Facts(modelled(INTERVALS_OF_SUMS, 999)), preset("generic-cpu"), asked).scop
    with pytest.raises(Rejected, match="combine numbers in another order"):
        check_turned(scop, native=True, reassociate=False)
