"""Options of ours, from the command line and from the environment."""

from __future__ import annotations

import pytest

from accshare.driver import words as w
from accshare.driver.own import options_of
from accshare.options import Ilp, Options, Share

pytestmark = pytest.mark.quick


def options(args: str, compiler: str = "cc") -> Options:
    found, problems = options_of(w.split(args.split()), compiler)
    assert not problems
    return found


def test_each_option_sets_what_it_says():
    found = options(
        "--acc-target=generic-cpu,generic-gpu --acc-strict --acc-share=off --acc-dump=poly --acc-dump=kernel,emit"
        " --acc-time --acc-report --acc-no-validate --acc-no-cache --acc-delta-r=1.5 --acc-delta-s=.25 --acc-ilp=8"
        " --acc-banks=off"
        " -fopenacc -acc -acc=gpu -c foo.c"
    )
    assert found == Options(
        targets=("generic-cpu", "generic-gpu"), strict=True, share=Share.OFF, dump=("poly", "kernel", "emit"),
        time=True, report=True, validate=False, cache=False, delta_r=1.5, delta_s=0.25,
        ilp=Ilp(automatic=False, several=8), banks=False,
    )  # fmt: skip


def test_iterations_side_by_side_can_be_asked_for_by_axis():
    assert options("--acc-ilp=Y:4,x:2").ilp == Ilp(automatic=False, axes=(2, 4, 1))
    assert options("--acc-ilp=Z:16").ilp == Ilp(automatic=False, axes=(1, 1, 16))
    assert options("--acc-ilp=off").ilp == Ilp(automatic=False)
    assert options("--acc-ilp=off --acc-ilp=auto").ilp == Ilp()


def test_minfo_is_a_report():
    assert options("-Minfo=accel").report
    assert options("-Minfo").report
    assert not options("-Minfo=loop").report


@pytest.mark.parametrize(
    ("flags", "reassociates"),
    [
        ("-O2", False),
        ("-Ofast", True),
        ("-Ofast -O2", False),
        ("-O2 -ffast-math", True),
        ("-ffast-math -fno-associative-math", False),
        ("-Ofast -fno-fast-math", False),
        ("-fassociative-math", True),
    ],
)
def test_sums_are_reordered_only_with_the_users_leave(flags, reassociates):
    assert options(flags).reassociate is reassociates


@pytest.mark.parametrize(
    ("flags", "compiler", "contracts"),
    [
        ("", "gcc", True),
        ("-std=gnu11", "gcc", True),
        ("-std=c99", "gcc", False),
        ("-ansi", "gcc", False),
        ("-std=c99", "/usr/bin/clang-14", True),
        ("-std=c99 -ffp-contract=fast", "gcc", True),
        ("-ffp-contract=on", "gcc", False),
        ("-ffp-contract=on", "clang", True),
        ("-ffp-contract=off", "clang", False),
    ],
)
def test_multiply_add_is_fused_only_where_the_host_compiler_would(flags, compiler, contracts):
    assert options(flags, compiler).contract is contracts


def test_the_command_line_overrides_the_environment(monkeypatch):
    monkeypatch.setenv("ACCSHARE_FLAGS", "--acc-share=off '--acc-strict'")
    assert options("--acc-share=auto") == Options(strict=True)


@pytest.mark.parametrize(
    ("flag", "code", "says"),
    [
        ("--acc-stric", "ACC702", "did you mean --acc-strict?"),
        ("--acc-target=generic-cpux", "ACC701", "did you mean generic-cpu?"),
        ("--acc-share=maybe", "ACC702", "on, off, force"),
        ("--acc-dump=kernels", "ACC702", "did you mean kernel?"),
        ("--acc-target", "ACC702", "--acc-target=auto"),
        ("--acc-strict=yes", "ACC702", "write --acc-strict"),
        ("--acc-delta-s=half", "ACC702", "--acc-delta-s=0.25"),
        ("--acc-delta-r=-1", "ACC702", "a positive number"),
        ("--acc-delta-r=inf", "ACC702", "a positive number"),
        ("--acc-ilp=3", "ACC702", "powers of two up to 16"),
        ("--acc-ilp=Y:4,Y:2", "ACC702", "powers of two up to 16"),
        ("--acc-ilp", "ACC702", "Y:4,X:2"),
        ("--acc-delta", "ACC702", "did you mean --acc-delta-"),
    ],
)
def test_what_is_not_understood_is_named_with_a_way_out(acc, flag, code, says):
    done = acc.run("-c", "plain.c", flag)
    assert done.returncode == 1
    assert code in done.stderr
    assert says in done.stderr
    assert "plain.o" not in acc.files()
