"""The relax stage: which dependences really keep iterations in order."""

from __future__ import annotations

from accshare.options import Options
from accshare.poly.ir import Scop
from accshare.relax.findings import Findings
from accshare.relax.ir import Relaxed
from accshare.relax.loops import orders

__all__ = ["relax"]


def relax(scop: Scop, options: Options) -> Relaxed:
    """Tell for each loop of a region which of the dependences it carries are hard, trusted, excluded by a guard, part
    of a reduction or gone with private variables."""
    findings = Findings(scop, options.reassociate)
    loops = {loop.index: loop for statement in scop.statements for loop in statement.loops}
    both = [orders(findings, loops[index]) for index in sorted(loops)]
    combining = tuple(elements for plain, elements in both if elements is not plain)
    return Relaxed(scop, tuple(plain for plain, _ in both), combining)
