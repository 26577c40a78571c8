"""A kernel put together: its code, and the parameters, variables, functions and types that the code mentions."""

from __future__ import annotations

from accshare.frontend.ir import Call, Function, Struct, Symbol, Type, Var
from accshare.kernel.generate.body import buffer_symbol, element_of
from accshare.kernel.generate.names import distinct
from accshare.kernel.generate.space import Space
from accshare.kernel.ir import Buffer, Copied, KernelFunction, LocalBuffer, Param, Private, Stmt, Value
from accshare.kernel.uses import stored, symbols, used_expressions
from accshare.mapping.ir import RegisterTile


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
) -> KernelFunction:
    """The kernel of a nest with the code `body`.

    `firsts` are parameters of the grid, `params` and `private` what it has beside those of the nest; of the variables
    called `expanded` a work-item has one for each of its iterations.
    """
    nest, region = space.partition.nest, space.scop.region
    own = (*_private(space, expanded, body), *private)
    all_params = _params(space, firsts, params, body)
    called = {e.callee for e in used_expressions(body) if isinstance(e, Call)}
    functions = _needed(region.functions, called)
    structs = _structs(all_params, own)
    name, span = nest.name, nest.span
    made = KernelFunction(
        name, all_params, work_group, own, local, body, functions, structs, span, register_tile, copies
    )
    return distinct(made, frozenset(region.symbols))


def _private(space: Space, expanded: frozenset[str], body: tuple[Stmt, ...]) -> tuple[Private, ...]:
    """The work-item's own variables; those that a statement declares are part of the statement."""
    used = symbols(body)
    result = []
    for variable_ in space.scop.variables:
        if variable_.name not in space.partition.nest.private or not isinstance(variable_.base, Var):
            continue
        symbol = variable_.base.symbol
        if symbol in used:
            element, lengths = element_of(symbol.type)
            several = (space.iterations,) if variable_.name in expanded else ()
            result.append(Private(symbol, element, (*several, *lengths)))
    return tuple(result)


def _params(
    space: Space, firsts: tuple[Symbol, ...], more: tuple[Param, ...], body: tuple[Stmt, ...]
) -> tuple[Param, ...]:
    """Buffers first, then values, each in order of first use."""
    scop, nest = space.scop, space.partition.nest
    used, written = symbols(body), stored(body)
    buffers = {buffer_symbol(v): v for v in scop.variables if v.name not in nest.private}
    values = {p.symbol for p in scop.parameters} | {n.iterator for n in nest.host} | {*firsts}
    return (
        *(Buffer(s.unique, buffers[s].element, s in written, True) for s in used if s in buffers),
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
