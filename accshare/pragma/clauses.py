"""From a clause's name and argument to its class."""

from __future__ import annotations

from accshare.pragma.ir import (
    AsyncClause,
    Clause,
    CollapseClause,
    CText,
    DataClause,
    DataVar,
    DefaultClause,
    DirectiveKind,
    IfClause,
    Level,
    LevelClause,
    Movement,
    PrivateClause,
    ReductionClause,
    ReductionOp,
    Section,
    ShareArray,
    ShareBinary,
    ShareClause,
    ShareExpr,
    ShareInt,
    ShareParam,
    ShareVague,
    SizeClause,
    TileClause,
    WaitClause,
    WordClause,
)
from accshare.pragma.parse import Node, Token, Unreadable, parse, span_of
from accshare.source import Span

_SIZES = {"num_gangs", "num_workers", "vector_length", "device_num", "default_async"}
_LEVELS = {level.value for level in Level}
_MOVEMENTS = {movement.value for movement in Movement} - {"self", "device"}


def build(kind: DirectiveKind, name: str, argument: CText | None, span: Span) -> Clause:
    """The clause `name(argument)`; `name` is canonical, `argument` what stands between the parentheses.

    Raises `Unreadable` with an offset into the argument, or at -1 when the argument is missing or too much.
    """
    if kind is DirectiveKind.UPDATE and name in {"self", "device"}:
        return _data(Movement(name), _required(argument), span)
    if name in {"if", "self"}:
        if name == "if":
            argument = _required(argument)
        return IfClause(argument, name == "self", span)
    if name in _MOVEMENTS:
        return _data(Movement(name), _required(argument), span)
    if name in _LEVELS:
        return _level(Level(name), argument, span)
    if name in _SIZES:
        return SizeClause(name, _expressions("queues", _required(argument)), span)
    match name:
        case "async":
            return AsyncClause(argument, span)
        case "wait":
            return WaitClause(() if argument is None else _expressions("queues", argument), span)
        case "default":
            return DefaultClause(_one_of(_required(argument), {"none", "present"}), span)
        case "collapse":
            return _collapse(_required(argument), span)
        case "tile":
            return _tile(_required(argument), span)
        case "reduction":
            return _reduction(_required(argument), span)
        case "private" | "firstprivate":
            argument = _required(argument)
            return PrivateClause(_variables(parse("variables", argument.text), argument), name != "private", span)
        case "share":
            return _share(_required(argument), span)
        case _:
            return WordClause(name, argument, span)


def _required(argument: CText | None) -> CText:
    if argument is None:
        raise Unreadable(-1, 1, "an argument in parentheses")
    return argument


def _text(node: Node, argument: CText) -> CText:
    span = span_of(node, argument.span.start)
    return CText(argument.text[span.start - argument.span.start : span.end - argument.span.start], span)


def _one_of(argument: CText, words: set[str]) -> str:
    word = argument.text.strip()
    if word not in words:
        raise Unreadable(0, len(argument.text), " or ".join(sorted(words)))
    return word


def _data(movement: Movement, argument: CText, span: Span) -> DataClause:
    tree = parse("variables", argument.text)
    first = tree.children[0]
    modifiers: tuple[str, ...] = ()
    if isinstance(first, Token):
        modifiers = tuple(word.strip() for word in first.rstrip(": \t").split(","))
    return DataClause(movement, modifiers, _variables(tree, argument), span)


def _variables(tree: Node, argument: CText) -> tuple[DataVar, ...]:
    nodes = (node for node in tree.children if not isinstance(node, Token) and node.data == "variable")
    return tuple(_variable(node, argument) for node in nodes)


def _variable(node: Node, argument: CText) -> DataVar:
    base, *sections = (child for child in node.children if not isinstance(child, Token))
    for token in base.children:
        if isinstance(token, Token) and token.type == "OP" and token not in {".", "->"}:
            raise Unreadable(token.start_pos or 0, len(token), "',' or ')'")
    return DataVar(
        _text(base, argument), tuple(_section(s, argument) for s in sections), span_of(node, argument.span.start)
    )


def _section(node: Node, argument: CText) -> Section:
    own = span_of(node, argument.span.start)
    parts = [_text(child, argument) for child in node.children if not isinstance(child, Token)]
    if node.data == "element":
        return Section(parts[0], CText("1", parts[0].span))
    colon = _colon(node, argument)
    lower = next((p for p in parts if p.span.end <= own.start + colon), None)
    length = next((p for p in parts if p.span.start > own.start + colon), None)
    return Section(lower, length)


def _colon(node: Node, argument: CText) -> int:
    """Where the colon of ``[lower:length]`` stands, outside any bracket."""
    text = _text(node, argument).text
    depth = 0
    for k, char in enumerate(text[1:], 1):
        depth += (char in "([") - (char in ")]")
        if char == ":" and depth == 0:
            return k
    return 0


def _level(level: Level, argument: CText | None, span: Span) -> LevelClause:
    if argument is None or level in (Level.SEQ, Level.AUTO, Level.INDEPENDENT):
        if argument is not None:
            raise Unreadable(-1, 1, f"{level.value} without an argument")
        return LevelClause(level, None, span)
    if argument.text.replace(" ", "") in {"static:*", "*"}:
        return LevelClause(level, None, span)
    tree = parse("size_argument", argument.text.replace("*", "0") if "static" in argument.text else argument.text)
    name = tree.children[0] if isinstance(tree.children[0], Token) else None
    size = next(child for child in tree.children if not isinstance(child, Token))
    return LevelClause(level, None if name == "static" else _text(size, argument), span)


def _collapse(argument: CText, span: Span) -> CollapseClause:
    tokens = parse("collapse", argument.text).children
    return CollapseClause(_integer(tokens[-1]), len(tokens) > 1, span)


def _tile(argument: CText, span: Span) -> TileClause:
    sizes = []
    for node in parse("tile", argument.text).children:
        token = node.children[0] if not isinstance(node, Token) else node
        sizes.append(None if token == "*" else _integer(token))
    return TileClause(tuple(sizes), span)


def _integer(token: Node | Token) -> int:
    assert isinstance(token, Token)
    try:
        value = int(token.rstrip("uUlL"), 0)
    except ValueError:
        value = 0
    if value < 1:
        raise Unreadable(token.start_pos or 0, len(token), "a positive integer constant")
    return value


def _reduction(argument: CText, span: Span) -> ReductionClause:
    tree = parse("reduction", argument.text)
    operator = tree.children[0]
    assert not isinstance(operator, Token)
    spelled = "".join(str(token) for token in operator.children)
    if spelled not in {op.value for op in ReductionOp}:
        raise Unreadable(0, len(spelled), "one of + * max min & | ^ && ||")
    return ReductionClause(ReductionOp(spelled), _variables(tree, argument), span)


def _expressions(start: str, argument: CText) -> tuple[CText, ...]:
    tree = parse(start, argument.text)
    return tuple(_text(n, argument) for n in tree.children if not isinstance(n, Token) and n.data == "expression")


# --- share -------------------------------------------------------------------------------------------------------


def _share(argument: CText, span: Span) -> ShareClause:
    offset = argument.span.start
    arrays = []
    for node in parse("share", argument.text).children:
        assert not isinstance(node, Token)
        name, *rest = node.children
        lengths = [n for n in rest if not isinstance(n, Token) and n.data != "coalesce"]
        words = [n.children[0] for n in rest if not isinstance(n, Token) and n.data == "coalesce"]
        for word in words:
            if word != "coalesce":
                raise Unreadable(span_of(word, 0).start, len(str(word)), "coalesce")
        own = span_of(node, offset)
        exprs = tuple(_length(n, offset) for n in lengths)
        arrays.append(ShareArray(str(name), exprs, bool(words), own))
    return ShareClause(tuple(arrays), span)


def _length(node: Node, offset: int) -> ShareExpr:
    if node.data == "vague":
        return ShareVague(span_of(node, offset))
    child = node.children[0]
    assert not isinstance(child, Token)
    return _expr(child, offset)


def _expr(node: Node, offset: int) -> ShareExpr:
    span = span_of(node, offset)
    first = node.children[0]
    if node.data == "integer":
        assert isinstance(first, Token)
        return ShareInt(_integer(first), span)
    if node.data == "parameter":
        if first not in {"TB_X", "TB_Y", "TB_Z"}:
            raise Unreadable(span_of(first, 0).start, len(str(first)), "TB_X, TB_Y, TB_Z, '*' or a number")
        return ShareParam(str(first), span)
    lhs, op, rhs = node.children
    assert not isinstance(lhs, Token)
    assert not isinstance(rhs, Token)
    return ShareBinary(str(op), _expr(lhs, offset), _expr(rhs, offset), span)
