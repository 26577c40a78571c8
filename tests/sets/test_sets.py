"""What isl's sets and relations mean, compared with small ones that are enumerated."""

from __future__ import annotations

import islpy as isl
import pytest
from enumerating import (
    INTERVAL,
    Tuple,
    box,
    condition,
    conditions,
    function,
    functions,
    holds,
    in_box,
    relation,
    together,
    tuples,
    value,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from accshare import carried
from accshare.dataflow import Flow
from accshare.frontend.ir import (
    LONG,
    Binary,
    Builtin,
    Cast,
    Conditional,
    Expr,
    IntLit,
    Intrinsic,
    Storage,
    Symbol,
    Unary,
    Var,
)
from accshare.islbuild import Points, all_maps, all_sets, pairs, partial_schedule, point, points, sizes
from accshare.islexpr import all_large, of_condition, of_value, variable
from accshare.poly.ir import Access, Mode, Variable, VariableKind
from accshare.source import Span

few = settings(max_examples=60, database=None, derandomize=True)
pair_sets = st.sets(st.tuples(st.tuples(*[st.integers(0, 2)] * 2), st.tuples(*[st.integers(0, 2)] * 2)), max_size=8)


def variables(every: Points) -> tuple[isl.Aff, ...]:
    """In the order in which `tuples` has them."""
    return (*every.parameters, *every.coordinates)


@pytest.mark.quick
@few
@given(st.lists(conditions, min_size=1, max_size=3), st.booleans())
def test_points_are_those_where_all_conditions_hold(trees, with_parameter):
    every = points(1, "S", ("n",)) if with_parameter else points(2)
    found = every.where(*(condition(tree, variables(every), every) for tree in trees))
    assert found.get_space().is_equal(every.space)
    assert tuples(found.intersect(in_box(every))) == {at for at in box(2) if all(holds(tree, at) for tree in trees)}


@few
@given(st.lists(conditions, max_size=3))
def test_sets_of_sizes(trees):
    every = sizes("n", "m")
    found = every.where(*(condition(tree, every.parameters, every) for tree in trees))
    inside = tuples(isl.Set.from_params(found.intersect(in_box(every))))
    assert found.is_params()
    assert inside == {at for at in box(2) if all(holds(tree, at) for tree in trees)}


@few
@given(st.lists(functions, max_size=3))
def test_relations_to_functions_of_a_point(trees):
    every = points(2, "S")
    found = every.to([function(tree, every.coordinates, every) for tree in trees], "T")
    assert found.get_tuple_name(isl.dim_type.out) == "T"
    assert together(found.intersect_domain(in_box(every))) == {
        (*at, *(value(tree, at) for tree in trees)) for at in box(2)
    }


@few
@given(st.lists(conditions, max_size=3))
def test_pairs_are_those_where_conditions_on_both_hold(trees):
    both = pairs(1, 1)
    found = both.where(*(condition(tree, (*both.source, *both.target), both.points) for tree in trees))
    found = found.intersect_domain(in_box(points(1))).intersect_range(in_box(points(1)))
    assert together(found) == {at for at in box(2) if all(holds(tree, at) for tree in trees)}
    assert together(both.nothing) == set()


def test_single_points_and_unions_of_several_spaces():
    assert tuples(point((1, -2), "A")) == {(1, -2)}
    assert point((), "A").get_tuple_name() == "A"
    sets = all_sets([point((1,), "A"), point((2,), "A"), point((3, 4), "B")])
    assert tuples(sets.extract_set(points(1, "A").space)) == {(1,), (2,)}
    assert tuples(sets.extract_set(points(2, "B").space)) == {(3, 4)}
    maps = all_maps([relation({((1,), (2,))}, 1, "A", "B"), relation({((3,), (4,))}, 1, "A", "B")])
    assert together(maps.extract_map(maps_between("A", "B"))) == {(1, 2), (3, 4)}
    assert all_maps(()).is_empty()
    assert all_sets(()).is_empty()


def maps_between(one: str, other: str) -> isl.Space:
    return points(1, one).space.map_from_domain_and_range(points(1, other).space)


def test_a_band_orders_each_statements_instances_by_its_own_function():
    one, other = points(1, "A"), points(2, "B")
    orders = partial_schedule([[-one.coordinates[0], other.coordinates[1]], [one.function(7), other.coordinates[0]]])
    order = isl.UnionMap.from_multi_union_pw_aff(orders)
    at = all_sets([point((3,), "A"), point((4, 5), "B")])
    assert order.intersect_domain(at).range().is_equal(all_sets([point((-3, 7)), point((5, 4))]))


@few
@given(pair_sets, st.integers(0, 1))
def test_pairs_that_a_loop_carries(some, depth):
    every = relation(some, 2)
    same = {(a, b) for a, b in some if a[:depth] == b[:depth]}
    assert together(carried.together(every, depth)) == {(*a, *b) for a, b in same}
    assert together(carried.carried(every, depth)) == {(*a, *b) for a, b in same if a[depth] != b[depth]}
    assert carried.carried(every, depth).is_subset(carried.apart(every, depth))
    assert carried.carried(carried.apart(every, depth), depth).is_equal(carried.apart(every, depth))


@few
@given(conditions, st.integers(1, 5))
def test_sizes_with_which_instances_are_far_apart(tree, distance):
    every = points(2, "S", ("n",))
    domain = every.where(condition(tree, variables(every), every)).intersect(in_box(every))
    found = isl.Set.from_params(carried.far_apart(domain, 1, distance))
    inside = {at for at in box(3) if holds(tree, at)}
    assert tuples(found) == {
        (n,) for n, i, j in inside if any((n, i, later) in inside for later in INTERVAL if later >= j + distance)
    }


@few
@given(conditions, st.integers(-2, 2))
def test_sizes_that_bound_loops_are_large(tree, least):
    every = points(1, "", ("n", "m"))
    n, _ = every.parameters
    present = every.where(condition(tree, (n, *every.coordinates), every))
    if not present.is_empty():
        large = all_large(present, least)
        matters = present.involves_dims(isl.dim_type.param, 0, 1)
        inside = tuples(isl.Set.from_params(large.intersect(in_box(sizes("n", "m")))))
        assert inside == {(n, m) for n, m in box(2) if not matters or n >= least}


# --- C's expressions ----------------------------------------------------------------------------------------------


def computed(expr: Expr, values: dict[str, int]) -> int:
    """What C computes, numbers being small."""
    match expr:
        case IntLit(number):
            return number
        case Var(symbol):
            return values[symbol.unique]
        case Cast(operand):
            return computed(operand, values)
        case Unary("-", operand):
            return -computed(operand, values)
        case Conditional(asked, then, other):
            return computed(then if computed(asked, values) else other, values)
        case Intrinsic(builtin, args):
            one, other = (computed(arg, values) for arg in args)
            return {Builtin.MIN: min(one, other), Builtin.MAX: max(one, other)}.get(builtin, one // (other or 1))
        case Binary(op, lhs, rhs):
            return operated(op, lhs, rhs, values)
    raise AssertionError(expr)


def operated(op: str, lhs: Expr, rhs: Expr, values: dict[str, int]) -> int:
    one = computed(lhs, values)
    if op in ("&&", "||"):
        return int(bool(one)) if bool(one) == (op == "||") else int(bool(computed(rhs, values)))
    other = computed(rhs, values)
    if op in ("/", "%"):
        quotient = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
        return quotient if op == "/" else one - quotient * other
    does = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__, "<": int.__lt__, "<=": int.__le__}
    does |= {">": int.__gt__, ">=": int.__ge__, "==": int.__eq__}
    return int(does[op](one, other))


NAMES = {name: variable(Symbol(name, name, LONG, Storage.PARAMETER)) for name in ("n", "m")}


@few
@given(st.lists(conditions, min_size=1, max_size=2), st.lists(conditions, max_size=1), st.booleans())
def test_conditions_on_sizes_as_c(trees, facts, either):
    every = sizes(*NAMES)
    one, *others = (condition(tree, every.parameters, every) for tree in trees)
    for other in others:
        one = one.union(other) if either else one.intersect(other)
    known = every.where(*(condition(tree, every.parameters, every) for tree in facts))
    written = of_condition(one, known, NAMES, LONG)
    for at in box(2):
        if all(holds(tree, at) for tree in facts):
            expected = (any if either else all)(holds(tree, at) for tree in trees)
            assert bool(computed(written, dict(zip(NAMES, at, strict=True)))) == expected


@few
@given(functions, functions, conditions)
def test_values_of_sizes_as_c(then, other, tree):
    every = sizes(*NAMES)
    one, two = (function(each, every.parameters, every).to_pw_aff() for each in (then, other))
    where = condition(tree, every.parameters, every)
    piecewise = one.intersect_params(where).union_add(two.intersect_params(where.complement()))
    written = of_value(piecewise, every.everything, NAMES, LONG)
    for at in box(2):
        expected = value(then if holds(tree, at) else other, at)
        assert computed(written, dict(zip(NAMES, at, strict=True))) == expected


# --- which write a read sees --------------------------------------------------------------------------------------

_NOWHERE = Span(0, 0)
CELL = Variable("a", NAMES["n"], LONG, (None,), VariableKind.MEMORY, 0, True, False)

steps = st.lists(
    st.tuples(
        st.sampled_from([(Mode.READ, True), (Mode.READ, False), (Mode.WRITE, True), (Mode.WRITE, False)]),
        st.sets(st.integers(0, 2), min_size=1, max_size=2),
    ),
    min_size=1,
    max_size=6,
)


def visible(program: list[tuple[tuple[Mode, bool], set[int]]]) -> tuple[set[Tuple], set[Tuple]]:
    """The steps whose writes each read may see, and the reads that may come before any write."""
    seen, unwritten = set(), set()
    for reader, ((mode, _), cells) in enumerate(program):
        for cell in cells if mode is Mode.READ else ():
            for writer in range(reader - 1, -1, -1):
                (other, exact), written = program[writer]
                if other is Mode.WRITE and cell in written:
                    seen.add((writer, reader))
                    if exact:
                        break
            else:
                unwritten.add((reader, cell))
    return seen, unwritten


@few
@given(steps)
def test_which_writes_a_read_may_see(program):
    flow = Flow()
    for number, ((mode, exact), cells) in enumerate(program):
        access = Access(CELL, "a", mode, exact, NAMES["n"], (), pairs(1, 1).nothing, _NOWHERE)
        memory = relation({((number,), (cell,)) for cell in cells}, 1, "S", "a")
        flow.add(access, memory, points(1, "S").to([number]).intersect_domain(point((number,), "S")))
    seen, unwritten = visible(program)
    everything = sizes().everything
    assert together(flow.compute(everything).extract_map(maps_between("S", "S"))) == seen
    assert together(flow.unwritten(everything).extract_map(maps_between("S", "a"))) == unwritten
    before = [set().union(*(c for (mode, _), c in program[:k] if mode is Mode.WRITE)) for k in range(len(program))]
    never = any(how == (Mode.READ, True) and cells - before[k] for k, (how, cells) in enumerate(program))
    assert flow.is_never_written(everything) == never
