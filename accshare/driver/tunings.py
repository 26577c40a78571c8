"""What `accshare tune` measured, kept for later builds: one SQLite file among the user's data.

Every row is one choice of sizes, and of an order of loops, for one region, on one device with one driver, for inputs of
one size class, and says which inputs these were. A build takes the choice that is best over all size classes in which
the region was measured.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from math import exp, log
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import platformdirs

from accshare import private
from accshare.device import Device
from accshare.diagnostics import Diagnostic
from accshare.driver.targets import devices_behind
from accshare.options import Options, Tuned
from accshare.records import dataclass, replace

if TYPE_CHECKING:
    import sqlite3

#: raised when columns change, or what is in them; a file with another number is left alone, but for those that lack
#: only a column, or have no orders
SCHEMA = 3
#: a choice that is better by less than this part may be better by chance
NOISE = 0.03
#: the least part of a time that is told apart from none
_LEAST = 0.001
#: seconds to wait for another process that writes
_PATIENCE = 20
_TABLE = """
create table if not exists measurement (
  region text, name text, device text, driver text, target text, size text, kernels text,
  outcome text, seconds real, spread real, weight integer, said text, inputs text not null default '',
  primary key (region, device, driver, target, size, kernels)
)
"""

_WITHOUT_INPUTS, _WITHOUT_ORDERS = 1, 2
_ADD_INPUTS = "alter table measurement add column inputs text not null default ''"

#: what makes the newest of a file with some number
_CHANGES = {0: _TABLE, _WITHOUT_INPUTS: _ADD_INPUTS}

#: the sizes of each kernel of a region
Kernels = tuple[tuple[tuple[str, int], ...], ...]


class Way(NamedTuple):
    """A choice: the sizes of each kernel, and where the order of loops is from; empty what is left to the compiler."""

    kernels: Kernels
    order: str = ""

    @property
    def is_default(self) -> bool:
        """Whether all is left to the compiler."""
        return not self.order and not any(self.kernels)


class DatabaseTrouble(Exception):  # noqa: N818 - says what happened to the database
    """The results can't be read or written; the message is for the user."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Where something was measured: `region` is its identity, `name` what the user calls it, `target` the device model
    it is compiled for."""

    region: str
    name: str
    device: str
    driver: str
    target: str


@dataclass(frozen=True, slots=True)
class Measurement:
    """One choice, of sizes and of an `order` of loops, at one size: `seconds` is the median, `spread` how far apart
    repeats are (a part of it), `weight` how often the program meets the size, `inputs` exactly what was measured.
    `outcome` is "ok", or what went wrong, which `said` explains."""

    size: str
    kernels: Kernels
    outcome: str
    seconds: float = 0.0
    spread: float = 0.0
    weight: int = 1
    said: str = ""
    inputs: str = ""
    order: str = ""

    @property
    def way(self) -> Way:
        """The choice that it is of."""
        return Way(self.kernels, self.order)


def database_path() -> Path:
    """The file, which need not exist: $ACCSHARE_TUNING, else below $ACCSHARE_CACHE_DIR or the user's data folder."""
    given, cache = os.environ.get("ACCSHARE_TUNING"), os.environ.get("ACCSHARE_CACHE_DIR")
    folder = Path(cache) if cache else Path(platformdirs.user_data_dir("accshare"))
    return Path(given) if given else folder / "tuning.sqlite"


def record(place: Setting, measured: Iterable[Measurement], path: Path) -> None:
    """Keeps measurements, all or none; one of the same choice at the same size gives way. Raises `DatabaseTrouble`."""
    rows = [
        (
            *(place.region, place.name, place.device, place.driver, place.target),
            *(m.size, _packed(m.way), m.outcome, m.seconds, m.spread, m.weight, m.said, m.inputs),
        )
        for m in measured
    ]
    with _connected(path) as connection, connection:
        connection.executemany(f"insert or replace into measurement values ({', '.join('?' * 13)})", rows)


def measured(place: Setting, path: Path) -> tuple[Measurement, ...]:
    """What is known of a region there, in the order it was measured. Raises `DatabaseTrouble`."""
    return tuple(m for p, m in rows(path) if _same(p, place))


def rows(path: Path) -> tuple[tuple[Setting, Measurement], ...]:
    """Everything that is known. Raises `DatabaseTrouble`."""
    if not path.is_file():
        return ()
    with _connected(path) as connection:
        found = connection.execute("select * from measurement order by rowid").fetchall()
    try:
        return tuple((Setting(*row[:5]), _measurement(row[5], _unpacked(row[6]), row[7:])) for row in found)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise DatabaseTrouble(f"{path} holds something else than tuning results: {error}") from error


def forget(places: Iterable[Setting], sizes: Iterable[str] | None, path: Path) -> int:
    """Deletes what is known of regions, of some size classes or all (None); how many measurements that were. Raises
    `DatabaseTrouble`."""
    where = "region = ? and device = ? and driver = ? and target = ?"
    keys = [(p.region, p.device, p.driver, p.target) for p in places]
    with _connected(path) as connection, connection:
        if sizes is None:
            return sum(connection.execute(f"delete from measurement where {where}", key).rowcount for key in keys)
        some = [(*key, size) for key in keys for size in sizes]
        return sum(connection.execute(f"delete from measurement where {where} and size = ?", k).rowcount for k in some)


def best(known: Iterable[Measurement]) -> tuple[Way, float] | None:
    """The choice that is fastest over all size classes, and its time as a part of the default's; None where no choice
    beats the default by more than noise. Time at a size counts as often as the program meets it."""
    by_choice: dict[Way, dict[str, Measurement]] = {}
    for one in known:
        by_choice.setdefault(one.way, {})[one.size] = one
    default = next((sizes for way, sizes in by_choice.items() if way.is_default), {})
    found = [(way, sizes, part(sizes, default)) for way, sizes in by_choice.items() if not way.is_default]
    sound = [(way, ratio) for way, sizes, ratio in found if 0 < ratio < 1 - _noise(sizes, default)]
    return min(sound, key=lambda item: item[1], default=None)


def part(sizes: Mapping[str, Measurement], default: Mapping[str, Measurement]) -> float:
    """A choice's time as a part of the default's, over all its sizes: the geometric mean, weighted by how often the
    program meets each size; 0 where one of them has no time."""
    if not default or not all(
        name in sizes and _is_timed(sizes[name]) and _is_timed(default[name]) for name in default
    ):
        return 0.0
    weights = {size: log(1 + max(1, one.weight)) for size, one in default.items()}
    total = sum(weights[size] * log(sizes[size].seconds / default[size].seconds) for size in default)
    return exp(total / sum(weights.values()))


def tuned(devices: Mapping[str, frozenset[tuple[str, str]]], path: Path) -> tuple[Tuned, ...]:
    """What was found best for each region, for device models by name with the devices (name, driver) they stand for.
    Raises `DatabaseTrouble`."""
    groups: dict[Setting, list[Measurement]] = {}
    for place, one in rows(path):
        if (place.device, place.driver) in devices.get(place.target, ()):
            groups.setdefault(replace(place, name=""), []).append(one)
    found: dict[tuple[str, str], Tuned] = {}
    for place, known in groups.items():
        choice = best(known)
        if choice is not None:
            way, ratio = choice
            tuning = Tuned(
                place.region, place.target, way.kernels, place.device, max(_LEAST, round(ratio, 3)), way.order
            )
            found.setdefault((place.region, place.target), tuning)
    return tuple(found.values())


def with_tuned(options: Options, models: Iterable[Device]) -> tuple[Options, tuple[Diagnostic, ...]]:
    """The options with what was found best on this machine's devices for `models`; ACC703 where that can't be read."""
    path = database_path()
    try:
        found = tuned({model.name: devices_behind(model) for model in models}, path) if path.is_file() else ()
    except DatabaseTrouble as why:
        return options, (Diagnostic("ACC703", f"{why}; nothing is taken from it", hint="docs/tuning.md tells more"),)
    return replace(options, tuned=found), ()


def _is_timed(one: Measurement) -> bool:
    return one.outcome == "ok" and one.seconds > 0


def _noise(sizes: Mapping[str, Measurement], default: Mapping[str, Measurement]) -> float:
    """The part by which a choice may be better by chance."""
    return max(NOISE, *(one.spread for size in default for one in (sizes[size], default[size])))


def _same(one: Setting, other: Setting) -> bool:
    return (one.region, one.device, one.driver, one.target) == (other.region, other.device, other.driver, other.target)


def _packed(way: Way) -> str:
    kernels = [dict(sizes) for sizes in way.kernels]
    return json.dumps({"order": way.order, "kernels": kernels} if way.order else kernels)


def _unpacked(text: str) -> Way:
    found = json.loads(text)
    kernels, order = (found["kernels"], found["order"]) if isinstance(found, dict) else (found, "")
    return Way(tuple(tuple((str(name), int(size)) for name, size in sizes.items()) for sizes in kernels), str(order))


def _measurement(size: str, way: Way, rest: Sequence[Any]) -> Measurement:
    return replace(Measurement(size, way.kernels, *rest), order=way.order)


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    """The database, made if there is none; whatever is wrong with it becomes `DatabaseTrouble`."""
    import sqlite3  # noqa: PLC0415 - most users tune nothing

    try:
        private.make_folder(path.parent)
        private.own_file(path)
        with closing(sqlite3.connect(path, timeout=_PATIENCE)) as connection:
            (version,) = connection.execute("pragma user_version").fetchone()
            if version not in (0, _WITHOUT_INPUTS, _WITHOUT_ORDERS, SCHEMA):
                raise DatabaseTrouble(f"{path} was written by another version of accshare; delete it to tune anew")
            if version != SCHEMA:
                with connection:
                    connection.execute("begin immediate")
                    (version,) = connection.execute("pragma user_version").fetchone()  # others may have been faster
                    if version in _CHANGES:
                        connection.execute(_CHANGES[version])
                    connection.execute(f"pragma user_version = {SCHEMA}")
            yield connection
    except (sqlite3.Error, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise DatabaseTrouble(f"{path}: {why}") from error
