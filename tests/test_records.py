"""Classes of `accshare.records` are what `dataclasses` would make of the same text."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest

from accshare import records


@records.dataclass(frozen=True, slots=True)
class Point:
    """Where."""

    x: int
    y: int = 2
    note: str = records.field(default="", compare=False)
    hidden: object = records.field(default=None, repr=False)

    @property
    def sum(self) -> int:
        return self.x + self.y


@records.dataclass(frozen=True, slots=True, order=True)
class Version:
    major: int
    minor: int = 0


@records.dataclass(slots=True)
class Growing:
    names: list[str] = records.field(default_factory=list)
    count: int = 0


@records.dataclass(frozen=True, slots=True)
class Nothing:
    pass


@records.dataclass(frozen=True, slots=True, eq=False)
class Itself:
    x: int


@records.dataclass(frozen=True, slots=True)
class Box:
    point: Point
    versions: tuple[Version, ...]


@records.dataclass(frozen=True, slots=True)
class Far(Point):
    distance: int = 5


def test_what_is_made():
    assert (Point(1).x, Point(1).y, Point(x=1, y=5).sum, Point(1, 3, "n").note) == (1, 2, 6, "n")
    assert repr(Point(1, hidden=3)) == "Point(x=1, y=2, note='')"
    assert repr(Nothing()) == "Nothing()"
    assert (Point.__doc__, Point.__name__, Point.__match_args__) == ("Where.", "Point", ("x", "y", "note", "hidden"))
    assert not hasattr(Point(1), "__dict__")
    assert (Far(1).y, Far(1, distance=2).distance, isinstance(Far(1), Point)) == (2, 2, True)
    match Box(Point(1), (Version(3),)):
        case Box(Point(x, y=2), (Version(3, 0),)):
            assert x == 1
        case other:
            pytest.fail(repr(other))


def test_a_default_is_made_for_each():
    one, other = Growing(), Growing(count=3)
    one.names.append("a")
    one.count += 1
    assert (one, other) == (Growing(["a"], 1), Growing([], 3))


@pytest.mark.parametrize("make", [lambda: Point(), lambda: Point(1, z=3), lambda: Version(1, 2, 3), lambda: Nothing(1)])
def test_wrong_arguments(make):
    with pytest.raises(TypeError):
        make()


def test_equality():
    assert Point(1, note="a") == Point(1, note="b")
    assert hash(Point(1, note="a")) == hash(Point(1, note="b"))
    assert Point(1) != Point(2)
    assert Point(1, 0) != Version(1, 0)
    assert Point(1) != Far(1)
    assert Nothing() == Nothing()
    assert Itself(1) != Itself(1)
    assert len({Itself(1), Itself(1), Point(1), Point(1), Nothing(), Nothing()}) == 4
    nan = float("nan")
    assert Version(nan) == Version(nan)  # as tuples compare
    with pytest.raises(TypeError):
        hash(Growing())


def test_order():
    assert sorted([Version(2), Version(1, 5), Version(1, 4)]) == [Version(1, 4), Version(1, 5), Version(2)]
    assert Version(1) < Version(2) <= Version(2) >= Version(1, 9) > Version(1)
    with pytest.raises(TypeError):
        assert Point(1) < Point(2)


@pytest.mark.parametrize("replace", [records.replace, dataclasses.replace])
def test_replace(replace):
    changed = replace(Point(1, note="n", hidden=4), y=7)
    assert (changed.x, changed.y, changed.note, changed.hidden) == (1, 7, "n", 4)
    assert replace(Growing(["a"]), count=2) == Growing(["a"], 2)
    with pytest.raises(TypeError, match="z"):
        replace(Point(1), z=3)


def test_other_functions_of_dataclasses():
    assert dataclasses.is_dataclass(Point(1))
    assert [field.name for field in dataclasses.fields(Far)] == ["x", "y", "note", "hidden", "distance"]
    assert records.asdict(Box(Point(1), (Version(3),))) == {
        "point": {"x": 1, "y": 2, "note": "", "hidden": None},
        "versions": ({"major": 3, "minor": 0},),
    }


def test_copies():
    box = Box(Point(1), (Version(3),))
    assert pickle.loads(pickle.dumps(box)) == copy.deepcopy(box) == copy.copy(box) == box
