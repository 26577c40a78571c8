"""``switch`` as branches: the sections that one of its labels leads to, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from accshare.diagnostics import rejected
from accshare.frontend.clang import Node
from accshare.frontend.exits import branch, denied, leaves, without_jumps
from accshare.frontend.ir import INT, Assign, Binary, Declare, Expr, IntLit, Scalar, Stmt, Symbol, Unsupported, Var
from accshare.frontend.walks import statements
from accshare.records import dataclass
from accshare.source import Span

_LABELS = frozenset({"CASE_STMT", "DEFAULT_STMT"})


@dataclass(frozen=True, slots=True)
class _Section:
    """What stands between two labels. `values` are the ranges its labels name; `default` is one of them."""

    values: tuple[tuple[int, int], ...]
    default: bool
    body: tuple[Stmt, ...]


def switch(
    body: Node, value: Var, convert: Callable[[Node], Iterable[Stmt]], flag: Callable[[], Symbol]
) -> tuple[Stmt, ...]:
    """What ``switch (value) body`` does; `value` keeps what it is."""
    lifted, sections = _sections(body, convert)
    chains: list[list[_Section]] = [[]]
    for section in sections:
        chains[-1].append(section)
        if leaves(section.body):
            chains.append([])
    chains = [chain for chain in chains if chain]
    span = Span(body.start, body.end)
    default = [chain for chain in chains if any(section.default for section in chain)]
    stmts = _falling(default[0], value, span) if default else ()
    for chain in reversed([chain for chain in chains if chain not in default]):
        stmts = branch(_is_one_of(chain, value, span), _falling(chain, value, span), stmts, span)
    return (*lifted, *without_jumps(stmts, "break", flag))


def _sections(body: Node, convert: Callable[[Node], Iterable[Stmt]]) -> tuple[tuple[Stmt, ...], list[_Section]]:
    """The sections, and the declarations that all of them can see."""
    lifted: list[Stmt] = []
    sections: list[_Section] = []
    for child in body.children if body.kind == "COMPOUND_STMT" else (body,):
        values: list[tuple[int, int]] = []
        node, default, labels = child, False, 0
        while node.kind in _LABELS:
            labels += 1
            default = default or node.kind == "DEFAULT_STMT"
            if node.kind == "CASE_STMT":
                ends = [_constant(end) for end in node.children[:-1]]
                values.append((ends[0], ends[-1]))
            node = node.children[-1]
        stmts: list[Stmt] = []
        for stmt in convert(node):
            if isinstance(stmt, Declare):
                lifted.append(Declare(stmt.symbol, None, stmt.span))
                stmts += [] if stmt.init is None else [Assign(Var(stmt.symbol, stmt.span), "=", stmt.init, stmt.span)]
            else:
                stmts.append(stmt)
        if labels:
            sections.append(_Section(tuple(values), default, tuple(stmts)))
        elif sections:
            last = sections[-1]
            sections[-1] = _Section(last.values, last.default, (*last.body, *stmts))
        else:  # never reached, unless there is a label inside
            lifted += (part for stmt in stmts for part in statements(stmt) if isinstance(part, Unsupported))
    return tuple(lifted), sections


def _constant(node: Node) -> int:
    value = node.evaluate()
    if not isinstance(value, int):
        raise rejected(
            "ACC202", "this label is no integer constant", Span(node.start, node.end), "write it as if … else"
        )
    return value


def _falling(chain: list[_Section], value: Var, span: Span) -> tuple[Stmt, ...]:
    """Sections of which each falls through to the next; the value is known to lead to one of them."""
    stmts: list[Stmt] = []
    for k, section in enumerate(chain):
        before, behind = chain[: k + 1], chain[k + 1 :]
        if not behind:
            stmts += section.body
        elif any(s.default for s in before):
            stmts += branch(denied(_is_one_of(behind, value, span)), section.body, (), span)
        else:
            stmts += branch(_is_one_of(before, value, span), section.body, (), span)
    return tuple(stmts)


def _is_one_of(sections: Iterable[_Section], value: Var, span: Span) -> Expr:
    """Whether a label of the sections names the value."""
    tests: list[Expr] = []
    for low, high in (pair for section in sections for pair in section.values):
        assert isinstance(value.type, Scalar)
        first, last = (IntLit(end, value.type, span) for end in (low, high))
        if low == high:
            tests.append(Binary("==", value, first, INT, span))
        elif low < high:
            ends = Binary(">=", value, first, INT, span), Binary("<=", value, last, INT, span)
            tests.append(Binary("&&", *ends, INT, span))
    found: Expr = IntLit(0, INT, span) if not tests else tests[0]
    for test in tests[1:]:
        found = Binary("||", found, test, INT, span)
    return found
