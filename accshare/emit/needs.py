"""What a variant needs of a device, read off its kernels."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import prod

from accshare.builtins import constants
from accshare.conversions import size
from accshare.emit.atomics import InOnePiece, one_piece
from accshare.emit.ir import Needs
from accshare.frontend.ir import (
    LONG,
    Array,
    Atomic,
    Builtin,
    Declare,
    Expr,
    Intrinsic,
    Scalar,
    Struct,
    Type,
)
from accshare.kernel.ir import (
    Buffer,
    Define,
    KernelFunction,
    Stmt,
    Variant,
    own,
    parts,
)
from accshare.target import only_elsewhere
from accshare.tree import expressions


def needs(variant: Variant) -> Needs:
    """What `variant` needs of a device."""
    work_group = max((prod(k.work_group) for k in variant.kernels), default=1)
    local_bytes = max(map(_local_bytes, variant.kernels), default=0)
    return Needs(
        work_group,
        local_bytes,
        fp64=needs_fp64(variant),
        atomics64=needs_atomics64(variant),
        sound_barriers=only_elsewhere(variant),
        in_parts=may_be_parted(variant),
    )


def _local_bytes(kernel: KernelFunction) -> int:
    return sum(size(b.element) * prod(b.lengths) for b in kernel.local)


def needs_fp64(variant: Variant) -> bool:
    """Whether any kernel holds or computes a ``double``."""
    return any(_is_double(t) for k in variant.kernels for t in _types(k))


def needs_atomics64(variant: Variant) -> bool:
    """Whether any kernel changes 64 bits in memory in one piece."""
    return any(one.element.bytes == LONG.bytes for one in exchanges(variant))


def may_be_parted(variant: Variant) -> bool:
    """Whether a launch may be several, each with some of the groups along y and z: on GPUs, which may take no more than
    65535, and where no kernel asks how many there are."""
    asked = (axis for count in intrinsics(variant, [Builtin.GROUPS]) for axis in constants(count))
    return variant.target.lockstep and not any(asked)


def _is_double(type_: Type) -> bool:
    if isinstance(type_, Struct):
        return any(_is_double(f.type) for f in type_.fields)
    if isinstance(type_, Array):
        return _is_double(type_.element)
    return isinstance(type_, Scalar) and type_.floating and type_.bytes > 4


def _types(kernel: KernelFunction) -> Iterator[Type]:
    for param in kernel.params:
        yield param.element if isinstance(param, Buffer) else param.symbol.type
    yield from (p.element for p in kernel.private)
    yield from (b.element for b in kernel.local)
    for function_ in kernel.functions:
        yield function_.result
        yield from (p.type for p in function_.parameters)
    for stmt in every((*kernel.body, *(f.body for f in kernel.functions))):
        if isinstance(stmt, (Declare, Define)):
            yield stmt.symbol.type
        yield from (e.type for top in own(stmt) for e in expressions(top))


def intrinsics(variant: Variant, functions: Collection[Builtin]) -> Iterator[Intrinsic]:
    """The uses of some builtins in the variant's kernels."""
    return (e for e in used(variant) if isinstance(e, Intrinsic) and e.function in functions)


def used(variant: Variant) -> Iterator[Expr]:
    """The expressions in the variant's kernels."""
    for kernel in variant.kernels:
        yield from used_in(kernel.body)


def used_in(stmts: tuple[Stmt, ...]) -> Iterator[Expr]:
    """The expressions in some statements."""
    for stmt in every(stmts):
        for top in own(stmt):
            yield from expressions(top)


def exchanges(variant: Variant) -> tuple[InOnePiece, ...]:
    """What the variant's kernels do in one piece, each once."""
    written = written_buffers(variant)
    local = frozenset(b.symbol for k in variant.kernels for b in k.local)
    found = (one_piece(s, written, local) for k in variant.kernels for s in every(k.body) if isinstance(s, Atomic))
    return tuple(dict.fromkeys(one for one in found if one is not None))


def written_buffers(variant: Variant) -> frozenset[str]:
    """The buffers that some kernel writes."""
    return frozenset(p.name for k in variant.kernels for p in k.params if isinstance(p, Buffer) and p.writes)


def every(stmts: tuple[Stmt, ...]) -> Iterator[Stmt]:
    """Some statements and all below them, parents first."""
    return (part for stmt in stmts for part in parts(stmt))
