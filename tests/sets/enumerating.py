"""Small sets and relations as Python has them: what isl says of one is compared with what is found by counting."""

from __future__ import annotations

from itertools import product

import islpy as isl
from hypothesis import strategies as st

from accshare.islbuild import Points, at_least, at_most, equal, multiple, points, quotient, remainder, within

Tuple = tuple[int, ...]
#: coordinates are so large at most, either way
REACH = 3
INTERVAL = range(-REACH, REACH + 1)


def box(rank: int) -> list[Tuple]:
    """All tuples that are looked at."""
    return list(product(INTERVAL, repeat=rank))


def in_box(every: Points) -> isl.Set:
    """The same as isl's set, all parameters being small too."""
    return every.where(*(within(x, -REACH, 2 * REACH + 1) for x in (*every.coordinates, *every.parameters)))


def tuples(some: isl.Set) -> set[Tuple]:
    """A bounded set's tuples, after the values of its parameters."""
    count = some.dim(isl.dim_type.param)
    flat = some.move_dims(isl.dim_type.set, 0, isl.dim_type.param, 0, count) if count else some
    found: set[Tuple] = set()
    rank = flat.dim(isl.dim_type.set)

    def note(point: isl.Point) -> None:
        found.add(tuple(point.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(rank)))

    flat.foreach_point(note)
    return found


def together(relation: isl.Map) -> set[Tuple]:
    """A bounded relation's pairs, each as one tuple."""
    return tuples(relation.wrap().flatten())


#: affine functions and conditions as trees of words and numbers, so that either side gives them its own meaning
functions = st.recursive(
    st.one_of(st.tuples(st.just("variable"), st.integers(0, 3)), st.tuples(st.just("constant"), st.integers(-5, 5))),
    lambda inner: st.one_of(
        st.tuples(st.just("sum"), inner, inner),
        st.tuples(st.just("times"), st.integers(-3, 3), inner),
        st.tuples(st.just("quotient"), inner, st.integers(1, 4)),
        st.tuples(st.just("remainder"), inner, st.integers(1, 4)),
    ),
    max_leaves=4,
)
conditions = st.one_of(
    st.tuples(st.sampled_from(["at least", "at most", "equal"]), functions, functions),
    st.tuples(st.just("within"), functions, functions, st.integers(1, 4)),
    st.tuples(st.just("multiple"), functions, st.integers(1, 4)),
)


def function(tree: tuple, variables: tuple[isl.Aff, ...], every: Points) -> isl.Aff:
    """A function as isl's."""
    match tree:
        case ("variable", k):
            return variables[k % len(variables)] if variables else every.function(0)
        case ("constant", number):
            return every.function(number)
        case ("sum", one, other):
            return function(one, variables, every) + function(other, variables, every)
        case ("times", factor, inner):
            return factor * function(inner, variables, every)
        case (word, inner, divisor):
            divide = quotient if word == "quotient" else remainder
            return divide(function(inner, variables, every), divisor)
    raise AssertionError(tree)


def value(tree: tuple, at: Tuple) -> int:
    """A function's value at a point."""
    match tree:
        case ("variable", k):
            return at[k % len(at)] if at else 0
        case ("constant", number):
            return number
        case ("sum", one, other):
            return value(one, at) + value(other, at)
        case ("times", factor, inner):
            return factor * value(inner, at)
        case ("quotient", inner, divisor):
            return value(inner, at) // divisor
        case ("remainder", inner, divisor):
            return value(inner, at) % divisor
    raise AssertionError(tree)


def condition(tree: tuple, variables: tuple[isl.Aff, ...], every: Points) -> isl.Set:
    """A condition as isl's set."""
    word, *parts = tree
    first, *others = (function(part, variables, every) if isinstance(part, tuple) else part for part in parts)
    makes = {"at least": at_least, "at most": at_most, "equal": equal, "within": within, "multiple": multiple}
    return makes[word](first, *others)


def holds(tree: tuple, at: Tuple) -> bool:
    """Whether a condition holds at a point."""
    match tree:
        case ("at least", one, other):
            return value(one, at) >= value(other, at)
        case ("at most", one, other):
            return value(one, at) <= value(other, at)
        case ("equal", one, other):
            return value(one, at) == value(other, at)
        case ("within", inner, low, length):
            return 0 <= value(inner, at) - value(low, at) < length
        case ("multiple", inner, number):
            return value(inner, at) % number == 0
    raise AssertionError(tree)


def relation(pairs: set[tuple[Tuple, Tuple]], rank: int, name: str = "", other: str = "") -> isl.Map:
    """Some pairs of tuples, all of one rank, as isl's relation."""
    every = points(rank, name)
    result = every.to([0] * rank, other).intersect_domain(every.nothing)
    for source, target in pairs:
        own = every.where(*map(equal, every.coordinates, source))
        result = result.union(every.to(target, other).intersect_domain(own))
    return result
