"""Loops before and after: the user's nest as it stands, and the one that a target runs, from the schedule tree."""

from __future__ import annotations

import re
from collections.abc import Iterator

from accshare.frontend.ir import Assign, Pointer, Stmt, Var
from accshare.mapping.ir import NestPartition
from accshare.poly.ir import Access, LoopNode, Scop, Statement
from accshare.records import dataclass, replace
from accshare.reference import root
from accshare.relax.ir import Reduction
from accshare.report.model import SizeFact
from accshare.report.readable import Readable
from accshare.schedule.ir import (
    Band,
    Kernel,
    Leaf,
    Member,
    Node,
    Phase,
    Role,
    Stage,
    Staged,
    below,
    members,
    source_order,
    steps,
)
from accshare.source import SourceFile, Span, on_one_line
from accshare.tree import all_expressions, expressions

_AXES = "xyz"
#: how tightly an end of a loop binds, so that comparisons and choices in it have parentheses
_OPERAND = 12
_NAME = re.compile(r"\w+")
#: a longer statement is cut off
_LONG = 72


@dataclass(frozen=True, slots=True)
class NestLine:
    """A line of a loop nest: C, or in other words what stands in its place, and what is worth saying of it. `kind` is
    ``loop``, ``moved`` (a loop that became another one), ``copy`` or ``statement``."""

    depth: int
    words: str
    note: str
    kind: str


def before(scop: Scop, source: SourceFile) -> tuple[NestLine, ...]:
    """The region's loops as the user wrote them."""
    return nest_lines(source_order(scop.statements), source)


def nest_lines(node: Node, source: SourceFile, copies: frozenset[str] = frozenset()) -> tuple[NestLine, ...]:
    """Loops in an order of which no more is known; `copies` are the names of those that the compiler made of arrays."""
    return tuple(_Nest(source, None, copies).lines(node, 0))


def after(part: NestPartition, size: SizeFact, source: SourceFile) -> tuple[NestLine, ...]:
    """A kernel's loops for one target."""
    nest = _Nest(source, size)
    outside = [NestLine(k, nest.header(loop), "on the host", "loop") for k, loop in enumerate(part.nest.host)]
    head = NestLine(len(outside), f"kernel {part.nest.name}", "", "moved")
    return (*outside, head, *nest.lines(part.nest.child, len(outside) + 1), *nest.ending(part.nest, len(outside)))


def phase_lines(kernel: Kernel, source: SourceFile) -> Iterator[str]:
    """The loops of a work-group whose work-items share inner ones, with the barriers between its phases."""
    grid = ", ".join(member.loop.iterator.name for member in kernel.grid)
    yield f"work-groups over {grid}"
    nest = _Nest(source, None)
    yield from (f"  {line}" for line in _phased(kernel.inside, kernel, nest, last=True))


def _phased(node: Node, kernel: Kernel, nest: _Nest, last: bool) -> Iterator[str]:
    below_ = steps(node)
    for number, step in enumerate(below_):
        ends = last and number == len(below_) - 1
        if isinstance(step, Phase):
            yield from _of_phase(step.child, kernel, nest)
            combined = [r for m in members(step) if m.role is Role.THREAD for r in m.reductions]
            if combined:
                yield f"combine {' and '.join(_named(r) for r in combined)} in a tree"
            elif not ends:
                yield "barrier"
        elif isinstance(step, Band):
            yield nest.header(step.members[0].loop)
            yield from (f"  {line}" for line in _phased(step.child, kernel, nest, last=False))


def _named(reduction: Reduction) -> str:
    owner = root(reduction.target)
    return owner.name if owner is not None else reduction.variable.name


def _of_phase(node: Node, kernel: Kernel, nest: _Nest) -> Iterator[str]:
    match node:
        case Band(members=(member,), child=child):
            shared = member.role is Role.THREAD
            name = member.loop.iterator.name
            yield f"work-items over {name}" if shared else nest.header(member.loop)
            yield from (f"  {line}" for line in _of_phase(child, kernel, nest))
        case Leaf(statement):
            if statement.accesses:  # others only put together what a tree has combined
                yield nest.statement(statement)
        case _:
            for child in below(node):
                yield from _of_phase(child, kernel, nest)


@dataclass(frozen=True, slots=True)
class _Nest:
    """Walks a schedule tree. `size` is the kernel's for the target; None in the user's own order. What is read of
    `copies` has their names in place of those that are written there."""

    source: SourceFile
    size: SizeFact | None
    copies: frozenset[str] = frozenset()

    def lines(self, node: Node, depth: int, strips: frozenset[int] = frozenset()) -> Iterator[NestLine]:
        """What is below a node; `strips` are the loops of whose strips it is in one."""
        match node:
            case Band(members, child):
                for k, member in enumerate(members):
                    yield replace(self._loop(member, strips), depth=depth + k)
                inside = strips | {m.loop.index for m in members if m.role is Role.STRIP}
                yield from self.lines(child, depth + len(members), inside)
            case Leaf(statement):
                yield NestLine(depth, self.statement(statement), "", "statement")
            case Stage(arrays, child):
                for staged in arrays:
                    yield NestLine(depth, f"{_verb(staged)} {_tile(staged)}", _place(staged), "copy")
                yield from self.lines(child, depth, strips)
                for staged in arrays:
                    if staged.writes:
                        yield NestLine(depth, f"store {_tile(staged)}", "", "copy")
            case _:
                for child in below(node):
                    yield from self.lines(child, depth, strips)

    def ending(self, kernel: Kernel, depth: int) -> Iterator[NestLine]:
        """What runs when the work-items are done with what they combine."""
        for reduction in kernel.reductions:
            words = f"combine {reduction.variable.name} by {reduction.op.clause.value}"
            yield NestLine(depth, words, "of all work-items", "copy")
        if kernel.finalize is not None:
            yield NestLine(depth, f"kernel {kernel.finalize.name}", "", "moved")
            yield from self.lines(kernel.finalize.child, depth + 1)

    def header(self, loop: LoopNode) -> str:
        """``for (int i = 0; i < n; i++)``, as it is written; what is made of a loop has bounds of its own."""
        made = loop.loop
        if made.span.end > 0:
            return self.text(made.header)
        name = made.iterator.name
        sign, by = "+" if made.step > 0 else "-", abs(made.step)
        step = sign * 2 if by == 1 else f" {sign}= {by}"
        first, bound = (Readable(()).text(end, _OPERAND) for end in (made.first, made.bound))
        return f"for ({name} = {first}; {name} {made.relation} {bound}; {name}{step})"

    def _loop(self, member: Member, strips: frozenset[int]) -> NestLine:
        name = member.loop.iterator.name
        size = self.size
        match member.role:
            case Role.GRID:
                turned = {1: 2, 2: 1} if size is not None and size.planes else {}
                axis = _AXES[turned.get(member.dimension, member.dimension)]
                return NestLine(0, f"parallel {name}{_tiled(member)}", f"grid {axis}", "moved")
            case Role.THREAD:
                return NestLine(0, f"parallel {name}", f"by the {member.threads} work-items of a row", "moved")
            case Role.UNIFORM:
                return NestLine(0, self.header(member.loop), "by all of a work-group together", "loop")
            case Role.STRIP:
                return NestLine(0, f"for {name} in strips of {member.size}", "", "moved")
            case Role.OWN:
                return NestLine(0, f"for {name} in the tile", self._at_once(member), "moved")
            case Role.REASSOCIABLE if size is not None and size.inner:
                rows, columns = (*size.block, 1, 1)[:2]
                several = f", for {rows * columns} iterations outside at once" if rows * columns > 1 else ""
                return NestLine(0, f"for {name} in vectors of {size.inner}", f"in any order{several}", "moved")
        words = f"for {name} in the strip" if member.loop.index in strips else self.header(member.loop)
        return NestLine(0, words, "one after the other" if size is not None else "", "loop")

    def _at_once(self, member: Member) -> str:
        """What the register tile takes of a work-item's own loop."""
        if self.size is None or len(self.size.block) < 3 or self.size.inner:
            return ""
        rows, vectors, lanes = self.size.block
        if member.axis == 1 and rows > 1:
            return f"{rows} {'planes' if self.size.planes else 'rows'} at once"
        if member.axis == 0 and lanes > 1:
            return f"{f'{vectors} vectors' if vectors > 1 else 'a vector'} of {lanes} at once"
        return ""

    def statement(self, statement: Statement) -> str:
        """A statement as it is written, in the names that its loops have now; in C what the compiler has made."""
        body = statement.body
        if isinstance(body, Assign) and body.span.end == 0:
            target, value = (Readable(()).text(expr) for expr in (body.target, body.value))
            return f"{target} {body.op} {value}"
        words, place = "", body.span.start
        copied = ((a.span.start, a.variable.name) for a in _reads(statement, self.copies))
        for start, name in sorted({*copied, *_iterators(statement), *self._turned(body)}):
            written = _NAME.match(self.source.slice(Span(start, body.span.end)))
            if written is not None and start >= place:
                words += self.source.slice(Span(place, start)) + name
                place = start + written.end()
        return short(on_one_line(words + self.source.slice(Span(place, body.span.end))))

    def _turned(self, body: Stmt) -> Iterator[tuple[int, str]]:
        """Where names stand in a statement for pointers that others have in its iterations, and what these are."""
        for use in all_expressions(body):
            if isinstance(use, Var) and isinstance(use.type, Pointer) and use.span.start < body.span.end:
                written = self.source.slice(use.span)
                if _NAME.fullmatch(written) and written != use.symbol.name:
                    yield use.span.start, use.symbol.name

    def text(self, span: Span) -> str:
        """What is written there, on one line."""
        return short(on_one_line(self.source.slice(span)))


def _reads(statement: Statement, copies: frozenset[str]) -> Iterator[Access]:
    return (a for a in statement.accesses if a.variable.name in copies)


def _iterators(statement: Statement) -> tuple[tuple[int, str], ...]:
    """Where iterators of the loops around a statement stand in it, and what they are called; nothing where the compiler
    has made a part of it."""
    counted = {loop.iterator for loop in statement.loops}
    every = [*all_expressions(statement.body), *(e for a in statement.accesses for e in expressions(a.reference))]
    if not all(e.span.end for e in every):
        return ()
    return tuple((e.span.start, e.symbol.name) for e in every if isinstance(e, Var) and e.symbol in counted)


def short(words: str) -> str:
    """A text on one line."""
    words = " ".join(words.split())
    return words if len(words) <= _LONG else f"{words[: _LONG - 1]}…"


def _tiled(member: Member) -> str:
    if member.size == 1:
        return ""
    return f" in tiles of {member.size}" if member.threads == 1 else f" in blocks of {member.size}"


def _verb(staged: Staged) -> str:
    if staged.packed:
        return "pack"
    return "load" if staged.reads else "keep"


def _place(staged: Staged) -> str:
    return "side by side, as they are used" if staged.packed else "in local memory"


def _tile(staged: Staged) -> str:
    name = ".".join((staged.variable.memory, *staged.members))
    return name + "".join(f"[{length}]" for length in staged.lengths)
