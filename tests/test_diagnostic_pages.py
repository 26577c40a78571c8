"""Every number has a page, and what the page shows is what the compiler says."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from commands import accshare_cc

from accshare.diagnostics import CATALOGUE

PAGES = Path(__file__).parent.parent / "docs" / "diagnostics"
NUMBERS = sorted(path.stem for path in PAGES.glob("ACC*.md"))
EXAMPLE = re.compile(r"^```c\n(.*?)^```$", re.DOTALL | re.MULTILINE)
#: a message that sends a loop to the host, as far as the next message
REFUSAL = re.compile(
    r"^[^\s:]+:\d+:\d+: (?:warning|error): .*?(?=^[^\s:]+:\d+:\d+: \w+: |\Z)", re.MULTILINE | re.DOTALL
)
COMMAND = re.compile(r"^\$ (?:(\w+)=(\S+) )?accshare-cc (.*)$", re.MULTILINE)


def page(number):
    return (PAGES / f"{number}.md").read_text()


WITH_COMMAND = [number for number in NUMBERS if COMMAND.search(page(number))]
WITH_EXAMPLE = [number for number in NUMBERS if EXAMPLE.search(page(number)) and number not in WITH_COMMAND]


def said(arguments, folder, **variables):
    return accshare_cc(*arguments, cwd=folder, env={**os.environ, **variables}).stderr


@pytest.mark.quick
def test_every_number_has_a_page_and_every_page_a_number():
    assert sorted(CATALOGUE) == NUMBERS


@pytest.mark.quick
@pytest.mark.parametrize("number", NUMBERS)
def test_a_page_is_titled_as_the_catalogue_says(number):
    assert page(number).startswith(f"# {number}: {CATALOGUE[number][1]}\n")


@pytest.mark.quick
def test_the_index_lists_every_number_in_order():
    listed = re.findall(r"^\| \[(ACC\d+)\]\(\1\.md\) \| ([\w ]+) \| (.+) \|$", (PAGES / "README.md").read_text(), re.M)
    assert listed == [(number, kind.value, title) for number, (kind, title) in sorted(CATALOGUE.items())]


@pytest.mark.parametrize("number", WITH_EXAMPLE)
def test_the_example_gives_the_number(number, tmp_path):
    (example,) = EXAMPLE.findall(page(number))
    (tmp_path / "example.c").write_text(example)
    text = said(["--acc-report", "-c", "example.c"], tmp_path)
    assert f"[{number}]" in text
    assert all("\n  help: " in refusal for refusal in REFUSAL.findall(text)), text


@pytest.mark.parametrize("number", WITH_COMMAND)
def test_the_command_gives_the_number(number, tmp_path):
    ((name, value, arguments),) = COMMAND.findall(page(number))
    (tmp_path / "gemm.c").write_text("int main(void) { return 0; }\n")
    for example in EXAMPLE.findall(page(number)):
        (tmp_path / "example.c").write_text(example)
    assert f"[{number}]" in said(arguments.split(), tmp_path, **({name: value} if name else {}))


def test_only_our_own_faults_go_without_an_example():
    without = set(NUMBERS) - set(WITH_EXAMPLE) - set(WITH_COMMAND)
    tuned = {"ACC510"}  # what tuning finds depends on the device; tests/tune has it
    huge = {"ACC404", "ACC405"}  # for regions that fill no page; tests/test_limits.py has them
    assert without - tuned - huge <= {number for number in NUMBERS if number.startswith("ACC9")}
