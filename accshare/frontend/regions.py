"""One `Region` from a compute construct, the pragmas inside it, and its statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from accshare.diagnostics import Diagnostic, Rejected
from accshare.frontend.aliases import Aliases
from accshare.frontend.attach import Stack, statement_span
from accshare.frontend.clang import Node
from accshare.frontend.complexes import check_reductions, products, with_parts_apart
from accshare.frontend.copies import with_own_copies
from accshare.frontend.effects import assigned, walk
from accshare.frontend.expressions import Expressions
from accshare.frontend.functions import Functions
from accshare.frontend.hoisting import Names
from accshare.frontend.idle import Idle
from accshare.frontend.ir import (
    Array,
    Assign,
    Block,
    Expr,
    For,
    IntLit,
    Pointer,
    Region,
    Scalar,
    Storage,
    Struct,
    Symbol,
    Type,
    Unsupported,
    Var,
)
from accshare.frontend.lent import lent
from accshare.frontend.pitches import with_pitches
from accshare.frontend.products import with_products_known
from accshare.frontend.scope import around
from accshare.frontend.statements import Pragmas, Statements, check_lasting
from accshare.frontend.turning import turning
from accshare.frontend.unit import Unit
from accshare.frontend.views import with_views
from accshare.frontend.walks import all_expressions, root_symbol, statements, variables
from accshare.pragma.ir import Clause, CollapseClause, Directive, DirectiveKind, TileClause
from accshare.records import dataclass, replace
from accshare.source import Span

NEEDS_LOOP = "put it right before the for loop it is meant for"
AS_IT_IS = "the function runs on the host as it is"


@dataclass(frozen=True, slots=True)
class Draft:
    """A compute construct on a statement, before its C is read; `inner` are the stacks inside the statement. One that
    nobody wrote stands inside of the region that is called `around`, of which a directive has `said` something."""

    construct: Directive
    outer: Stack
    inner: tuple[Stack, ...]
    function: Node
    path: tuple[Node, ...]
    around: str = ""
    said: tuple[Clause, ...] = ()

    @property
    def statement(self) -> Node:
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class _Inside:
    """What the pragmas on and inside a region's statement say."""

    shares: tuple[Directive, ...]
    pragmas: Pragmas
    problems: tuple[Diagnostic, ...]


def region(
    unit: Unit,
    draft: Draft,
    stacks: Sequence[Stack],
    taken: frozenset[str],
    idle: Idle,
    do_counts: bool = True,
) -> tuple[Region | None, tuple[Diagnostic, ...]]:
    """The region of a construct, or why there is none; `stacks` are all of the program, `taken` the names of other
    regions. Loops that ask behind their bodies may count if `do_counts`."""
    inside = _inside(draft)
    problems = inside.problems + _parse_errors(unit, draft.function)
    if problems:
        return None, problems
    functions = Functions(unit)
    node = draft.statement
    span = statement_span(node, unit.source.text)
    body_span = Span(draft.function.start, draft.function.end)
    names = Names()
    expressions = Expressions(unit, span, unit.addressed_in(body_span), functions.callee, names)
    _name_outer(expressions, node, span)
    expressions.turning = turning(node)
    walking = Aliases(expressions).let_walk(node, partial(idle.liveness.read_after, draft.path))
    body = with_own_copies(draft.construct, _body(expressions, inside, node, do_counts), names)
    body = with_products_known(with_parts_apart(body, names), draft.function, expressions)
    resized = _resized(draft.function, expressions)
    if resized is not None:
        return None, (resized,)
    found = Region(
        _region_name(unit, draft, taken),
        draft.function.spelling,
        draft.construct,
        inside.shares,
        body,
        tuple(names.symbols),
        (*products((body, *(function.body for function in functions.found))), *functions.found),
        _live_after(idle, draft, expressions, body),
        span,
        around(draft.function, node, stacks),
        walking=walking,
        lent=_lent(draft, expressions, body),
    )
    if do_counts and any(isinstance(stmt, Unsupported) and stmt.unlikely for stmt in statements(body)):
        found = replace(found, plainer=region(unit, draft, stacks, taken, idle, False)[0])
    try:
        check_lasting(body, expressions.lasting)
        check_reductions((draft.construct, *inside.pragmas.loops.values()), names.symbols)
        found = with_views(found)
    except Rejected as reason:
        return None, (reason.diagnostic,)
    return with_pitches(found), tuple(_too_deep(draft))


def _body(expressions: Expressions, inside: _Inside, node: Node, do_counts: bool) -> Block:
    return Statements(expressions, inside.pragmas, do_counts=do_counts).block(node)


def _inside(draft: Draft) -> _Inside:
    """Sorts the pragmas of a region: shares, loops by the statement they stand on, what can't be supported."""
    shares: list[Directive] = []
    loops: dict[int, Directive] = {}
    atomics: dict[int, Directive] = {}
    problems: list[Diagnostic] = []
    construct = draft.construct
    if draft.statement.kind == "FOR_STMT" and construct.kind.is_combined:
        loops[draft.statement.start] = construct
    for stack in (draft.outer, *draft.inner):
        for directive in stack.directives:
            where = stack.statement
            match directive.kind:
                case DirectiveKind.SHARE:
                    shares.append(directive)
                case DirectiveKind.LOOP if where is not None and where.kind == "FOR_STMT":
                    if where.start in loops:
                        problems.append(
                            misplaced(directive, "this loop has a loop directive already", "put all clauses into one")
                        )
                    loops[where.start] = directive
                case DirectiveKind.LOOP:
                    problems.append(misplaced(directive, "loop needs a for loop right after it", NEEDS_LOOP))
                case DirectiveKind.ATOMIC if where is not None:
                    atomics[where.start] = directive
                case DirectiveKind.CACHE:
                    pass  # a hint, and partition decides what to stage
                case _ if stack is not draft.outer:
                    message = f"{directive.kind.value} can't stand inside a compute construct"
                    hint = "use loop here" if directive.kind.is_combined else "move it out of the construct"
                    problems.append(misplaced(directive, message, hint))
    return _Inside(tuple(shares), Pragmas(_counted(draft) | loops, atomics), tuple(problems))


def _counted(draft: Draft) -> dict[int, Directive]:
    """For each loop that a ``collapse`` or ``tile`` further outside counts, what is said of its iterations there."""
    found: dict[int, Directive] = {}
    for directive, statement, clause in _counting(draft):
        nest, wanted = _nest(statement, clause), _wanted(clause)
        if wanted <= len(nest):
            found |= {loop.start: directive.of_iterations() for loop in nest[1:wanted]}
    return found


def _too_deep(draft: Draft) -> Iterator[Diagnostic]:
    """ACC109 for every ``collapse`` and ``tile`` that counts more loops than are nested where it stands."""
    for _, statement, clause in _counting(draft):
        wanted, there = _wanted(clause), len(_nest(statement, clause))
        if wanted > there:
            name = "collapse" if isinstance(clause, CollapseClause) else "tile"
            nest = "no other loop is" if there == 1 else f"{there} loops are"
            between = "" if _forced(clause) else " with nothing in between"
            message = f"{name} counts {wanted} loops, {nest} nested here{between}; it is left out"
            yield Diagnostic("ACC109", message, clause.span, "loops count if each stands alone in the one around it")


def _counting(draft: Draft) -> Iterator[tuple[Directive, Node, CollapseClause | TileClause]]:
    """The clauses that count loops, each with its directive and the statement of that."""
    for stack in (draft.outer, *draft.inner):
        for directive in stack.directives:
            if stack.statement is not None and (directive.kind is DirectiveKind.LOOP or directive.kind.is_combined):
                for clause in directive.clauses:
                    if isinstance(clause, CollapseClause | TileClause):
                        yield directive, stack.statement, clause


def _wanted(clause: CollapseClause | TileClause) -> int:
    """How many loops a clause counts."""
    return clause.depth if isinstance(clause, CollapseClause) else len(clause.sizes)


def _forced(clause: CollapseClause | TileClause) -> bool:
    return isinstance(clause, CollapseClause) and clause.force


def _nest(statement: Node, clause: CollapseClause | TileClause) -> tuple[Node, ...]:
    """The loops that a clause may count: nested with nothing else between them, or, where it is forced, with no other
    loop between them."""
    if statement.kind == "FOR_STMT":
        return (statement, *_nest(statement.children[-1], clause))
    inside = statement.children if statement.kind == "COMPOUND_STMT" else ()
    loops = [c for c in inside if c.kind in {"FOR_STMT", "COMPOUND_STMT"}] if _forced(clause) else inside
    return _nest(loops[0], clause) if len(loops) == 1 else ()


def misplaced(directive: Directive, message: str, hint: str) -> Diagnostic:
    """ACC106 for a directive."""
    return Diagnostic("ACC106", message, directive.span, hint)


def _parse_errors(unit: Unit, function: Node) -> tuple[Diagnostic, ...]:
    """ACC201 with clang's first error in a function: what it could not parse is missing from its tree."""
    for error in unit.tree.errors:
        if function.start <= error.offset < function.end:
            message = f"the C front end could not parse {function.spelling}: {error.message}"
            return (Diagnostic("ACC201", message, Span(error.offset, error.offset + 1), AS_IT_IS),)
    return ()


def _name_outer(expressions: Expressions, node: Node, inner: Span) -> None:
    """Gives the variables declared outside the region their own names before any inner one can take them."""
    for part in walk(node):
        decl = part.referenced if part.kind == "DECL_REF_EXPR" else None
        if decl is None or decl.kind not in {"VAR_DECL", "PARM_DECL"} or inner.start <= decl.start < inner.end:
            continue
        try:
            expressions.value(part)
        except Rejected:
            continue  # it is explained where the statement that uses it is converted


def _resized(function: Node, expressions: Expressions) -> Diagnostic | None:
    """ACC203 when a variable that gave an array its length is assigned later: the array keeps its old shape."""
    places = {symbol: key for key, symbol in expressions.symbols.items()}
    sizes = {array: {use.symbol for length in _lengths(array.type) for use in variables(length)} for array in places}
    stores = tuple(_stores(function, expressions)) if any(sizes.values()) else ()
    for array, declared_at in places.items():
        for part, size in stores:
            if size in sizes[array] and part.start > declared_at[0]:
                message = f"{size.name} changes after it gave {array.name} its length"
                hint = f"keep the length in a variable of its own, as in const int length = {size.name};"
                return Diagnostic("ACC203", message, Span(part.start, part.end), hint)
    return None


def _stores(function: Node, expressions: Expressions) -> Iterator[tuple[Node, Symbol]]:
    """The assignments to variables that the region uses."""
    for part in walk(function):
        target = assigned(part)
        decl = target.referenced if target is not None and target.kind == "DECL_REF_EXPR" else None
        symbol = expressions.symbols.get(decl.key) if decl is not None else None
        if symbol is not None:
            yield part, symbol


def _lengths(type_: Type) -> Iterator[Expr]:
    """The lengths in an array type that are not constants."""
    while isinstance(type_, Array | Pointer):
        if isinstance(type_, Pointer):
            type_ = type_.target
            continue
        if type_.length is not None and not isinstance(type_.length, IntLit):
            yield type_.length
        type_ = type_.element


def _region_name(unit: Unit, draft: Draft, taken: frozenset[str]) -> str:
    outer = f"{draft.around}_in" if draft.around else draft.function.spelling
    name = f"{outer}_l{unit.source.locate(draft.construct.span.start).line}"
    unique, number = name, 1
    while unique in taken:
        number += 1
        unique = f"{name}_{number}"
    return unique


def _live_after(idle: Idle, draft: Draft, expressions: Expressions, body: Block) -> frozenset[str]:
    """The outer scalars and pointers the region assigns whose value may be needed after it."""
    assigned = {symbol for symbol in map(_assigned, statements(body)) if symbol is not None}
    outer = {s for s in assigned if s.storage is not Storage.INNER and isinstance(s.type, Scalar | Struct | Pointer)}
    if not outer:
        return frozenset()
    after = idle.liveness.read_after(draft.path)
    places = {symbol.unique: node for symbol, node in expressions.declarations}
    scratch = {s for s in outer if not (s.address_taken or s.volatile or s.on_device) and idle(places[s.unique])}
    return frozenset(s.unique for s in outer if (s.exposed and s not in scratch) or places[s.unique].key in after)


def _lent(draft: Draft, expressions: Expressions, body: Block) -> frozenset[str]:
    """The outer variables whose ``restrict`` pointers others may be made of."""
    pointers = (e.type for e in all_expressions(body) if isinstance(e.type, Pointer))
    if not any(type_.restrict for type_ in pointers):
        return frozenset()
    keys = lent(draft.function, draft.statement)
    return frozenset(symbol.unique for key, symbol in expressions.symbols.items() if key in keys)


def _assigned(stmt: object) -> Symbol | None:
    match stmt:
        case Assign(Var(symbol)):
            return symbol
        case Assign(target=target):
            whole = root_symbol(target)
            return None if whole is None or isinstance(whole.type, Pointer) else whole
        case For(iterator=iterator):
            return iterator
        case _:
            return None
