"""Tables for people: verdicts and devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from accshare.device import PRESETS, Device
from accshare.device.probe import Found
from accshare.run.resources import Resources

if TYPE_CHECKING:
    from accshare.run.check import Verdict  # needs more than the devices do

_OWN_KERNELS = "A model gets kernels of its own where they differ from a generic model's."
_LEGEND = """\
group: most work-items; held: work-items/work-groups a unit holds at a time
local: KiB of a work-group/of a unit; (ordinary memory)
B/clock: bytes a unit gets from local memory/from cache; line: a transaction"""
_RESOURCES = """\
regs: registers of a work-item + those a wavefront shares
private, spills: bytes of a work-item; local: bytes of a work-group
occupancy: share of the work-items that a unit can hold, and what limits it"""


def show(table: Table | Group) -> None:
    """Prints a table."""
    Console().print(table)


def verdict_table(verdicts: Sequence[Verdict]) -> Table:
    """Region, variant, inputs, largest relative error, result."""
    device = next((f", on {escape(verdict.device)}" for verdict in verdicts if verdict.device), "")
    table = Table(title=f"Device against host{device}", title_justify="left")
    table.add_column("region")
    table.add_column("variant")
    table.add_column("inputs")
    table.add_column("max error", justify="right")
    table.add_column("allowed", justify="right")
    table.add_column("result")
    for verdict in verdicts:
        checked = bool(verdict.cases)
        table.add_row(
            verdict.region,
            verdict.variant,
            escape("\n".join(verdict.cases)),
            f"{verdict.worst.error:.2g}" if checked else "",
            f"{verdict.worst.allowed:.2g}" if checked else "",
            _result(verdict),
        )
    return table


def device_table(found: Sequence[Found]) -> Group:
    """Each device with its number, and its model: what the compiler knows of it."""
    lines = ["OpenCL devices, the preferred one first"]
    table = _models("", "A model gets kernels of its own where they differ from a generic model's.")
    for number, one in enumerate(found):
        lines.append(f"{number}  {one.name} ({one.model.kind.value}; {one.platform}; driver {one.driver})")
        lines.append(f"   model {one.model.name}")
        lines.extend(_of_cpu(one))
    for model in dict.fromkeys(one.model for one in found):
        table.add_row(model.name, *_figures(model))
    return Group(*(Text(line) for line in lines), table)


def _of_cpu(one: Found) -> Iterator[str]:
    """What matters on a CPU and the table has no room for."""
    model = one.model
    sizes = (model.l1_bytes, model.l2_bytes, model.l3_bytes)
    if not any(sizes):
        return
    caches = ", ".join(f"{size // 1024} KiB" for size in sizes if size)
    yield f"   caches of a core, or its part of them: {caches}"
    yield f"   vectors of {4 * model.simd_width} bytes in {model.registers_per_unit // model.simd_width} registers"
    if one.limit:
        yield f"   because {one.limit}"


def preset_table() -> Table:
    """The device models known by name."""
    table = _models("Device models for --acc-target", "Sources are in docs/devices.md.")
    for model in PRESETS.values():
        table.add_row(model.name, *_figures(model))
    return table


def resource_table(rows: Sequence[Resources]) -> Group:
    """What each kernel takes of each target, and below the table why where it is not known."""
    table = _table("What kernels take", _RESOURCES)
    table.add_column("kernel", overflow="fold", min_width=12)
    table.add_column("target", no_wrap=True)
    for heading in ("group", "regs", "private", "spills", "local"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("occupancy", no_wrap=True)
    troubles = []
    for row in rows:
        if row.usage is None or row.occupancy is None:
            troubles.append(f"{row.target}: {row.trouble}")
            continue
        usage = row.usage
        registers = f"{usage.registers}+{usage.uniform}" if usage.uniform else str(usage.registers)
        numbers = (row.work_group, registers, usage.private, usage.spilled, usage.local)
        held = f"{row.occupancy.share:.0%} {row.occupancy.limit}"
        table.add_row(row.kernel, f"{row.target} {row.architecture}", *map(str, numbers), held)
    notes = [Text(f"not measured: {trouble}", style="yellow") for trouble in dict.fromkeys(troubles)]
    return Group(*([table] if table.row_count else []), *notes)


def _table(title: str, caption: str) -> Table:
    """Narrow, for 80 columns."""
    return Table(
        title=title or None,
        caption=caption,
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=0,
        pad_edge=False,
    )


def _models(title: str, caption: str) -> Table:
    table = _table(title, f"{caption}\n{_LEGEND}")
    table.add_column("model", overflow="fold", min_width=14)
    for heading in ("units", "SIMD", "group", "held", "local", "regs", "B/clock", "line", "fp64"):
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _figures(model: Device) -> tuple[str, ...]:
    local = str(model.local_bytes // 1024)
    return (
        str(model.compute_units),
        str(model.simd_width),
        str(model.max_work_group),
        f"{model.max_threads_per_unit}/{model.max_groups_per_unit}",
        f"{local}/{model.local_per_unit // 1024}" if model.local_dedicated else f"({local})",
        str(model.registers_per_unit),
        f"{model.local_bandwidth:g}/{model.cache_bandwidth:g}",
        str(model.transaction_bytes),
        "yes" if model.fp64 else "no",
    )


def _result(verdict: Verdict) -> str:
    if verdict.unfit:
        return f"skipped: {escape(verdict.trouble)}"
    if verdict.trouble:
        return f"[red]not checked: {escape(verdict.trouble)}[/red]"
    if verdict.fused:
        return f"[yellow]ok, but for a * b + c fused: {escape(verdict.fused)}[/yellow]"
    if verdict.ok:
        return "[green]ok[/green]"
    return f"[red]WRONG: {escape(verdict.worst.place)}, {escape(verdict.at)}[/red]"
