"""Which clause goes with which directive, and which exclude each other (OpenACC 3.3)."""

from __future__ import annotations

from accshare.pragma.ir import DirectiveKind as D

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
    D.KERNELS: (_COMPUTE | _DEVICE_TYPE) - {"reduction", "private", "firstprivate"},
    D.SERIAL: (_COMPUTE | _DEVICE_TYPE) - {"num_gangs", "num_workers", "vector_length"},
    D.PARALLEL_LOOP: _COMPUTE | _LOOP | _DEVICE_TYPE,
    D.KERNELS_LOOP: _COMPUTE | _LOOP | _DEVICE_TYPE,
    D.SERIAL_LOOP: (_COMPUTE | _LOOP | _DEVICE_TYPE) - {"num_gangs", "num_workers", "vector_length"},
    D.LOOP: _LOOP | _DEVICE_TYPE,
    D.DATA: _DATA | {"if", "async", "wait", "device_type"},
    D.ENTER_DATA: frozenset(["if", "async", "wait", "copyin", "create", "attach"]),
    D.EXIT_DATA: frozenset(["if", "async", "wait", "copyout", "delete", "detach", "finalize"]),
    D.UPDATE: frozenset(["async", "wait", "if", "if_present", "self", "device", "device_type"]),
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

#: other spellings
SYNONYMS: dict[str, str] = {
    **{f"{prefix}{name}": name for name in ("copy", "copyin", "copyout", "create") for prefix in ("p", "present_or_")},
    "host": "self",
    "dtype": "device_type",
}

#: at most one of each group on a directive
EXCLUSIVE: tuple[frozenset[str], ...] = (
    frozenset({"seq", "gang"}),
    frozenset({"seq", "worker"}),
    frozenset({"seq", "vector"}),
    frozenset({"seq", "independent", "auto"}),
)

#: clauses that may stand only once
SINGLE = frozenset(
    [
        "collapse",
        "gang",
        "worker",
        "vector",
        "seq",
        "independent",
        "auto",
        "tile",
        "if",
        "default",
        "num_gangs",
        "num_workers",
        "vector_length",
        "async",
    ]
)
