"""What a region's own function takes from the function that the region stands in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from accshare.conversions import size
from accshare.cprint import HostPrinter
from accshare.data.ir import Datum, Section
from accshare.emit.movement import movement_text
from accshare.emit.text import literal
from accshare.frontend.ir import Array, Expr, Member, Pointer, Scalar, Storage, Subscript, Var
from accshare.pragma.ir import Movement
from accshare.records import dataclass
from accshare.reference import strip
from accshare.tree import expressions

#: C's precedence of what stands beside ``&&``
_UNARY = 14
_COMES_IN = {Movement.COPY, Movement.COPYIN}


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument's declaration in the region's function, and its text where that is called."""

    declaration: str
    text: str


class PassedPrinter(HostPrinter):
    """C text for the region's function: a value that is read from the program's memory becomes one of `arguments`,
    which grow as text is printed. `names` are known inside; `outside` is the same for the place of the call."""

    def __init__(self, names: Mapping[str, str], outside: HostPrinter, arguments: dict[str, Argument]) -> None:
        super().__init__(names)
        self.outside = outside
        self.arguments = arguments

    def within(self, names: Mapping[str, str]) -> PassedPrinter:
        """The same with more names, of host loops."""
        return PassedPrinter(names, self.outside, self.arguments)

    def text(self, expr: Expr, precedence: int = 0) -> str:
        """As `HostPrinter`'s."""
        known = isinstance(expr, Var) and expr.symbol.unique in self.names
        if known or not (isinstance(expr, (Var, Member, Subscript)) and isinstance(expr.type, Scalar)):
            return super().text(expr, precedence)
        read = unless_null(expr, self.outside.text(expr), self.outside)
        name = next((n for n, a in self.arguments.items() if a.text == read), f"__acc_value{len(self.arguments)}")
        self.arguments[name] = Argument(f"const {self.declaration(expr.type, name)}", read)
        return name


def unless_null(expr: Expr, text: str, printer: HostPrinter) -> str:
    """The `text` of what the host reads from memory, 0 where a null pointer leads there: the loops may not come to it
    then."""
    every = (pointer for part in expressions(expr) for pointer in _followed(part))
    pointers = " && ".join(printer.text(pointer, _UNARY) for pointer in dict.fromkeys(every))
    return f"({pointers} ? {text} : 0)" if pointers else text


def _followed(expr: Expr) -> list[Expr]:
    """The pointers that lead to an object, in the order in which they are read."""
    found: list[Expr] = []
    while isinstance(expr, Member | Subscript):
        expr = strip(expr.base)
        if isinstance(expr.type, Pointer):
            found.insert(0, expr)
    return found


@dataclass(frozen=True, slots=True)
class Passed:
    """A datum as the template wants it: `at` is its address where the region's function is called.

    `least` is the part of it that is certainly touched, where the section is what is present around that, and `reach`
    what it counts for where nothing is, perhaps known only after indices have been `looked_up`.
    Where nothing but the region takes the address of a `variable`, the region gets `copy`, so that host compilers can
    keep the variable in a register; `plain_copy` declares that in standard C. `first` and `last` tell whether the copy
    starts with its value, and ends there. What is `constant` the region's function takes as such: of other objects host
    compilers don't ask who set them."""

    name: str
    at: str
    lower: str
    length: str
    element: int
    movement: str
    least: tuple[str, str] | None = None
    reach: tuple[str, str] | None = None
    variable: str = ""
    copy: str = ""
    plain_copy: str = ""
    first: bool = False
    last: bool = False
    constant: bool = True
    looked_up: bool = False


def passed(data: Iterable[Datum], printer: PassedPrinter, named: frozenset[str], plain: bool) -> list[Passed]:
    """The data of a region, for `plain` C or GNU C; variables in `named` are those that data directives name."""
    return [_passed(number, datum, printer, named, plain) for number, datum in enumerate(data)]


def _passed(number: int, datum: Datum, printer: PassedPrinter, named: frozenset[str], plain: bool) -> Passed:
    pointer = isinstance(datum.origin.type, (Pointer, Array))
    # a struct need not have a name to declare another one by
    own = not pointer and _is_own(datum.origin, named) and (isinstance(datum.origin.type, Scalar) or not plain)
    copy = f"__acc_copy{number}" if own else ""
    at = printer.outside.text(datum.origin, _UNARY)
    if pointer:
        at = unless_null(datum.origin, at, printer.outside)
    return Passed(
        literal(datum.name),
        f"&{copy}" if own else at if pointer else f"&{at}",
        "" if datum.certain or datum.length is None else printer.text(datum.lower),
        "" if datum.certain or datum.length is None else printer.text(datum.length),
        size(datum.element),
        movement_text(datum.movement, datum.modifiers),
        _texts(datum.certain, printer),
        _texts(datum.reach, printer),
        at,
        copy,
        printer.outside.declaration(datum.origin.type, copy) if own else "",
        datum.movement in _COMES_IN,
        datum.writes,
        not datum.writes or (isinstance(datum.origin.type, Pointer) and datum.origin.type.const),
        datum.looked_up,
    )


def _texts(section: Section | None, printer: PassedPrinter) -> tuple[str, str] | None:
    return None if section is None else (printer.text(section.lower), printer.text(section.length))


def _is_own(origin: Expr, named: frozenset[str]) -> bool:
    """Whether a variable has an address for the region's sake only."""
    if not isinstance(origin, Var):
        return False
    symbol = origin.symbol
    local = symbol.storage in {Storage.LOCAL, Storage.PARAMETER}
    return local and not symbol.address_taken and not symbol.volatile and symbol.name not in named
