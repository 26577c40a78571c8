"""Help, man pages and completion say what the commands take, and are what is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from accshare.driver.flags import FLAGS, PROGRAM_VARIABLES, VARIABLES
from accshare.manual.__main__ import texts

ROOT = Path(__file__).parent.parent
SHARE = ROOT / "share"
BIN = Path(sys.executable).parent
README = (ROOT / "README.md").read_text()


def printed(*command: object, **extra: str) -> str:
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", **extra}
    done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def need(tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool}")


def test_what_is_installed_is_up_to_date():
    kept = {str(path.relative_to(SHARE)): path.read_text() for path in SHARE.rglob("*") if path.is_file()}
    assert kept == texts(), "make share"


def test_help_shows_our_options_before_the_host_compilers():
    ours, _, theirs = printed("accshare-cc", "--help").partition("What follows is the host compiler's help.\n\n")
    assert theirs == printed("cc", "--help")
    assert [flag.name for flag in FLAGS] == re.findall(r"^  (--acc-[\w-]+)", ours, re.MULTILINE)
    assert all(flag.meaning in " ".join(ours.split()) for flag in FLAGS)


def test_the_readme_has_the_same_options_and_variables():
    assert set(re.findall(r"`(--acc-[\w-]+)", README)) == {flag.name for flag in FLAGS}
    known = {name for name, _ in (*VARIABLES, *PROGRAM_VARIABLES)}
    assert known == set(re.findall(r"`(ACC[\w_]+)`", README)) & known
    assert {name for name, _ in PROGRAM_VARIABLES} <= set(re.findall(r"^\| .*`(ACC\w+)`.*\|", README, re.MULTILINE)) | {
        "ACC_DEVICE_TYPE"
    }


@pytest.mark.parametrize("page", ["accshare", "accshare-cc"])
def test_a_man_page_is_well_formed(page):
    need("man")
    text = printed(
        "man", "--warnings", "-E", "ascii", "-l", SHARE / f"man/man1/{page}.1", MANWIDTH="200", MAN_KEEP_FORMATTING=""
    )
    assert "NAME" in text
    assert ("--acc-target=NAME,..." if page == "accshare-cc" else "explain [option]... FILE.c...") in text


#: cursor at the end of a line, and what may stand there
COMPLETED = [
    ("accshare-cc --acc-st", {"--acc-strict"}),
    ("accshare-cc -c x.c --acc-share=o", {"on", "off"}),
    ("accshare-cc --acc-dump=poly,ke", {"poly,kernel"}),
    ("accshare ex", {"explain"}),
    ("accshare explain --j", {"--json"}),
    ("accshare tune --acc-b", {"--acc-banks="}),
    ("accshare bench --size ", {"small", "medium", "large"}),
    ("accshare doctor --j", set()),
    ("accshare-cc -fno-strict-al", {"-fno-strict-aliasing"}),
]


@pytest.mark.parametrize("breaks", [" =", " "], ids=["words end at =", "words go on at ="])
def test_bash_completes(breaks):
    script = printed("accshare", "completion", "bash")
    asked = []
    for line, _ in COMPLETED:
        words = line.replace("=", " = " if "=" in breaks else "=").split(" ")
        quoted = " ".join(f"'{word}'" for word in words)
        asked.append(f'COMP_WORDS=({quoted}) COMP_CWORD={len(words) - 1}; _accshare; echo "${{COMPREPLY[@]}}"')
    found = printed("bash", "-c", script + "\n".join(asked)).split("\n")[:-1]
    for (line, expected), reply in zip(COMPLETED, found, strict=True):
        option = line.split()[-1].partition("=")[0] + "=" if "=" in line and "=" not in breaks else ""
        assert set(reply.split()) == {option + word for word in expected}, line


def test_fish_completes():
    need("fish")
    script = printed("accshare", "completion", "fish")
    for line, expected in (*COMPLETED[:2], *COMPLETED[3:8]):
        reply = printed("fish", "-c", f"{script}\ncomplete -C '{line}'").split("\n")[:-1]
        words = {row.split("\t")[0].rpartition("=")[2] for row in reply if not row.endswith("/")}
        assert words == {word.rstrip("=") for word in expected}, line


def test_zsh_completes(tmp_path):
    need("zsh")
    (tmp_path / "script").write_text(
        "zmodload zsh/zpty\nTERM=dumb\nzpty c zsh -f -i\n"
        f"zpty -w c 'fpath=({SHARE}/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D; print RE\\ADY'\n"
        "zpty -r c out '*READY*'\n"
        "zpty -w -n c $'accshare-cc --acc-stri\\t'; zpty -r c out '*--acc-strict*'; print one\n"
        "zpty -w -n c $' --acc-share=f\\t'; zpty -r c out '*force*'; print two\n"
        "zpty -w -n c $'\\C-uaccshare expl\\t'; zpty -r c out '*explain*'; print three\n"
        "zpty -d c\n"
    )
    assert printed("timeout", "600", "zsh", "-f", tmp_path / "script", HOME=str(tmp_path)) == "one\ntwo\nthree\n"
