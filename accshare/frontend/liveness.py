"""Which variables may be read after a statement before they are overwritten, on libclang's tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from accshare.frontend.clang import Key, Node
from accshare.frontend.effects import mentioned, walk
from accshare.frontend.parts import for_parts
from accshare.frontend.refusals import stripped
from accshare.records import dataclass, replace

_LOOPS = frozenset({"FOR_STMT", "WHILE_STMT", "DO_STMT"})
_UNORDERED = frozenset({"GOTO_STMT", "INDIRECT_GOTO_STMT", "ASM_STMT", "GCC_ASM_STMT", "MS_ASM_STMT"})


@dataclass(frozen=True, slots=True)
class Flow:
    """`reads`: variables read before they are surely overwritten; `kills`: surely overwritten; `jumps`: whether a
    ``break`` or ``continue`` may skip what follows."""

    reads: frozenset[Key] = frozenset()
    kills: frozenset[Key] = frozenset()
    jumps: bool = False

    def then(self, following: Flow) -> Flow:
        """This, and `following` after it."""
        kills = self.kills if self.jumps else self.kills | following.kills
        return Flow(self.reads | (following.reads - self.kills), kills, self.jumps or following.jumps)

    def maybe(self) -> Flow:
        """The same where it is not sure to run."""
        return replace(self, kills=frozenset())


class Liveness:
    """What may be read after statements of a translation unit, whose `text` it is; regions of a function share what
    follows them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._flows: dict[Node, Flow] = {}
        self._unordered: dict[Node, int] = {}

    def read_after(self, path: Sequence[Node]) -> frozenset[Key]:
        """The variables that may be read after ``path[-1]`` has run.

        `path` leads from the function's body to the statement, every node on the way included.
        """
        body = path[0]
        repeated = next((node for node in path if node.kind in _LOOPS), path[-1])
        if self._last_unordered(body) >= repeated.start:
            return mentioned(body)
        flow = Flow()
        for parent, child in zip(reversed(path[:-1]), reversed(path[1:]), strict=True):
            flow = flow.then(self._after_child(parent, child))
            if parent.kind in _LOOPS or parent.kind == "SWITCH_STMT":
                flow = replace(flow, jumps=False)
        return flow.reads

    def read_in(self, body: Node) -> frozenset[Key]:
        """The variables that a function with this body may read before it writes them."""
        return mentioned(body) if self._last_unordered(body) >= 0 else self._flow(body).reads

    def _last_unordered(self, body: Node) -> int:
        """Where the last statement stands that may go on anywhere; -1 where there is none."""
        if body not in self._unordered:
            places = (node.start for node in walk(body) if node.kind in _UNORDERED)
            self._unordered[body] = max(places, default=-1)
        return self._unordered[body]

    def _after_child(self, parent: Node, child: Node) -> Flow:
        """What runs in `parent` after its part `child`."""
        match parent.kind:
            case "COMPOUND_STMT":
                rest = [node for node in parent.children if node.start >= child.end]
                return _sequence(map(self._flow, rest))
            case "FOR_STMT":
                parts = for_parts(parent, self._text)
                again = _sequence(self._flow(p) for p in (parts.step, parts.condition) if p is not None)
                return again.then(self._flow(parts.body).maybe()) if child is parts.body else again.maybe()
            case "WHILE_STMT":
                return self._flow(parent.children[0]).then(self._flow(parent.children[1]).maybe())
            case "DO_STMT":
                return self._flow(parent.children[1]).then(self._flow(parent.children[0]).maybe())
            case _:
                return Flow()

    def _flow(self, node: Node) -> Flow:
        if node not in self._flows:
            self._flows[node] = _flow(node, self._text)
        return self._flows[node]


def _sequence(flows: Iterable[Flow]) -> Flow:
    return reduce(Flow.then, flows, Flow())


def _flow(node: Node, text: str) -> Flow:
    match node.kind:
        case "IF_STMT" | "CONDITIONAL_OPERATOR":
            condition, *branches = (_flow(child, text) for child in node.children)
            both = len(branches) == 2
            kills = branches[0].kills & branches[1].kills if both else frozenset()
            reads = frozenset[Key]().union(*(branch.reads for branch in branches))
            return condition.then(Flow(reads, kills, any(branch.jumps for branch in branches)))
        case "FOR_STMT":
            parts = for_parts(node, text)
            entry = _sequence(_flow(p, text) for p in (parts.init, parts.condition) if p is not None)
            rest = _sequence(_flow(p, text) for p in (parts.body, parts.step) if p is not None)
            return replace(entry.then(rest.maybe()), jumps=False)
        case "WHILE_STMT":
            condition, body = (_flow(child, text) for child in node.children)
            return replace(condition.then(body.maybe()), jumps=False)
        case "DO_STMT":
            return replace(_sequence(_flow(child, text) for child in node.children), jumps=False)
        case "SWITCH_STMT":
            value, body = (_flow(child, text) for child in node.children)
            return value.then(Flow(mentioned(node.children[1]), frozenset(), body.jumps))
        case "BREAK_STMT" | "CONTINUE_STMT":
            return Flow(jumps=True)
        case "BINARY_OPERATOR":
            return _operator(node, text)
        case "DECL_REF_EXPR":
            return Flow(frozenset() if node.referenced is None else frozenset({node.referenced.key}))
        case _:
            return _sequence(_flow(child, text) for child in node.children)


def _operator(node: Node, text: str) -> Flow:
    left, right = node.children
    target = stripped(left)
    if node.operator == "=" and target.kind == "DECL_REF_EXPR" and target.referenced is not None:
        return _flow(right, text).then(Flow(kills=frozenset({target.referenced.key})))
    if node.operator in {"&&", "||"}:
        return _flow(left, text).then(_flow(right, text).maybe())
    return _flow(left, text).then(_flow(right, text))
