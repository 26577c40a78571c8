"""A kernel put together: its code, and the parameters, variables, functions and types that the code mentions."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.frontend.ir import Call, Function, Struct, Symbol, Type, Var
from accshare.kernel.generate.body import buffer_symbol, element_of, sizes_of
from accshare.kernel.generate.several import MOST_TILES
from accshare.kernel.generate.space import Space
from accshare.kernel.ir import (
    Buffer,
    Copied,
    KernelFunction,
    LocalBuffer,
    Param,
    Private,
    Stmt,
    Value,
)
from accshare.kernel.passes.vector_calls import with_vector_functions
from accshare.kernel.uses import declared, renamed, stored, used_expressions
from accshare.mapping.ir import DataBoundLoop, RegisterTile
from accshare.records import replace
from accshare.tree import expressions


def assembled(
    space: Space,
    body: tuple[Stmt, ...],
    work_group: tuple[int, int, int],
    *,
    firsts: tuple[Symbol, ...] = (),
    params: tuple[Param, ...] = (),
    local: tuple[LocalBuffer, ...] = (),
    private: tuple[Private, ...] = (),
    expanded: frozenset[str] = frozenset(),
    register_tile: RegisterTile | None = None,
    copies: tuple[Copied, ...] = (),
    data_bound: tuple[DataBoundLoop, ...] = (),
    fuses: bool = False,
    zeroed: frozenset[Symbol] = frozenset(),
) -> KernelFunction:
    """The kernel of a nest with the code `body`.

    `firsts` are parameters of the grid, `params` and `private` what it has beside those of the nest; of the variables
    called `expanded` a work-item has one for each of its iterations; those `zeroed` begin with zeros. `fuses` is the
    device's.
    """
    nest, region = space.partition.nest, space.scop.region
    body, vector = with_vector_functions(body, fuses)
    tiles = MOST_TILES if register_tile is not None and register_tile.sweep else 1
    mentioned = used_expressions(body)
    used = tuple(dict.fromkeys(e.symbol for e in mentioned if isinstance(e, Var)))
    own = tuple(replace(p, zeroed=p.symbol in zeroed) for p in (*_private(space, expanded, used, tiles), *private))
    all_params = _params(space, firsts, params, own, used, stored(body))
    called = {e.callee for e in mentioned if isinstance(e, Call)}
    functions = (*_needed(region.functions, called), *vector)
    structs = _structs(all_params, own)
    name, span = nest.name, nest.span
    made = KernelFunction(
        name, all_params, work_group, own, local, body, functions, structs, span, register_tile, copies, data_bound
    )
    return _distinct(made, frozenset(region.symbols), used)


def _private(space: Space, expanded: frozenset[str], used: tuple[Symbol, ...], tiles: int) -> tuple[Private, ...]:
    """Those of the `used` variables that are a work-item's own, which runs so many tiles at most; those that a
    statement declares are part of the statement."""
    result = []
    for variable_ in space.scop.variables:
        nest = space.partition.nest
        if variable_.name not in nest.private - nest.local or not isinstance(variable_.base, Var):
            continue
        symbol = variable_.base.symbol
        if symbol in used:
            element, _ = element_of(symbol.type)
            lengths, times = sizes_of(variable_)
            several = (tiles * space.iterations,) if variable_.name in expanded else ()
            result.append(Private(symbol, element, (*several, *lengths), times=times))
    return tuple(result)


def _params(
    space: Space,
    firsts: tuple[Symbol, ...],
    more: tuple[Param, ...],
    own: tuple[Private, ...],
    mentioned: tuple[Symbol, ...],
    written: frozenset[Symbol],
) -> tuple[Param, ...]:
    """Buffers first, then values, each in the order in which they are `mentioned`; last what only the lengths of `own`
    arrays need."""
    scop, nest = space.scop, space.partition.nest
    lengths = (e.symbol for p in own if p.times is not None for e in expressions(p.times) if isinstance(e, Var))
    used = dict.fromkeys((*mentioned, *lengths))
    buffers = {buffer_symbol(v): v for v in scop.variables if v.name not in nest.private}
    values = {p.symbol for p in scop.parameters} | {n.iterator for n in nest.host} | {*firsts}
    return (
        *(
            Buffer(
                s.unique, buffers[s].element, s in written, buffers[s].memory not in nest.aliased, buffers[s].part_of
            )
            for s in used
            if s in buffers
        ),
        *(p for p in more if isinstance(p, Buffer)),
        *(Value(s) for s in used if s in values),
        *(p for p in more if isinstance(p, Value)),
    )


def _needed(functions: tuple[Function, ...], called: set[str]) -> tuple[Function, ...]:
    """The user's functions that are called, directly or by one another."""
    needed = set(called)
    for function in reversed(functions):
        if function.name in needed:
            needed |= {e.callee for e in used_expressions((function.body,)) if isinstance(e, Call)}
    return tuple(f for f in functions if f.name in needed)


def _structs(params: tuple[Param, ...], private: tuple[Private, ...]) -> tuple[Struct, ...]:
    """The struct types in use, members' types before their owners."""
    found: dict[str, Struct] = {}

    def visit(type_: Type) -> None:
        if isinstance(type_, Struct) and type_.name not in found:
            for member in type_.fields:
                visit(element_of(member.type)[0])
            found[type_.name] = type_

    for param in params:
        visit(param.element if isinstance(param, Buffer) else param.symbol.type)
    for own in private:
        visit(own.element)
    return tuple(found.values())


# --- names of its own, apart from the user's ---------------------------------------------------------------------


def _distinct(kernel: KernelFunction, users: frozenset[Symbol], mentioned: tuple[Symbol, ...]) -> KernelFunction:
    """`kernel` with new names for what code generation called like one of the `users` variables that are `mentioned`.

    ``i_tile`` is made from ``i``, and nothing keeps a program from having an ``i_tile`` of its own.
    """
    taken = {p.name if isinstance(p, Buffer) else p.symbol.unique for p in kernel.params}
    taken |= {s.unique for s in mentioned if s in users}
    taken |= {f.name for f in kernel.functions} | {s.name for s in kernel.structs}
    new: dict[Symbol, Symbol] = {}
    for symbol in _declared_in(kernel):
        if symbol not in users and symbol not in new and symbol.unique in taken:
            unique = symbol.unique
            while unique in taken:
                unique += "_"
            taken.add(unique)
            new[symbol] = replace(symbol, unique=unique)
    return _renamed(kernel, new) if new else kernel


def _declared_in(kernel: KernelFunction) -> Iterator[Symbol]:
    """What the kernel declares, parameters aside."""
    yield from (p.symbol for p in kernel.private)
    yield from (b.symbol for b in kernel.local)
    yield from declared(kernel.body)


def _renamed(kernel: KernelFunction, new: dict[Symbol, Symbol]) -> KernelFunction:
    return replace(
        kernel,
        private=tuple(replace(p, symbol=new.get(p.symbol, p.symbol)) for p in kernel.private),
        local=tuple(replace(b, symbol=new.get(b.symbol, b.symbol)) for b in kernel.local),
        body=renamed(kernel.body, new),
        copies=tuple(replace(c, own=new.get(c.own, c.own)) for c in kernel.copies),
    )
