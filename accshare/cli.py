"""``accshare``: look into what the compiler does, check it, and see what this machine offers.

Exit codes: 0 all is well; 1 the answer is bad news (a region differs or could not be checked, a file can't be
compiled, something stops offloading); 2 the command line can't be understood. ``accshare run`` gives the program's.

What a command needs is loaded when it is chosen: ``accshare doctor`` works where half of it is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from accshare import __version__
from accshare.records import asdict
from accshare.run.tune.options import add_arguments as add_tuning

if TYPE_CHECKING:
    from accshare.pipeline import Result
    from accshare.report.measured import Measurements
    from accshare.run.sources import Unit
    from accshare.source import SourceFile

_BAD_NEWS = 1
_USAGE = 2
_FLAG_HELP = "compiler options (-D, -I, -O2, --acc-target=…) may stand anywhere after the command"
#: compiler options whose value may be the next argument; others pass through by themselves
_WITH_VALUE = ("-D", "-U", "-I", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-x", "-L", "-l")
_NEEDS_MORE = "this command needs more"


class _Trouble(Exception):  # noqa: N818 - says what happened to the command
    """A command can't do its work; the message is for the user."""

    code = _BAD_NEWS


class _Misused(_Trouble):
    """The command line asks for what there is not."""

    code = _USAGE


def _lacking(extra: str, what: str, error: ImportError) -> _Trouble:
    """A command needs packages that are not there."""
    from accshare.run import extras  # noqa: PLC0415

    return _Trouble(f"{what}: {extras.extra(extra)} ({error})")


class _Flag(argparse.Action):
    """Keeps a compiler option with its value, in order."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        assert isinstance(values, str)
        namespace.flags = [*(namespace.flags or []), f"{option_string}", values]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command; the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    own, program = (words[: words.index("--")], words[words.index("--") + 1 :]) if "--" in words else (words, [])
    parser = make_parser()
    args, rest = parser.parse_known_args(own)
    if program and args.command != "run":
        parser.error("-- is for accshare run")
    if not hasattr(args, "files") and rest:
        parser.error(f"unknown argument {rest[0]}")
    strange = [word for word in rest if not word.startswith("-")]
    if strange:
        parser.error(f"{strange[0]} comes after an option that is not known to take a value; join them (-oNAME)")
    args.flags = [*(getattr(args, "flags", None) or []), *rest]
    args.arguments = program
    handle: Callable[[argparse.Namespace], int] = args.handle
    try:
        return handle(args)
    except _Trouble as trouble:
        print(f"accshare: {trouble}", file=sys.stderr)
        return trouble.code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output has gone; nothing may be flushed into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def make_parser() -> argparse.ArgumentParser:
    """What reads the command line."""
    parser = argparse.ArgumentParser(
        prog="accshare",
        description="Look into what accshare-cc does with a C file, check it, and see what this machine offers.",
        epilog="exit codes: 0 all is well, 1 bad news, 2 wrong usage; run: those of the program",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"accshare {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    command = partial(_add, commands)
    explain = command("explain", _explain, "what becomes of each annotated loop, and why", files=True)
    form = explain.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="the same for programs")
    form.add_argument("--html", action="store_true", help="the same with pictures, as a web page (report.html)")
    form.add_argument("-v", "--verbose", action="store_true", help="other targets too, and how sizes were chosen")
    explain.add_argument("-o", dest="output", metavar="FILE", help="write it to a file; - is standard output")
    explain.add_argument(
        "--profile",
        type=Path,
        metavar="FILE.json",
        help="with --html: show the times that the program wrote where ACCSHARE_PROFILE was json:FILE.json",
    )
    emit = command("emit", _emit, "the OpenCL C and host C that are generated", files=True)
    emit.add_argument("-o", "--output", metavar="DIR", type=Path, help="write files instead of printing")
    which = emit.add_mutually_exclusive_group()
    which.add_argument("--kernel", action="store_true", help="only the OpenCL C")
    which.add_argument("--host", action="store_true", help="only the host C, headers included")
    which.add_argument("--all", action="store_true", help="both, headers included; files always hold all")
    command("run", _run, "build a program, run it, and show its launches (arguments after --)", files=True)
    verify = command("verify", _verify, "each annotated loop on a device against the same loop on the host", files=True)
    verify.add_argument(
        "--size", action="append", default=[], type=_size, metavar="NAME=VALUE", help="fix an integer of the loops"
    )
    bench = command("bench", _bench, "speed of the samples, and of the compiler")
    with suppress(ImportError):  # the command itself says what it lacks
        from accshare.run.bench import add_arguments  # noqa: PLC0415

        add_arguments(bench)
    add_tuning(command("tune", _tune, "measure other sizes of kernels, for later builds to take the best", files=True))
    resources = command("resources", _resources, "registers, spills and occupancy of each kernel on GPUs", files=True)
    resources.add_argument("--json", action="store_true", help="the same for programs")
    devices = command("devices", _devices, "the OpenCL devices of this machine, as the compiler sees them")
    devices.add_argument("--presets", action="store_true", help="the models known by name instead")
    devices.add_argument("--json", action="store_true", help="the same for programs")
    completion = command("completion", _completion, "a script that makes a shell complete both programs' options")
    completion.add_argument("shell", choices=("bash", "zsh", "fish"))
    command("doctor", _doctor, "what was found on this machine, what is missing, and what to install")
    return parser


def _add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    handle: Callable[[argparse.Namespace], int],
    text: str,
    *,
    files: bool = False,
) -> argparse.ArgumentParser:
    made = commands.add_parser(
        name, help=text, description=text, allow_abbrev=False, epilog=_FLAG_HELP if files else None
    )
    made.set_defaults(handle=handle)
    if files:
        made.add_argument("files", nargs="+", metavar="FILE.c")
        made.add_argument(*_WITH_VALUE, dest="flags", action=_Flag, metavar="VALUE", help=argparse.SUPPRESS)
    return made


def _explain(args: argparse.Namespace) -> int:
    from accshare.report import explain, explain_briefly, to_json  # noqa: PLC0415

    if args.html:
        return _explain_as_page(args)
    if args.profile:
        raise _Misused("--profile goes with --html")
    show = to_json if args.json else explain if args.verbose else explain_briefly
    texts = (show(unit.result, unit.source).rstrip("\n") + "\n" for unit in _units(args))
    if args.output in (None, "-"):
        sys.stdout.writelines(texts)
    else:
        _written(args.output, "".join(texts))
    return 0


def _explain_as_page(args: argparse.Namespace) -> int:
    try:
        from accshare.report.page import page  # noqa: PLC0415
    except ImportError as error:
        raise _lacking("html", "--html draws with matplotlib", error) from error
    units = [(unit.result, unit.source) for unit in _units(args)]
    text = page(units, _measured(args.profile, units) if args.profile else None)
    if args.output == "-":
        sys.stdout.write(text)
    else:
        _written(args.output or "report.html", text)
    return 0


def _measured(profile: Path, units: list[tuple[Result, SourceFile]]) -> Measurements:
    try:
        from accshare.run.measured import ProfileTrouble, measurements  # noqa: PLC0415
    except ImportError as error:
        raise _lacking("run", "--profile needs more", error) from error
    try:
        return measurements(profile, units)
    except ProfileTrouble as why:
        raise _Trouble(str(why)) from why


def _written(name: str, text: str) -> None:
    try:
        Path(name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise _Trouble(f"{error.filename}: {error.strerror}") from error
    print(name)


def _emit(args: argparse.Namespace) -> int:
    from accshare.run import files  # noqa: PLC0415
    from accshare.source import shown  # noqa: PLC0415

    kernels, host = not args.host, not args.kernel
    for unit in _units(args):
        _say(unit)
        if args.output is None:
            for name, text in files.texts(unit, kernels=kernels, host=host, whole=args.all or args.host):
                print(f"/* ---- {name} ---- */\n{shown(text)}")
            continue
        try:
            for path in files.write(unit, args.output, kernels=kernels, host=host):
                print(path)
        except OSError as error:
            raise _Trouble(f"{error.filename}: {error.strerror}") from error
    return 0


def _run(args: argparse.Namespace) -> int:
    from accshare.driver.targets import devices_library  # noqa: PLC0415
    from accshare.run.program import run_program  # noqa: PLC0415

    if not devices_library():
        print("accshare: the runtime library is not installed, so this runs on the host", file=sys.stderr)
    return run_program(args.files, args.flags, args.arguments)


def _verify(args: argparse.Namespace) -> int:
    try:
        from rich.console import Console  # noqa: PLC0415

        from accshare.run.host import kernel_flags  # noqa: PLC0415
        from accshare.run.opencl import DeviceTrouble  # noqa: PLC0415
        from accshare.run.sizes import integers  # noqa: PLC0415
        from accshare.run.tables import verdict_table  # noqa: PLC0415
        from accshare.run.verify import summarised, verify  # noqa: PLC0415
    except ImportError as error:
        raise _lacking("run", _NEEDS_MORE, error) from error
    units = list(_units(args))
    regions = [region for unit in units for region in unit.result.output.regions]
    for unit in units:
        _say(unit)
    if not regions:
        raise _Trouble("there is nothing to verify: no region runs on a device; `accshare explain` says why")
    known = dict.fromkeys(name for region in regions for name in integers(region.offload.plan))
    for name, _ in args.size:
        if name not in known:
            raise _Misused(
                f"--size: no loop has an integer input called {name}; there are {', '.join(known) or 'none'}"
            )
    console = Console()
    verdicts = []
    try:
        with Console(stderr=True).status("verifying …") as status:
            for verdict in verify(regions, dict(args.size), kernel_flags(args.flags)):
                status.update(f"verifying … {verdict.region}")
                verdicts.append(verdict)
    except DeviceTrouble as why:
        raise _Trouble(str(why)) from why
    console.print(verdict_table(verdicts))
    summary = summarised([region.offload.region.name for region in regions], verdicts)
    console.print(summary.text, markup=False, highlight=False, soft_wrap=True)
    return 0 if summary.good else _BAD_NEWS


def _bench(args: argparse.Namespace) -> int:
    try:
        from accshare.run.bench import main as bench  # noqa: PLC0415
    except ImportError as error:
        raise _lacking("run", _NEEDS_MORE, error) from error

    if not args.plot:
        return bench(args)
    try:
        from accshare.run.bench.plot import plot  # noqa: PLC0415
    except ImportError as error:
        raise _lacking("html", "--plot draws with matplotlib", error) from error
    return bench(args, plot)


def _tune(args: argparse.Namespace) -> int:
    try:
        from accshare.run.tune.command import tune  # noqa: PLC0415
        from accshare.run.tune.ir import TuneTrouble  # noqa: PLC0415
    except ImportError as error:
        raise _lacking("run", _NEEDS_MORE, error) from error
    try:
        return tune(args)
    except TuneTrouble as why:
        raise _Trouble(str(why)) from why


def _resources(args: argparse.Namespace) -> int:
    from accshare.run.host import HostTrouble  # noqa: PLC0415
    from accshare.run.resources import measure  # noqa: PLC0415
    from accshare.run.sources import Unreadable  # noqa: PLC0415
    from accshare.trace import StageError  # noqa: PLC0415

    try:
        rows = [row for name in args.files for row in measure(name, args.flags)]
    except (Unreadable, HostTrouble) as why:
        raise _Trouble(str(why)) from why
    except StageError as why:
        raise _Trouble(f"this is a bug in accshare, please report it: {why}") from why
    if not rows:
        raise _Trouble("there is nothing to measure: no region runs on a device; `accshare explain` says why")
    if args.json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
    else:
        from accshare.run import tables  # noqa: PLC0415

        tables.show(tables.resource_table(rows))
    return _BAD_NEWS if any(row.trouble for row in rows) else 0


def _devices(args: argparse.Namespace) -> int:
    if args.presets:
        from accshare.device import PRESETS  # noqa: PLC0415

        if args.json:
            print(json.dumps([asdict(model) for model in PRESETS.values()], indent=1, default=attrgetter("value")))
        else:
            from accshare.run import tables  # noqa: PLC0415

            tables.show(tables.preset_table())
        return 0
    from accshare.device.probe import ProbeError, refreshed  # noqa: PLC0415
    from accshare.driver.targets import devices_library  # noqa: PLC0415

    library = devices_library()
    if not library:
        raise _Trouble("the runtime library is not installed; `accshare doctor` tells more")
    try:
        found = refreshed(library)
    except ProbeError as why:
        raise _Trouble(str(why)) from why
    if not found:
        raise _Trouble("no OpenCL device; `accshare doctor` tells what to install")
    if args.json:
        print(json.dumps([asdict(one) for one in found], indent=1, default=attrgetter("value")))
    else:
        from accshare.run import tables  # noqa: PLC0415

        tables.show(tables.device_table(found))
    return 0


def _completion(args: argparse.Namespace) -> int:
    from accshare.manual.shells import script  # noqa: PLC0415

    print(script(args.shell, make_parser()), end="")
    return 0


def _doctor(_: argparse.Namespace) -> int:
    from accshare.run.doctor import Level, examine  # noqa: PLC0415

    worst = 0
    for check in examine():
        print(check, flush=True)
        worst = _BAD_NEWS if check.level is Level.FAIL else worst
    print("\nSomething keeps loops from running as kernels: see above." if worst else "\nLoops can run as kernels.")
    return worst


def _units(args: argparse.Namespace) -> Iterator[Unit]:
    """Each file of the command line, compiled."""
    from accshare.run.host import HostTrouble  # noqa: PLC0415
    from accshare.run.sources import Unreadable, compile_file  # noqa: PLC0415
    from accshare.trace import StageError  # noqa: PLC0415

    for name in args.files:
        try:
            yield compile_file(name, args.flags)
        except (Unreadable, HostTrouble) as why:
            raise _Trouble(str(why)) from why
        except StageError as why:
            raise _Trouble(f"{name}: this is a bug in accshare, please report it: {why}") from why


def _say(unit: Unit) -> None:
    """What the compiler would print: all but notes."""
    from accshare.diagnostics import Kind, render  # noqa: PLC0415

    for diagnostic in unit.result.diagnostics:
        if diagnostic.kind is not Kind.NOTE:
            print(render(diagnostic, unit.source), file=sys.stderr)


def _size(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    try:
        return name, int(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: write NAME=VALUE, as in n=1000") from None


if __name__ == "__main__":
    sys.exit(main())
