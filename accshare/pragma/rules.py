"""Which clause goes with which directive, and which exclude each other (OpenACC 3.3)."""

from __future__ import annotations

from accshare.pragma.ir import DirectiveKind as D
from accshare.pragma.ir import Movement

_DATA = frozenset(["copy", "copyin", "copyout", "create", "present", "no_create", "deviceptr", "attach", "default"])
_COMPUTE = _DATA | frozenset(
    ["if", "self", "async", "wait", "num_gangs", "num_workers", "vector_length", "reduction", "private", "firstprivate"]
)
_LOOP = frozenset(
    ["collapse", "gang", "worker", "vector", "seq", "independent", "auto", "tile", "private", "reduction"]
)
_DEVICE_TYPE = frozenset({"device_type"})

#: directive -> the clauses it takes, under their canonical names
ALLOWED: dict[D, frozenset[str]] = {
    D.PARALLEL: _COMPUTE | _DEVICE_TYPE,
    # ``private`` is not in the standard here, but compilers take it, and so do programs
    D.KERNELS: (_COMPUTE | _DEVICE_TYPE) - {"reduction", "firstprivate"},
    D.SERIAL: (_COMPUTE | _DEVICE_TYPE) - {"num_gangs", "num_workers", "vector_length"},
    D.PARALLEL_LOOP: _COMPUTE | _LOOP | _DEVICE_TYPE,
    D.KERNELS_LOOP: (_COMPUTE | _LOOP | _DEVICE_TYPE) - {"firstprivate"},
    D.SERIAL_LOOP: (_COMPUTE | _LOOP | _DEVICE_TYPE) - {"num_gangs", "num_workers", "vector_length"},
    D.LOOP: _LOOP | _DEVICE_TYPE,
    D.DATA: _DATA | {"if", "async", "wait", "device_type"},
    D.ENTER_DATA: frozenset(["if", "async", "wait", "copyin", "create", "attach"]),
    D.EXIT_DATA: frozenset(["if", "async", "wait", "copyout", "delete", "detach", "finalize"]),
    D.UPDATE: frozenset(["async", "wait", "if", "if_present", "self", "host", "device", "device_type"]),
    D.WAIT: frozenset(["wait", "async", "if"]),
    D.ATOMIC: frozenset(["read", "write", "update", "capture", "if"]),
    D.ROUTINE: frozenset(["routine", "gang", "worker", "vector", "seq", "bind", "device_type", "nohost"]),
    D.HOST_DATA: frozenset(["use_device", "if", "if_present"]),
    D.CACHE: frozenset({"cache"}),
    D.DECLARE: frozenset(["copy", "copyin", "copyout", "create", "present", "deviceptr", "device_resident", "link"]),
    D.INIT: frozenset(["device_type", "device_num", "if"]),
    D.SHUTDOWN: frozenset(["device_type", "device_num", "if"]),
    D.SET: frozenset(["default_async", "device_num", "device_type", "if"]),
    D.SHARE: frozenset({"share"}),
}

#: at least one of these must stand: a directive without them says nothing
NEEDED: dict[D, tuple[str, ...]] = {
    D.ENTER_DATA: ("copyin", "create", "attach"),
    D.EXIT_DATA: ("copyout", "delete", "detach"),
    D.UPDATE: ("self", "device", "host"),
    D.HOST_DATA: ("use_device",),
    D.SET: ("default_async", "device_num", "device_type"),
}

#: movement -> the modifiers it takes
MODIFIERS: dict[Movement, frozenset[str]] = {
    Movement.COPY: frozenset({"always", "alwaysin", "alwaysout", "capture"}),
    Movement.COPYIN: frozenset({"always", "alwaysin", "capture", "readonly"}),
    Movement.COPYOUT: frozenset({"always", "alwaysout", "capture", "zero"}),
    Movement.CREATE: frozenset({"capture", "zero"}),
}

#: other spellings, on any directive
SYNONYMS: dict[str, str] = {
    **{f"{prefix}{name}": name for name in ("copy", "copyin", "copyout", "create") for prefix in ("p", "present_or_")},
    "dtype": "device_type",
}

#: at most one of each group on a directive
EXCLUSIVE: tuple[frozenset[str], ...] = (
    frozenset({"seq", "gang"}),
    frozenset({"seq", "worker"}),
    frozenset({"seq", "vector"}),
    frozenset({"seq", "independent", "auto"}),
    frozenset({"collapse", "tile"}),
    frozenset({"read", "write", "update", "capture"}),
)
ROUTINE_LEVELS = frozenset({"gang", "worker", "vector", "seq"})

#: clauses that may stand only once
SINGLE = frozenset(
    [
        *("collapse", "tile", "gang", "worker", "vector", "seq", "independent", "auto"),
        *("if", "self", "default", "async", "num_gangs", "num_workers", "vector_length"),
        *("device_num", "default_async", "bind", "finalize", "if_present", "nohost"),
        *("share", "cache", "routine"),
    ]
)

#: how a clause is written; the others take no argument, or a list of variables
EXAMPLES: dict[str, str] = {
    "async": "async(1)",
    "bind": "bind(name)",
    "cache": "cache(A[i][0:n])",
    "collapse": "collapse(2)",
    "default": "default(present)",
    "default_async": "default_async(1)",
    "device_num": "device_num(0)",
    "device_type": "device_type(nvidia)",
    "firstprivate": "firstprivate(x, y)",
    "gang": "gang(num: 64)",
    "if": "if(n > 1000)",
    "num_gangs": "num_gangs(64)",
    "num_workers": "num_workers(4)",
    "private": "private(x, y)",
    "reduction": "reduction(+: sum)",
    "routine": "routine(name) seq",
    "self": "self(n < 1000)",
    "share": "share(A[TB_Y][*]:coalesce, B[*][TB_X])",
    "tile": "tile(32, 8)",
    "vector": "vector(128)",
    "vector_length": "vector_length(128)",
    "wait": "wait(1, 2)",
    "worker": "worker(4)",
}
