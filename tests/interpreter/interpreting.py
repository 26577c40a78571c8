"""Compiles C for a device model and interprets its kernels, next to what the host compiler's loops give."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from accshare.emit.ir import RegionText, VariantText
from accshare.frontend.ir import Block
from accshare.kernel.ir import Barrier, Guarded, KernelFunction, Loop, Stmt
from accshare.mapping.ir import Partition, Plan
from accshare.run.compare import compare
from accshare.run.generate import sections
from accshare.run.interpreter import interpret
from accshare.run.reference import ReferenceFunction
from accshare.run.sizes import Case, NoCase, cases, integers
from accshare.run.sources import compile_file

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples"
BANKS = SAMPLES / "banks"
PROGRAMS = ROOT / "tests" / "middle" / "programs"


@dataclass(frozen=True)
class Compiled:
    """A region for one device model."""

    text: RegionText
    variant: VariantText
    plan: Plan

    @property
    def partition(self) -> Partition:
        return self.plan.partition

    @property
    def name(self):
        return self.text.offload.region.name

    def case(self, **sizes) -> Case:
        """Inputs of some sizes."""
        return cases(self.text.offload.plan, 1, sizes)[0]

    def case_of(self, size) -> Case:
        """Inputs whose integers are all alike."""
        return self.case(**dict.fromkeys(integers(self.text.offload.plan), size))

    def small_cases(self, most: int) -> Iterator[Case]:
        """Inputs that satisfy the region's guards, with no integer above `most`."""
        try:
            found = cases(self.text.offload.plan, 3, {})
        except NoCase:
            return
        for case in found:
            if all(value <= most for value in case.named.values() if isinstance(value, int)):
                yield case

    def run(self, case, variant=None, **how):
        """Interprets the region, or a changed variant of it, on data that depends on nothing but the case."""
        memory = sections(self.text, case.values, 1)
        return interpret(variant or self.variant.variant, memory, case.values, **how)

    def difference(self, case, run, folder):
        """How far the interpreter's results are from the host compiler's."""
        memory = sections(self.text, case.values, 1)
        expected = ReferenceFunction(self.text, folder).run(memory, case.values)
        return compare(expected, run.memory)


def compiled(path, *flags):
    """The regions of a file that run on a device, with local memory wherever that saves traffic."""
    unit = compile_file(str(path), ["--acc-target=generic-gpu", "--acc-share=on", "-ffp-contract=off", *flags])
    outcomes = {o.region.name: o for o in unit.result.outcomes}
    return [
        Compiled(text, variant, plan)
        for text in unit.result.output.regions
        for variant, plan in zip(text.variants, outcomes[text.offload.region.name].plans, strict=True)
    ]


def sample(name, *flags):
    """The region of a sample program."""
    (found,) = compiled(SAMPLES / f"{name}.c", *flags)
    return found


def function(folder, text, *flags):
    """The region of a C function."""
    path = folder / "f.c"
    path.write_text(text)
    (found,) = compiled(path, *flags)
    return found


def barriers(kernel):
    """How many barriers a kernel has."""
    return sum(_barriers(kernel.body))


def _barriers(stmts):
    for stmt in stmts:
        match stmt:
            case Barrier():
                yield 1
            case Loop(body=body):
                yield from _barriers(body)
            case Guarded(then=then, other=other):
                yield from _barriers((*then, *other))


def without_barrier(variant, kernel: KernelFunction, number: int):
    """A variant whose kernel lacks its barrier with that number."""
    count = itertools.count()

    def kept(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        result = []
        for stmt in stmts:
            match stmt:
                case Barrier():
                    if next(count) != number:
                        result.append(stmt)
                case Loop(body=body):
                    result.append(replace(stmt, body=kept(body)))
                case Guarded(then=then, other=other):
                    result.append(replace(stmt, then=kept(then), other=kept(other)))
                case _:
                    assert not isinstance(stmt, Block) or stmt.statements
                    result.append(stmt)
        return tuple(result)

    changed = replace(kernel, body=kept(kernel.body))
    return replace(variant, kernels=tuple(changed if k.name == kernel.name else k for k in variant.kernels))
