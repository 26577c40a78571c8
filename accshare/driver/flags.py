"""What a user can set, said once: `own` reads options by it, ``--help``, man pages and shells' completion show it."""

from __future__ import annotations

from accshare.device import NATIVE, PRESETS
from accshare.options import AUTO, OPENCL, Share
from accshare.records import dataclass

#: stages ``--acc-dump`` knows
STAGES = ("pragma", "frontend", "poly", "order", "relax", "schedule", "data", "mapping", "kernel", "emit")


@dataclass(frozen=True, slots=True)
class Flag:
    """An option of ``accshare-cc``. `value` is what is written behind ``=``, empty for nothing; `words` are the values
    known by name, of which it takes `several`, or also others where `open`."""

    name: str
    meaning: str
    value: str = ""
    words: tuple[str, ...] = ()
    several: bool = False
    open: bool = False


FLAGS = (
    Flag("--acc-report", "print what becomes of each region (or -Minfo=accel)"),
    Flag("--acc-strict", "a region that stays on the host ends the compilation with exit code 1"),
    Flag(
        "--acc-target",
        "what to compile for: auto, native kernels, this machine's GPUs and generic-gpu; native, the processor that "
        "the program runs on; opencl, the OpenCL devices of this machine, generic-gpu and generic-cpu; or device "
        "models by name",
        "NAME,...",
        (AUTO, NATIVE, OPENCL, *PRESETS),
        several=True,
    ),
    Flag(
        "--acc-share",
        "keep arrays in local memory where it saves traffic and, by an estimate, time; where it saves traffic; never; "
        "wherever it can be done",
        "auto|on|off|force",
        tuple(share.value for share in Share),
    ),
    Flag(
        "--acc-schedule",
        "run loops in the order that the model of the device finds best, of those that are legal; as they are written; "
        "as SUPER, with or without fusion, splitting, blocks of steps, copies or isl's scheduler have them, whatever "
        "they cost",
        "auto|source|super|distributed|parts|blocks|copies|isl",
        ("auto", "source", "super", "distributed", "parts", "blocks", "copies", "isl"),
    ),
    Flag("--acc-delta-r", "uses that an element needs before it is staged", "NUMBER", open=True),
    Flag("--acc-delta-s", "part of local memory that a work-group may take", "NUMBER", open=True),
    Flag(
        "--acc-banks",
        "lay tiles out so that work-items don't meet in a bank of local memory",
        "auto|off",
        ("auto", "off"),
    ),
    Flag(
        "--acc-ilp",
        "iterations that each work-item of a GPU runs side by side",
        "auto|off|N|Y:N,X:N",
        ("auto", "off", "2", "4", "8", "16"),
        open=True,
    ),
    Flag("--acc-choose", "fix sizes of one kernel, which accshare explain names", "KERNEL:NAME=SIZE,...", open=True),
    Flag("--acc-prebuild", "build the kernels of this machine's OpenCL devices now, not when programs first need them"),
    Flag("--acc-dump", "print what stages make", "STAGE,...", STAGES, several=True),
    Flag("--acc-time", "print how long each stage takes"),
    Flag("--acc-no-validate", "leave out the proof of each kernel"),
    Flag("--acc-no-cache", "compile anew"),
)

#: environment variables of the compiler, and of programs it made
VARIABLES = (
    ("ACCSHARE_FLAGS", "options of accshare-cc, in front of those of the command line"),
    ("ACCSHARE_CC", "the host compiler: cc, gcc or clang on PATH otherwise"),
    ("ACCSHARE_CACHE_DIR", "where translated files and compiled kernels are kept"),
    ("ACCSHARE_TUNING", "the file with what accshare tune found"),
)
PROGRAM_VARIABLES = (
    (
        "ACC_DEVICE_TYPE",
        "OpenACC's choice of a device by kind: host (the loops as they stand), cpu, gpu, opencl, ...",
    ),
    ("ACC_DEVICE_NUM", "OpenACC's choice of a device by number"),
    ("ACCSHARE_OFFLOAD", "default; disabled; or mandatory: end with exit code 3 where a loop can't run on a device"),
    ("ACCSHARE_BREAK_EVEN", "0: loops run on the device even where they are too small to gain by it"),
    ("ACCSHARE_LEARN", "off: where loops run follows from their sizes alone, not from what they took before"),
    ("ACCSHARE_NOTIFY", "sum of: 1 a line for each launch, 2 a line for each transfer"),
    ("ACCSHARE_PROFILE", "1: a table at exit; json:PATH: the same as JSON"),
    ("ACCSHARE_RECORD", "a file, to which the sizes that loops met are added at exit"),
    ("ACCSHARE_ZERO_COPY", "0: give a CPU device copies too, instead of the program's own memory"),
    ("ACCSHARE_THREADS", "threads that run native kernels, the program's own among them"),
    ("ACCSHARE_RUNTIME", "the runtime library, when it is not where it was installed"),
    ("ACCSHARE_OPENCL", "the OpenCL library to load"),
)
