"""Directives back to text, and a way to compare them without their places."""

from __future__ import annotations

import dataclasses

from accshare.pragma import read
from accshare.pragma.ir import (
    AsyncClause,
    CollapseClause,
    DataClause,
    DefaultClause,
    IfClause,
    LevelClause,
    PrivateClause,
    ReductionClause,
    ShareBinary,
    ShareClause,
    ShareInt,
    ShareParam,
    ShareVague,
    SizeClause,
    TileClause,
    WaitClause,
    WordClause,
)
from accshare.source import SourceFile, Span

NOWHERE = Span(0, 0)


def one(words, lead="#pragma acc "):
    """The directive that a pragma's words make, and its source."""
    source = SourceFile.of("<test>", f"int before;\n{lead}{words}\nint after;\n")
    found = read(source)
    assert found.diagnostics == ()
    (directive,) = found.directives
    return directive, source


def placeless(node):
    """A copy of an IR node with every span at `NOWHERE`."""
    if isinstance(node, Span):
        return NOWHERE
    if isinstance(node, tuple):
        return tuple(placeless(item) for item in node)
    if dataclasses.is_dataclass(node):
        return type(node)(*(placeless(getattr(node, field.name)) for field in dataclasses.fields(node)))
    return node


def section(part):
    return f"[{part.lower.text if part.lower else ''}:{part.length.text if part.length else ''}]"


def variable(var):
    return var.base.text + "".join(section(part) for part in var.sections)


def variables(found):
    return ", ".join(variable(var) for var in found)


def texts(found):
    return ", ".join(text.text for text in found)


def share(expr):
    match expr:
        case ShareInt(value):
            return str(value)
        case ShareParam(name):
            return name
        case ShareVague():
            return "*"
        case ShareBinary(op, lhs, rhs):
            return f"({share(lhs)} {op} {share(rhs)})"


def with_argument(name, argument):
    return name if argument is None else f"{name}({argument})"


def clause(node):
    """A clause in the one spelling this printer uses."""
    match node:
        case DataClause(movement, modifiers, found):
            lead = f"{', '.join(modifiers)}: " if modifiers else ""
            return f"{movement.value}({lead}{variables(found)})"
        case LevelClause(level, size):
            return with_argument(level.value, size and size.text)
        case CollapseClause(depth, force):
            return f"collapse({'force: ' if force else ''}{depth})"
        case TileClause(sizes):
            return f"tile({', '.join('*' if size is None else str(size) for size in sizes)})"
        case ReductionClause(op, found):
            return f"reduction({op.value}: {variables(found)})"
        case PrivateClause(found, first):
            return f"{'first' if first else ''}private({variables(found)})"
        case IfClause(condition, self_):
            return with_argument("self" if self_ else "if", condition and condition.text)
        case SizeClause(name, sizes):
            return f"{name}({texts(sizes)})"
        case AsyncClause(queue):
            return with_argument("async", queue and queue.text)
        case WaitClause(queues):
            return with_argument("wait", texts(queues) if queues else None)
        case DefaultClause(value):
            return f"default({value})"
        case WordClause(name, text):
            return with_argument(name, text and text.text)
        case ShareClause(arrays):
            return f"share({', '.join(array(item) for item in arrays)})"


def array(item):
    lengths = "".join(f"[{share(length)}]" for length in item.lengths)
    return f"{item.name}{lengths}{':coalesce' if item.coalesce else ''}"


def pragma(directive, gap=" "):
    """A directive's words; `gap` stands between its clauses."""
    words = [clause(node) for node in directive.clauses]
    own = words[0].partition("(")[0] if words else ""
    if own not in {"wait", "cache", "routine", "share"} or own != directive.kind.value:
        return f"{directive.kind.value} {gap.join(words)}".rstrip(" ")
    return gap.join(words)
