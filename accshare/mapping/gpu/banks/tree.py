"""The decision tree of Fig. 4, the half that lays data out anew: AOS-to-SOA, transpose, padding (SHARE 3.3.1)."""

from __future__ import annotations

from accshare.mapping.gpu.banks.degrees import Degrees, Moves, Touched, struct_bytes
from accshare.mapping.gpu.banks.tiles import copy_width, plain
from accshare.mapping.ir import Change, Layout
from accshare.records import dataclass, replace

_STILL = Moves()
#: a vector must lie in one piece in the tile too
_SINGLY = ", and copies of single elements"


@dataclass(frozen=True, slots=True)
class Decision:
    """What the tree has come to so far for one staged array."""

    touched: Touched
    layout: Layout
    before: int
    after: Degrees
    path: tuple[str, ...]
    change: Change | None = None

    def then(self, *steps: str) -> Decision:
        """With further steps of the path."""
        return replace(self, path=(*self.path, *steps))

    def laid_out(self, layout: Layout, change: Change, step: str) -> Decision:
        """With another layout."""
        after = self.touched.degrees(layout, _STILL)
        step += "" if copy_width(self.touched.staged, layout) > 1 or self.touched.staged.width == 1 else _SINGLY
        return replace(self, layout=layout, after=after, change=self.change or change).then(step)

    def moved(self, moves: Moves, spare: int) -> Decision:
        """When work-items do things in another order; if that brings conflicts, with the padding that avoids most."""
        after = self.touched.degrees(self.layout, moves)
        if after.worst <= self.after.worst:
            return replace(self, after=after)
        found = _narrowest(self.touched, self.layout, moves, spare)
        if found is None or found.after.worst >= after.worst:
            return replace(self, after=after).then(f"as work-items move: {_said(after)}")
        layout, after = found.layout, found.after
        step = f"as work-items move: padding, {_elements(layout.padding)} more a row"
        return replace(self, layout=layout, after=after, change=self.change or Change.PADDING).then(step)

    def worst(self, moves: Moves) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The words that the request with the greatest degree wants, before and after; none without conflicts."""
        if self.before < 2:
            return (), ()
        touched = self.touched
        apart = struct_bytes(touched) if self.change is Change.SOA else 0
        return touched.worst(plain(touched.staged), _STILL, apart), touched.worst(self.layout, moves)

    @property
    def bytes(self) -> int:
        """What the tile takes."""
        return self.touched.bytes(self.layout)

    @property
    def conflicts(self) -> bool:
        return self.after.worst > 1


def reorganised(touched: Touched, spare: int) -> Decision:
    """Ask the questions about data; `spare` is how many more bytes of local memory the tile may take."""
    layout = plain(touched.staged)
    after = touched.degrees(layout, _STILL)
    decision = _structs(Decision(touched, layout, after.worst, after, ()))
    if not decision.conflicts:
        return decision
    stride, lengths = abs(touched.stride(layout)), touched.staged.lengths
    if len(lengths) < 2 or stride < 2:
        why = "it has one dimension" if len(lengths) < 2 else _apart(stride)
        return decision.then(f"2-D and strided? no: {why}")
    decision = decision.then(f"2-D and strided? yes: {_apart(stride)}")
    if stride != lengths[-1]:
        return _padded(decision.then(f"stride == width? no: rows have {lengths[-1]} elements"), spare)
    decision = decision.then(f"stride == width? yes: rows have {lengths[-1]} elements")
    turned = Layout(tuple(reversed(layout.order)))
    found = touched.degrees(turned, _STILL)
    wider = _padded(decision.then(f"transpose would leave {_said(found)}"), spare) if found.worst > 1 else decision
    if found.worst >= min(decision.after.worst, wider.after.worst + 1):
        return wider
    return decision.laid_out(turned, Change.TRANSPOSE, "transpose")


def unchanged(touched: Touched) -> Decision:
    """A tile that is left as it is, whatever its conflicts."""
    layout = plain(touched.staged)
    after = touched.degrees(layout, _STILL)
    step = "left as it is: --acc-banks=off" if after.worst > 1 else "no conflicts"
    return Decision(touched, layout, after.worst, after, (step,))


def padded(touched: Touched, padding: int, spare: int) -> Decision:
    """A tile with as much padding as was asked for; without rows, or room for it, the tile stays as it is."""
    layout = plain(touched.staged)
    after = touched.degrees(layout, _STILL)
    decision = _structs(Decision(touched, layout, after.worst, after, ()))
    wider = replace(layout, padding=padding)
    if padding == 0 or len(touched.staged.lengths) < 2 or touched.bytes(wider) - touched.bytes(layout) > spare:
        return decision
    return decision.laid_out(wider, Change.PADDING, f"asked for: {_elements(padding)} more a row")


def _structs(decision: Decision) -> Decision:
    """AOS-to-SOA: members are staged one by one, so that a tile of structs is a struct of tiles."""
    staged = decision.touched.staged
    if not staged.members:
        return decision.then("AOS? no") if decision.conflicts else decision.then("no conflicts")
    whole = decision.touched.references(decision.layout, _STILL, struct_bytes(decision.touched))
    before = max(decision.before, whole)
    step = f"AOS? yes: member {'.'.join(staged.members)} is staged by itself"
    return replace(decision, before=before, change=Change.SOA).then(step)


def _padded(decision: Decision, spare: int) -> Decision:
    found = _narrowest(decision.touched, decision.layout, _STILL, spare)
    if found is None:
        return decision.then("no room for padding in local memory")
    layout, after = found.layout, found.after
    if after.worst >= decision.after.worst:
        return decision.then(f"padding would not help: {_said(after)}")
    return decision.laid_out(layout, Change.PADDING, f"padding: {_elements(layout.padding)} more a row")


@dataclass(frozen=True, slots=True)
class _Padded:
    """A layout with padding: the lower its `cost`, the better."""

    cost: tuple[int, int, int, bool, int]
    layout: Layout
    after: Degrees


#: the least that a cost can be, whatever the padding
_NO_CONFLICT = (1, 1, 1, False)


def _narrowest(touched: Touched, layout: Layout, moves: Moves, spare: int) -> _Padded | None:
    """The padding with the lowest degree: of those a multiple of the copies' vectors, or else the smallest. None
    without rows, or room."""
    period = touched.device.banks * max(1, touched.device.bank_bytes // touched.size)
    least = touched.bytes(layout)
    best: _Padded | None = None
    for padding in range(1, period + 1) if len(layout.order) > 1 else ():
        wider = replace(layout, padding=padding)
        if touched.bytes(wider) - least > spare or (best and best.cost[:4] == _NO_CONFLICT):
            break
        singly = padding % touched.staged.width != 0
        references = touched.references(wider, moves)
        if best is None or (references, references, 1, singly, padding) < best.cost:
            found = Degrees(references, touched.copies(wider))
            cost = (found.worst, references, found.copies, singly, padding)
            if best is None or cost < best.cost:
                best = _Padded(cost, wider, found)
    return best


def _apart(stride: int) -> str:
    if stride == 0:
        return "neighbouring work-items read the same element"
    return f"neighbouring work-items are {_elements(stride)} apart"


def _said(found: Degrees) -> str:
    if found.copies > found.references:
        return f"degree {found.worst}, of the copies"
    return f"degree {found.worst}"


def _elements(count: int) -> str:
    return f"{count} element" if count == 1 else f"{count} elements"
