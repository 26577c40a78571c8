"""The last write before each read, where not all iterations of nests write, compared with running them."""

from __future__ import annotations

from itertools import product

import islpy as isl
import pytest
from enumerating import together, tuples
from hypothesis import given, settings
from hypothesis import strategies as st

from accshare.islbuild import Points, Value, all_maps, at_least, at_most, extremes, lexmax, lexmin, multiple, points
from accshare.lastwrite import last_writes

PARAMETERS = ("m", "n")
few = settings(max_examples=150, database=None, derandomize=True, deadline=None)


def nest(lows: tuple[str, ...], highs: tuple[str, ...], modulus: int, sums: tuple[int, ...], name: str) -> isl.Set:
    """Iterations of as many loops as there are bounds, in which a sum of two of these and parameters is a multiple."""
    every = points(len(lows), name, PARAMETERS)
    terms = (*every.parameters, *every.coordinates)
    total: isl.Aff = sum((terms[k % len(terms)] for k in sums), every.function(0))
    between = (
        at_least(x, bound(low, every)).intersect(at_most(x, bound(high, every) - 1))
        for x, low, high in zip(every.coordinates, lows, highs, strict=True)
    )
    return every.where(multiple(total, modulus), *between)


def bound(what: str, every: Points) -> isl.Aff:
    """A number, a parameter or the iterator with a number."""
    if what in PARAMETERS:
        return every.parameters[PARAMETERS.index(what)]
    return every.coordinates[int(what[1])] if what[0] == "i" else every.function(int(what))


def nests(rank: int) -> st.SearchStrategy[tuple[tuple[str, ...], tuple[str, ...], int, tuple[int, ...]]]:
    around = [[f"i{k}" for k in range(depth)] for depth in range(rank)]
    lows = st.tuples(*(st.sampled_from(["0", "1", *outer]) for outer in around))
    highs = st.tuples(*(st.sampled_from(["m", "n", *outer]) for outer in around))
    return st.tuples(lows, highs, st.integers(2, 3), st.tuples(st.integers(0, 4), st.integers(0, 4)))


#: with which isl takes the first write for the last one: all iterations of the second loop have one element, and the
#: third loop begins with the second one's iterator
TAKEN_FIRST = (("0", "1", "i1"), ("m", "n", "m"), 2, (2, 3))


@pytest.mark.quick
@few
@given(nests(3), nests(1), st.sampled_from([0, 1]))
def test_reads_see_the_last_write_whichever_iterations_write(writing, reading, own_element):
    _check(writing, reading, own_element)


@pytest.mark.quick
def test_the_last_write_is_not_the_first():
    _check(TAKEN_FIRST, (("0",), ("m",), 2, (2, 2)), 0)
    _check(TAKEN_FIRST, (("0",), ("m",), 3, (2, 2)), 1)


def _check(writing, reading, own_element):
    """A loop around a nest that writes an element, or one of each of its iterations, and what reads it."""
    write, read = nest(*writing, "W"), nest(*reading, "R")
    order: list[isl.Map] = []
    for place, one in enumerate((write, read)):
        every = points(one.dim(isl.dim_type.set), one.get_tuple_name(), PARAMETERS)
        at: list[Value] = [every.coordinates[0], place, *every.coordinates[1:]]
        order.append(every.to([*at, *[0] * (4 - len(at))]).intersect_domain(one))
    elements = [_element(one, own_element) for one in (write, read)]
    found = last_writes(elements[1].to_union_map(), elements[0].to_union_map(), all_maps(()), all_maps(order))
    for m, n in product(range(5), repeat=2):
        writes, reads = (sorted(t[2:] for t in tuples(_at(one, m, n))) for one in (write, read))
        before = {(i,): [w for w in writes if w[0] <= i and (not own_element or w[0] == i)] for (i,) in reads}
        seen = {(*max(all_), *r) for r, all_ in before.items() if all_}
        space = write.get_space().map_from_domain_and_range(read.get_space())
        sources = found.sources.extract_map(space)
        assert {t[2:] for t in together(sources.intersect_params(_at(write, m, n).params()))} == seen
        unsure = found.unsure.extract_map(elements[1].get_space()).domain()
        assert {t[2:] for t in tuples(_at(unsure, m, n))} == {r for r, all_ in before.items() if not all_}


def _element(one: isl.Set, own: int) -> isl.Map:
    every = points(one.dim(isl.dim_type.set), one.get_tuple_name(), PARAMETERS)
    return every.to([every.coordinates[0] if own else 0], "a").intersect_domain(one)


def _at(some: isl.Set, m: int, n: int) -> isl.Set:
    for name, number in zip(PARAMETERS, (m, n), strict=True):
        some = some.fix_val(isl.dim_type.param, some.find_dim_by_name(isl.dim_type.param, name), isl.Val(number))
    return some


@pytest.mark.quick
@few
@given(nests(3), st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 1)), min_size=1, max_size=3))
def test_the_first_and_the_last_of_what_some_iterations_reach(loops, subscripts):
    _check_extremes(loops, subscripts)


@pytest.mark.quick
def test_the_last_is_not_one_in_between():
    _check_extremes((("1", "0", "i0"), ("n", "n", "n"), 2, (0, 2)), [(0, -1), (2, 0)])


def _check_extremes(loops, subscripts):
    every = points(3, "", PARAMETERS)
    reached = every.to([every.coordinates[k] + by for k, by in subscripts]).intersect_domain(nest(*loops, "")).range()
    first, last = (isl.Set.from_pw_multi_aff(end) for end in extremes(reached))
    for m, n in product(range(5), repeat=2):
        there = {t[2:] for t in tuples(_at(reached, m, n))}
        for choose, one in ((min, first), (max, last), (min, lexmin(reached)), (max, lexmax(reached))):
            assert {t[2:] for t in tuples(_at(one, m, n))} == ({choose(there)} if there else set())
