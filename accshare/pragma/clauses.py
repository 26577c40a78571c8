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
    SizeClause,
    TileClause,
    WaitClause,
    WordClause,
)
from accshare.pragma.parse import BLANKS, Node, Token, Unreadable, child, nodes, parse, span_of
from accshare.pragma.rules import MODIFIERS
from accshare.pragma.share import constant, share
from accshare.source import Span

#: how many expressions the clauses that are sizes take (OpenACC 3.3, 2.5.9: a gang dimension each)
_SIZES = {"num_gangs": 3, "num_workers": 1, "vector_length": 1, "device_num": 1, "default_async": 1}
#: the labels a level's argument may carry; the first one names the size
_LABELS = {Level.GANG: ("num", "dim", "static"), Level.WORKER: ("num",), Level.VECTOR: ("length",)}
_LEVELS = {level.value for level in Level}
_UPDATES = {"self": Movement.UPDATE_HOST, "host": Movement.UPDATE_HOST, "device": Movement.UPDATE_DEVICE}
_MOVEMENTS = {movement.value for movement in Movement} - _UPDATES.keys()
#: clauses whose argument stays text, with the grammar's rule for it
_TEXTS = {"bind": "expression", "cache": "variables", "device_type": "devices", "routine": "expression"}


def build(kind: DirectiveKind, name: str, argument: CText | None, span: Span) -> Clause:
    """The clause `name(argument)`; `name` is canonical, `argument` what stands between the parentheses.

    Raises `Unreadable` with an offset into the argument, or at -1 when the argument is missing or too much.
    """
    if name in _MOVEMENTS or (name in _UPDATES and kind is DirectiveKind.UPDATE):
        return _data(_UPDATES.get(name) or Movement(name), _required(argument), span)
    if name in _LEVELS:
        return _level(Level(name), argument, span)
    if name in _SIZES:
        return SizeClause(name, _sizes(name, _required(argument)), span)
    match name:
        case "if":
            return IfClause(_whole("expression", _required(argument)), False, span)
        case "self":
            return IfClause(argument and _whole("expression", argument), True, span)
        case "async":
            return AsyncClause(argument and _whole("expression", argument), span)
        case "wait":
            return WaitClause(() if argument is None else _queues(argument), span)
        case "default":
            return DefaultClause(_one_of(_required(argument), ("none", "present")), span)
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
            return share(_required(argument), span)
        case _:
            return _word(name, argument, span)


def _required(argument: CText | None) -> CText:
    if argument is None:
        raise Unreadable(-1, 1, "an argument in parentheses")
    return argument


def _none(name: str, argument: CText | None) -> None:
    if argument is not None:
        raise Unreadable(-1, 1, f"{name} without an argument")


def _word(name: str, argument: CText | None, span: Span) -> WordClause:
    if name not in _TEXTS:
        _none(name, argument)
        return WordClause(name, None, span)
    return WordClause(name, _whole(_TEXTS[name], _required(argument)), span)


def _text(node: Node, argument: CText) -> CText:
    own = span_of(node, 0)
    return CText(argument.text[own.start : own.end], span_of(node, argument.span.start))


def _whole(start: str, argument: CText) -> CText:
    """All of an argument as one text, once the rule `start` has read it."""
    return _text(parse(start, argument.text), argument)


def _one_of(argument: CText, words: tuple[str, ...]) -> str:
    word = _whole("expression", argument)
    if word.text not in words:
        raise Unreadable(word.span.start - argument.span.start, len(word.text), " or ".join(words))
    return word.text


def _data(movement: Movement, argument: CText, span: Span) -> DataClause:
    tree = parse("variables", argument.text)
    first = tree.children[0]
    modifiers: tuple[str, ...] = ()
    if isinstance(first, Token):
        known = sorted(MODIFIERS.get(movement, ()))
        modifiers = tuple(word.strip() for word in first[:-1].split(","))
        for word in modifiers:
            if word not in known:
                place = span_of(first, 0).start + first.index(word)
                raise Unreadable(place, len(word), f"{', '.join(known)} or a variable" if known else "a variable")
    return DataClause(movement, modifiers, _variables(tree, argument), span)


def _variables(tree: Node, argument: CText) -> tuple[DataVar, ...]:
    return tuple(_variable(node, argument) for node in nodes(tree, "variable"))


def _variable(node: Node, argument: CText) -> DataVar:
    """The base is what stands before the last sections: ``p->rows[i].data`` of ``p->rows[i].data[0:n]``."""
    own = span_of(node, argument.span.start)
    sections: list[Node] = []
    for part in nodes(node, "member", "element", "range"):
        ranges = [s for s in sections if s.data == "range"]
        if part.data == "member" and ranges:
            place = span_of(ranges[0], 0)
            raise Unreadable(place.start, place.end - place.start, "one element here, as a member of it is named")
        sections = [] if part.data == "member" else [*sections, part]
    end = span_of(sections[0], argument.span.start).start if sections else own.end
    text = argument.text[own.start - argument.span.start : end - argument.span.start].rstrip(BLANKS)
    base = CText(text, Span(own.start, own.start + len(text)))
    return DataVar(base, tuple(_section(s, argument) for s in sections), own)


def _section(node: Node, argument: CText) -> Section:
    lower: CText | None = None
    length: CText | None = None
    colon = False
    for part in node.children:
        if isinstance(part, Token):
            colon = True
        elif colon:
            length = _text(part, argument)
        else:
            lower = _text(part, argument)
    if node.data == "element":
        assert lower is not None
        length = CText("1", lower.span)
    return Section(lower, length)


def _level(level: Level, argument: CText | None, span: Span) -> LevelClause:
    if argument is None or level not in _LABELS:
        _none(level.value, argument)
        return LevelClause(level, None, span)
    labels = _LABELS[level]
    size, seen = None, set()
    for node in nodes(parse("levels", argument.text), "level"):
        value = _text(child(node, -1), argument)
        label = node.children[0] if isinstance(node.children[0], Token) else labels[0]
        if label not in labels:
            raise Unreadable(span_of(node, 0).start, len(label), " or ".join(f"{word}:" for word in labels))
        if label in seen:
            raise Unreadable(span_of(node, 0).start, len(value.text), f"{label}: only once")
        seen.add(label)
        if label == labels[0] and value.text != "*":
            size = value
    return LevelClause(level, size, span)


def _sizes(name: str, argument: CText) -> tuple[CText, ...]:
    found = nodes(parse("expressions", argument.text), "expression")
    most = _SIZES[name]
    if len(found) > most:
        extra = span_of(found[most], 0)
        raise Unreadable(extra.start, extra.end - extra.start, "')'")
    return tuple(_text(node, argument) for node in found)


def _queues(argument: CText) -> tuple[CText, ...]:
    return tuple(_text(node, argument) for node in nodes(parse("queues", argument.text), "queue"))


def _collapse(argument: CText, span: Span) -> CollapseClause:
    tree = parse("collapse", argument.text)
    return CollapseClause(constant(child(tree, -1)), len(tree.children) > 1, span)


def _tile(argument: CText, span: Span) -> TileClause:
    sizes = [size.children[0] for size in nodes(parse("tile", argument.text), "size")]
    return TileClause(tuple(None if isinstance(size, Token) else constant(size) for size in sizes), span)


def _reduction(argument: CText, span: Span) -> ReductionClause:
    tree = parse("reduction", argument.text)
    operator = child(tree, 0)
    spelled = "".join(str(token) for token in operator.children)
    if spelled not in {op.value for op in ReductionOp if op is op.clause}:
        place = span_of(operator, 0)
        raise Unreadable(place.start, place.end - place.start, "one of + * max min & | ^ && ||")
    return ReductionClause(ReductionOp(spelled), _variables(tree, argument), span)
