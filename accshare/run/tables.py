"""Tables for people: verdicts and devices."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from accshare.device.probe import Found
from accshare.run.check import Verdict


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


def device_table(found: Sequence[Found]) -> Table:
    """Each device with its number, and its model: what the compiler knows of it."""
    table = Table(
        title="OpenCL devices, the preferred one first",
        caption="A model gets kernels of its own where they differ from those for generic-gpu or generic-cpu.",
        title_justify="left",
        caption_justify="left",
    )
    for heading in ("#", "device", "kind", "units", "SIMD", "group", "local", "fp64"):
        table.add_column(heading, overflow="fold")
    for number, one in enumerate(found):
        model = one.model
        table.add_row(
            str(number),
            escape(f"{one.name}\n{one.platform}, driver {one.driver}\nmodel {model.name}"),
            model.kind.value,
            str(model.compute_units),
            str(model.simd_width),
            str(model.max_work_group),
            f"{model.local_bytes // 1024} KiB",
            "yes" if model.fp64 else "no",
        )
    return table


def _result(verdict: Verdict) -> str:
    if verdict.unfit:
        return f"skipped: {escape(verdict.trouble)}"
    if verdict.trouble:
        return f"[red]not checked: {escape(verdict.trouble)}[/red]"
    if verdict.ok:
        return "[green]ok[/green]"
    return f"[red]WRONG: {escape(verdict.worst.place)}, {escape(verdict.at)}[/red]"
