"""Numbered diagnostics with a caret, a reason and a way out.

Three classes of trouble are told apart: the user's (`USER`), a limitation of ours (`LIMITATION`) and our bug (`BUG`).
Every number has a page in ``docs/diagnostics/``; `CATALOGUE` is the list the pages are checked against.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence

from accshare.records import dataclass
from accshare.source import SourceFile, Span, shown


class Kind(enum.Enum):
    """Whose trouble it is; the value is what the message starts with."""

    NOTE = "note"
    USER = "error"
    LIMITATION = "warning"
    BUG = "internal error"


@dataclass(frozen=True, slots=True)
class Note:
    """A second place that explains a diagnostic."""

    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One numbered message.

    `code` is a key of `CATALOGUE`, `hint` says what the user can do about it.
    """

    code: str
    message: str
    span: Span | None = None
    hint: str | None = None
    notes: tuple[Note, ...] = ()

    @property
    def kind(self) -> Kind:
        return CATALOGUE[self.code][0]


class Rejected(Exception):  # noqa: N818 - says what happened to the region
    """A stage gives up on a region: the host loops run instead, and the diagnostic says why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def rejected(code: str, message: str, span: Span | None, hint: str, notes: Iterable[Note] = ()) -> Rejected:
    """A `Rejected` around a new diagnostic; no refusal goes without a way out."""
    return Rejected(Diagnostic(code, message, span, hint, tuple(notes)))


def broken(message: str, span: Span | None) -> Rejected:
    """ACC902 for a kernel of ours that is not what it should be."""
    return rejected("ACC902", message, span, "please report this; the host loops run instead")


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them; there are some."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def render(diagnostic: Diagnostic, source: SourceFile) -> str:
    """The message as gcc and clang users know it: place, text, source line, caret, hint, notes."""
    lines = _place(source, diagnostic.span, diagnostic.kind.value, f"{diagnostic.message} [{diagnostic.code}]")
    if diagnostic.hint:
        lines.append(f"  help: {diagnostic.hint}")
    for note in diagnostic.notes:
        lines += _place(source, note.span, "note", note.message)
    return "\n".join(lines)


def _place(source: SourceFile, span: Span | None, kind: str, message: str) -> list[str]:
    if span is None:
        return [f"{source.path}: {kind}: {message}"]
    found = source.excerpt(span)
    before = found.line[: found.location.column - 1]
    lead = "".join("\t" if c == "\t" else " " for c in shown(before))
    width = max(1, min(found.width, len(found.line) - len(before)))
    tail = "~" * (len(shown(found.line[len(before) : len(before) + width])) - 1)
    return [f"{found.location}: {kind}: {message}", f"    {shown(found.line)}", f"    {lead}^{tail}"]


#: how messages of whole regions end
RUNS_ON_HOST = "; it runs on the host"

#: number -> (class, title). Ranges: 1xx pragmas, 2xx C front end, 3xx model and legality, 4xx mapping,
#: 5xx share and partition, 6xx data, 7xx driver and device, 9xx ours.
CATALOGUE: dict[str, tuple[Kind, str]] = {
    "ACC101": (Kind.USER, "the pragma can't be read"),
    "ACC102": (Kind.USER, "unknown directive"),
    "ACC103": (Kind.USER, "unknown clause, or a clause this directive doesn't take"),
    "ACC104": (Kind.USER, "the clause contradicts another one"),
    "ACC105": (Kind.LIMITATION, "valid OpenACC that isn't supported yet"),
    "ACC106": (Kind.USER, "the pragma stands where it has nothing to apply to"),
    "ACC107": (Kind.USER, "share can't be read"),
    "ACC108": (Kind.USER, "a clause names something that isn't declared"),
    "ACC109": (Kind.USER, "a clause counts more loops than there are"),
    "ACC110": (Kind.USER, "atomic stands on none of the statements that it takes"),
    "ACC201": (Kind.LIMITATION, "the C front end could not parse this function"),
    "ACC202": (Kind.LIMITATION, "a statement that can't run on a device"),
    "ACC203": (Kind.LIMITATION, "a type that can't be used on a device"),
    "ACC204": (Kind.LIMITATION, "a call that can't run on a device"),
    "ACC205": (Kind.LIMITATION, "an expression with a side effect"),
    "ACC301": (Kind.NOTE, "a loop that isn't affine"),
    "ACC302": (Kind.NOTE, "a loop stays serial: one iteration needs another's result"),
    "ACC303": (Kind.USER, "the loop was promised to be independent and isn't"),
    "ACC304": (Kind.NOTE, "a run-time overlap test guards the kernel"),
    "ACC305": (Kind.NOTE, "a run-time check of array bounds guards the kernel"),
    "ACC306": (Kind.NOTE, "a scalar stops a loop from running in parallel"),
    "ACC307": (Kind.NOTE, "a floating-point sum is not reordered without a reduction clause"),
    "ACC308": (Kind.NOTE, "a loop is sequential because its directive says so"),
    "ACC309": (Kind.USER, "a private variable is read before it is written"),
    "ACC310": (Kind.NOTE, "a reduction that no clause names is inferred from a promise"),
    "ACC311": (Kind.LIMITATION, "an update that iterations may share is taken on trust"),
    "ACC312": (Kind.NOTE, "a loop stays serial: whether it is parallel is too complicated to find out"),
    "ACC313": (Kind.NOTE, "a private variable may be read before it is written"),
    "ACC314": (Kind.USER, "a reduction clause names a variable that the loop does more with"),
    "ACC401": (Kind.LIMITATION, "no loop of the region can run in parallel"),
    "ACC402": (Kind.LIMITATION, "the region's shape can't be mapped yet"),
    "ACC403": (Kind.LIMITATION, "a run-time check that can never hold"),
    "ACC404": (Kind.LIMITATION, "a region is too complicated to compile"),
    "ACC405": (Kind.NOTE, "a region is too complicated for some optimisations"),
    "ACC406": (Kind.LIMITATION, "a loop launches kernels in each of its iterations, for the sake of a scalar"),
    "ACC407": (Kind.NOTE, "some devices have no kernels for a region, others have"),
    "ACC408": (Kind.NOTE, "loops inside of a region that stays on the host have kernels"),
    "ACC501": (Kind.USER, "share names an array the region doesn't use"),
    "ACC502": (Kind.USER, "share gives a wrong number of dimensions"),
    "ACC503": (Kind.LIMITATION, "share asks for more than local memory holds"),
    "ACC504": (Kind.USER, "share divides without a whole number"),
    "ACC505": (Kind.USER, "share gives a length below 1"),
    "ACC506": (Kind.NOTE, ":coalesce on accesses that already coalesce"),
    "ACC507": (Kind.NOTE, "a hinted array stays in global memory"),
    "ACC508": (Kind.LIMITATION, "a share hint that can't be followed"),
    "ACC509": (Kind.LIMITATION, "sizes that were chosen for a kernel can't be had"),
    "ACC510": (Kind.NOTE, "what tuning found is taken"),
    "ACC511": (Kind.NOTE, "native kernels have no local memory"),
    "ACC601": (Kind.USER, "the extent of an array isn't known"),
    "ACC602": (Kind.USER, "a data clause names something that can't be moved"),
    "ACC603": (Kind.USER, "default(none), and no clause names an array"),
    "ACC604": (Kind.LIMITATION, "a region runs on a device only where an array is present"),
    "ACC605": (Kind.USER, "a data directive names pointers, and not what they lead to"),
    "ACC606": (Kind.NOTE, "native kernels do without what a device would have to know of an array"),
    "ACC701": (Kind.USER, "unknown target"),
    "ACC702": (Kind.USER, "an accshare option can't be understood"),
    "ACC703": (Kind.LIMITATION, "what tuning found can't be read"),
    "ACC704": (Kind.LIMITATION, "the host compiler may not use floating-point registers"),
    "ACC705": (Kind.LIMITATION, "the host compiler can't compile native kernels"),
    "ACC706": (Kind.LIMITATION, "no device of this machine has kernels to build"),
    "ACC707": (Kind.LIMITATION, "the host compiler can't compile regions"),
    "ACC901": (Kind.BUG, "a stage failed"),
    "ACC902": (Kind.BUG, "a generated kernel failed its validation"),
}
