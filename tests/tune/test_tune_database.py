"""What is kept of measurements, and which of them a build takes."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import replace

import pytest

from accshare.driver.tunings import DatabaseTrouble, Measurement, Setting, best, forget, measured, record, rows, tuned

PLACE = Setting("0123", "gemm_l12", "Some GPU", "1.0", "generic-gpu")
DEFAULT = ((),)
WIDE = ((("TB_X", 64), ("STAGE", 1)),)
TALL = ((("TB_Y", 64), ("STAGE", 0)),)


def timed(kernels, seconds, size="n=512", **more):
    return Measurement(size, kernels, "ok", seconds, **more)


def test_what_was_recorded_is_read_in_its_order(tmp_path):
    path = tmp_path / "folder" / "t.sqlite"
    failed = Measurement("n=512", TALL, "crashed", said="was ended by SIGSEGV")
    record(PLACE, [timed(DEFAULT, 1.0, spread=0.1, weight=3)], path)
    record(PLACE, [failed], path)
    record(replace(PLACE, driver="2.0"), [timed(WIDE, 9.0)], path)
    assert measured(PLACE, path) == (timed(DEFAULT, 1.0, spread=0.1, weight=3), failed)
    record(PLACE, [timed(DEFAULT, 0.5)], path)
    assert [one.seconds for one in measured(PLACE, path) if one.outcome == "ok"] == [0.5]
    assert len(rows(path)) == 3


@pytest.mark.parametrize(
    ("measurements", "found"),
    [
        ([timed(DEFAULT, 1.0), timed(WIDE, 0.5), timed(TALL, 0.8)], WIDE),
        ([timed(DEFAULT, 1.0), timed(WIDE, 0.98)], None),  # by chance
        ([timed(DEFAULT, 1.0), timed(WIDE, 0.8, spread=0.3)], None),  # runs differ by more
        ([timed(DEFAULT, 1.0), Measurement("n=512", WIDE, "wrong", 0.1)], None),
        ([timed(WIDE, 0.5)], None),  # faster than what?
        ([timed(DEFAULT, 1.0), timed(DEFAULT, 1.0, "n=8"), timed(WIDE, 0.5)], None),  # nothing known of n=8
        ([timed(DEFAULT, 1.0), timed(DEFAULT, 1.0, "n=8"), timed(WIDE, 0.5), timed(WIDE, 1.6, "n=8")], WIDE),
        ([timed(DEFAULT, 1.0), timed(DEFAULT, 1.0, "n=8"), timed(WIDE, 0.5), timed(WIDE, 2.1, "n=8")], None),
        (
            [
                *(timed(DEFAULT, 1.0, weight=1000), timed(DEFAULT, 1.0, "n=8")),
                *(timed(WIDE, 0.5), timed(WIDE, 2.1, "n=8")),
            ],
            WIDE,
        ),
        ([], None),
    ],
)
def test_a_build_takes_what_is_faster_over_all_sizes(measurements, found):
    choice = best(measurements)
    assert (choice and choice[0].kernels) == found


def test_results_are_for_the_device_driver_and_model_they_were_measured_with(tmp_path):
    path = tmp_path / "t.sqlite"
    record(PLACE, [timed(DEFAULT, 1.0), timed(WIDE, 0.5)], path)
    (found,) = tuned({"generic-gpu": frozenset({("Some GPU", "1.0"), ("Other", "7")})}, path)
    assert (found.region, found.target, found.kernels, found.device, found.part) == (
        *("0123", "generic-gpu", WIDE, "Some GPU", 0.5),
    )
    assert tuned({"generic-gpu": frozenset({("Some GPU", "1.1")})}, path) == ()
    assert tuned({"generic-gpu": frozenset({("Other", "1.0")})}, path) == ()
    assert tuned({"generic-cpu": frozenset({("Some GPU", "1.0")})}, path) == ()


def test_an_order_of_loops_is_a_choice_of_its_own(tmp_path):
    path = tmp_path / "t.sqlite"
    several = ((), ())
    record(PLACE, [timed(DEFAULT, 1.0), timed(DEFAULT, 0.5, order="source"), timed(several, 0.4, order="super")], path)
    assert [(one.kernels, one.order) for one in measured(PLACE, path)] == [
        *((DEFAULT, ""), (DEFAULT, "source"), (several, "super")),
    ]
    (found,) = tuned({"generic-gpu": frozenset({("Some GPU", "1.0")})}, path)
    assert (found.order, found.kernels, found.part) == ("super", several, 0.4)


def test_what_is_forgotten_is_gone(tmp_path):
    path = tmp_path / "t.sqlite"
    other = replace(PLACE, region="4567")
    record(PLACE, [timed(DEFAULT, 1.0), timed(WIDE, 0.5), timed(WIDE, 0.5, "n=8")], path)
    record(other, [timed(DEFAULT, 1.0)], path)
    assert forget([PLACE], ["n=8"], path) == 1
    assert forget([PLACE], None, path) == 2
    assert [place for place, _ in rows(path)] == [other]


def test_no_file_is_no_result(tmp_path):
    assert rows(tmp_path / "absent") == ()
    assert list(tmp_path.iterdir()) == []


def test_another_file_is_told_and_left_alone(tmp_path):
    path = tmp_path / "t.sqlite"
    path.write_text("int main(void) { return 0; }\n" * 100)
    with pytest.raises(DatabaseTrouble, match=r"t\.sqlite"):
        rows(path)
    with pytest.raises(DatabaseTrouble, match=r"t\.sqlite"):
        record(PLACE, [timed(DEFAULT, 1.0)], path)
    assert path.read_text().startswith("int main")


def test_another_version_is_told_and_left_alone(tmp_path):
    path = tmp_path / "t.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("pragma user_version = 99")
    connection.close()
    with pytest.raises(DatabaseTrouble, match="another version"):
        record(PLACE, [timed(DEFAULT, 1.0)], path)


def test_a_file_from_before_inputs_were_kept_is_still_good(tmp_path):
    path = tmp_path / "t.sqlite"
    record(PLACE, [timed(DEFAULT, 1.0)], path)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("alter table measurement drop column inputs")
        connection.execute("pragma user_version = 1")
    connection.close()
    assert measured(PLACE, path) == (timed(DEFAULT, 1.0),)
    record(PLACE, [timed(WIDE, 0.5, inputs="n=500")], path)
    assert [one.inputs for one in measured(PLACE, path)] == ["", "n=500"]


def test_what_is_no_result_is_told(tmp_path):
    path = tmp_path / "t.sqlite"
    record(PLACE, [timed(DEFAULT, 1.0)], path)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("update measurement set kernels = '[3]'")
    connection.close()
    with pytest.raises(DatabaseTrouble, match="something else"):
        rows(path)


WRITER = """\
import resource, sys
from pathlib import Path
from accshare.driver.tunings import DatabaseTrouble, Measurement, Setting, record

path, limit = Path(sys.argv[1]), int(sys.argv[2])
place = Setting("0123", "gemm_l12", "Some GPU", "1.0", "generic-gpu")
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
number = 0
try:
    while True:
        kernels = ((("TB_X", 1 << number % 10), ("l", number)),)
        record(place, [Measurement(f"n={number}", kernels, "ok", 1.0, said="x" * 500)], path)
        number += 1
        print(number, flush=True)
except DatabaseTrouble as why:
    print(why, file=sys.stderr)
"""


def written(path):
    """The measurements in the file, which SQLite must find sound."""
    connection = sqlite3.connect(path)
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    connection.close()
    return [one.size for _, one in rows(path)]


def test_a_full_disk_loses_nothing_that_was_kept(tmp_path):
    path = tmp_path / "t.sqlite"
    done = subprocess.run([sys.executable, "-c", WRITER, path, "40000"], capture_output=True, text=True, check=True)
    kept = int(done.stdout.split()[-1])
    assert str(path) in done.stderr
    assert kept > 10
    assert written(path) == [f"n={number}" for number in range(kept)]
    record(PLACE, [timed(DEFAULT, 1.0)], path)
    assert len(rows(path)) == kept + 1


def test_a_process_that_is_killed_while_it_writes_loses_nothing_that_was_kept(tmp_path):
    path = tmp_path / "t.sqlite"
    with subprocess.Popen([sys.executable, "-c", WRITER, path, "0"], stdout=subprocess.PIPE, text=True) as process:
        while int(process.stdout.readline()) < 25:
            pass
        process.kill()
        said = [int(line) for line in process.stdout if line.endswith("\n")]
    kept = written(path)
    assert len(kept) >= max(said, default=25)
    assert kept == [f"n={number}" for number in range(len(kept))]
    record(PLACE, [timed(DEFAULT, 1.0)], path)


def test_two_processes_can_write_at_once(tmp_path):
    path = tmp_path / "t.sqlite"
    code = (
        WRITER.replace("while True", "while number < 40")
        .replace('"0123"', "sys.argv[2]")
        .replace("int(sys.argv[2])", "0")
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, path, name], stderr=subprocess.PIPE) for name in "ab"]
    assert [writer.communicate()[1] for writer in writers] == [b"", b""]
    assert sorted(place.region for place, _ in rows(path)) == ["a"] * 40 + ["b"] * 40


def test_a_file_that_others_may_have_written_is_told_and_left_alone(tmp_path):
    path = tmp_path / "t.sqlite"
    before = os.umask(0)
    try:
        record(PLACE, [timed(DEFAULT, 1.0)], path)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o620)
    link = tmp_path / "link.sqlite"
    link.symlink_to(path)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for wrong, why in ((path, "others can write it"), (link, "a symbolic link"), (pipe, "no file")):
        with pytest.raises(DatabaseTrouble, match=why):
            record(PLACE, [timed(WIDE, 0.5)], wrong)
    with pytest.raises(DatabaseTrouble, match="others can write it"):
        rows(path)
    path.chmod(0o600)
    assert len(rows(path)) == 1
    if os.geteuid() == 0:
        os.chown(path, 65534, 65534)
        with pytest.raises(DatabaseTrouble, match="belongs to another user"):
            rows(path)
