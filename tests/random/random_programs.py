"""Random affine C programs that print what they computed: the host compiler is the oracle."""

from __future__ import annotations

from hypothesis import strategies as st

#: every array is this long in each dimension; every subscript that can be drawn stays below the least
EXTENTS = (118, 120, 128)
ITERATORS = "ijk"
LENGTHS = ("*", "TB_X", "TB_Y", "TB_X * 2", "TB_Y * 3", "TB_X + 2", "TB_Z", "TB_Y + 1", "4", "7", "16")
TYPES = ("int", "unsigned", "float", "double", "unsigned char", "short", "long long")

SHARES = ("force", "force", "force", "on", "auto", "off")
FACTORS = ("auto", "auto", "off", "Y:4,X:2", "Y:4", "X:4", "Y:2,Z:2", "8")


@st.composite
def subscripts(draw: st.DrawFn, loops: str) -> str:
    """An affine index over the loops in scope."""
    terms = [f"{c} * {v}" if c > 1 else v for v in loops if (c := draw(st.sampled_from((0, 1, 1, 1, 2))))]
    constant = draw(st.integers(0, 3))
    if constant or not terms:
        terms.append(str(constant))
    return " + ".join(terms)


@st.composite
def references(draw: st.DrawFn, loops: str) -> str:
    array = draw(st.sampled_from(("A", "B", "C", "x", "y", "lin")))
    if array in "ABC":
        return f"{array}[{draw(subscripts(loops[:2]))}][{draw(subscripts(loops[-1:]))}]"
    if array == "lin":
        row, column = loops[0], loops[-1]
        return f"lin[{row} * w + {column}]"
    return f"{array}[{draw(subscripts(loops))}]"


@st.composite
def values(draw: st.DrawFn, loops: str, depth: int = 0) -> str:
    kind = draw(st.sampled_from(("load", "load", "iterator", "constant", "sum", "product", "choice", "local")))
    if depth >= 2 or kind == "load":
        return draw(references(loops))
    if kind == "iterator":
        return draw(st.sampled_from(loops))
    if kind == "constant":
        return str(draw(st.integers(0, 7)))
    if kind == "local":
        return draw(st.sampled_from(("s", "t")))
    left, right = draw(values(loops, depth + 1)), draw(values(loops, depth + 1))
    if kind == "choice":
        return f"({loops[0]} {draw(st.sampled_from(('<', '>=', '==')))} {draw(st.integers(0, 9))} ? {left} : {right})"
    if kind == "product":
        return f"({left} * (T)3 + {right})"
    return f"({left} {draw(st.sampled_from('+-'))} {right})"


@st.composite
def statements(draw: st.DrawFn, loops: str) -> str:
    kind = draw(st.sampled_from(("store", "store", "update", "guard", "data", "local", "outer")))
    if kind == "outer":
        return f"t {draw(st.sampled_from(('=', '=', '+=')))} (T)({draw(values(loops))});"
    if kind == "local":
        return f"s = (T)({draw(values(loops))});"
    store = f"{draw(references(loops))} {'+' if kind == 'update' else ''}= (T)({draw(values(loops))});"
    if kind == "guard":
        other = draw(st.sampled_from(("n - 2", "3", *loops[:-1])))
        return f"if ({loops[-1]} {draw(st.sampled_from(('<', '<=', '>', '!=')))} {other}) {store}"
    if kind == "data":
        return f"if (x[{loops[0]}] > 2) {store}"
    return store


@st.composite
def loops(draw: st.DrawFn, outer: str, budget: int) -> str:
    iterator = ITERATORS[len(outer)]
    low = draw(st.sampled_from(("0", "0", "0", "1", "2", *outer)))
    step = draw(st.sampled_from((1, 1, 1, 2, 3)))
    header = draw(
        st.sampled_from(
            (
                f"int {iterator} = {low}; {iterator} < n; {iterator} += {step}",
                f"int {iterator} = {low}; {iterator} < m; {iterator}++",
                f"int {iterator} = n - 1; {iterator} >= {low}; {iterator} -= {step}",
                f"int {iterator} = {low}; {iterator} <= 5; {iterator}++",
                f"int {iterator} = n; {iterator}-- > 0;",
            )
        )
    )
    inside = outer + iterator
    body = ["T s = 1;"] if not outer else []
    for _ in range(draw(st.integers(1, 2))):
        if budget > 1 and draw(st.integers(0, 2)):
            body.append(draw(loops(inside, budget - 1)))
        else:
            body.append(draw(statements(inside)))
    text = "\n".join(body)
    return f"for ({header}) {{\n{text}\n}}"


@st.composite
def gathers(draw: st.DrawFn) -> str:
    """A nest whose outer loops are parallel: iterations read A, B, x and lin anywhere and write their own part of C or
    y, in inner loops that may be long, short, bounded by the outer ones or none at all."""
    outer = draw(st.sampled_from(("i", "ij", "ij")))
    target = draw(
        st.sampled_from(("y[i + 1]", "C[i][K]", "C[K][i + 2]") if outer == "i" else ("C[i][j]", "C[2 * j][i]"))
    )
    headers = []
    for iterator in outer:
        low, step = draw(st.sampled_from(("0", "1", "3"))), draw(st.sampled_from(("++", "++", " += 2")))
        up = f"int {iterator} = {low}; {iterator} < {draw(st.sampled_from('nm'))}; {iterator}{step}"
        headers.append(draw(st.sampled_from((up, up, f"int {iterator} = n; {iterator}-- > {low};"))))
    body = [f"T s = {draw(st.integers(0, 3))};"]
    for _ in range(draw(st.integers(1, 3))):
        body.append(draw(inner_loops(outer, target)))
    body.append(f"{target.replace('K', '5')} += s;")
    text = "\n".join(body)
    return "\n".join(f"for ({h})" for h in headers) + f" {{\n{text}\n}}"


@st.composite
def inner_loops(draw: st.DrawFn, outer: str, target: str) -> str:
    """A sequential loop of a gather; ``K`` in `target` is its iterator."""
    low = draw(st.sampled_from(("0", "0", "1", "i", outer[-1])))
    high = draw(st.sampled_from(("n", "m", "m", "5", "i + 1", "n - i", "(i < m ? i : m)")))
    up = f"int k = {low}; k < {high}; k++"
    header = draw(st.sampled_from((up, up, up, f"int k = {low}; k < {high}; k += 2", "int k = m - 1; k > 0; k--")))
    terms = [draw(gathered(outer)) for _ in range(draw(st.integers(1, 3)))]
    value = f" {draw(st.sampled_from('+-'))} ".join(terms)
    before = target.replace("K", draw(st.sampled_from(("k - 1", "k - 1", "k - 2", "k"))))
    walk = f"if (k > 1) {target.replace('K', 'k')} = {before} * 2 + (T)({value});"
    add, last = f"s += {value};", f"s = s * 3 - ({value});"
    own = walk if "K" in target else f"{target} += {value};"
    statement = draw(st.sampled_from((add, add, last, own, f"if (k != 3 && k > i - 4) {add}", f"if (x[k] > 1) {add}")))
    return f"for ({header})\n{statement}"


@st.composite
def gathered(draw: st.DrawFn, outer: str) -> str:
    """A reference that is only read, over the outer loops and ``k``."""
    loops_ = draw(st.permutations((*outer, "k")))[:2]
    near = [f"{v}{draw(st.sampled_from(('', '', ' + 1', ' + 3')))}" for v in loops_]
    kind = draw(st.sampled_from(("near", "near", "near", "row", "lin", "any")))
    if kind == "row":
        return f"x[{near[0]}]"
    if kind == "lin":
        return f"lin[({near[0]}) * w + {loops_[1]}]"
    array = draw(st.sampled_from("AB"))
    return f"{array}[{near[0]}][{near[1]}]" if kind == "near" else f"{array}[{draw(subscripts(outer))}][k]"


@st.composite
def channels(draw: st.DrawFn) -> str:
    """Loops over interleaved channels, some of which are one with the loop around them, of a flat array."""
    count, apart = draw(st.sampled_from(((3, 3), (3, 3), (2, 2), (4, 4), (2, 3))))
    down, right, turned = draw(st.sampled_from((0, 0, 1, 2))), draw(st.sampled_from((0, 0, 1))), draw(st.booleans())
    place = f"lin[{apart} * (i * w + j) + c]"
    other = f"lin[{apart} * ((i + {down}) * w + j + {right}) + {f'{count - 1} - c' if turned else 'c'}]"
    value = draw(st.sampled_from((f"{other} + A[i][j]", f"{other} * 2 + c", f"x[j] + B[j][i] - {other}")))
    test = draw(st.sampled_from(("", "", f"if ({place} > 2) ", "if (x[i] > 1) ")))
    high = draw(st.sampled_from(("j < m", "j <= m - 1")))
    heads = f"for (int i = 0; i < n; i++)\nfor (int j = {draw(st.integers(0, 1))}; {high}; j++)\n"
    return f"{heads}for (int c = 0; c < {count}; c++)\n{test}{place} = (T)({value});"


@st.composite
def own_arrays(draw: st.DrawFn) -> str:
    """Iterations with arrays of their own, which load from places that they compute, and choose."""
    length = draw(st.integers(3, 9))
    first, second = draw(gathered("i")), draw(gathered("i"))
    place = draw(st.sampled_from(("p", "(p + k) % 7", "k")))
    choice = draw(
        st.sampled_from(
            (
                "if (o[k] < s) { s = o[k]; p = k; }",
                "if (o[k] > s) { s = (T)(s + 1); p = k; } else p = 2;",
                "if (n > 9) { p = (p + k) % 5; s += o[k]; }",
                "s = o[k] < o[k - 1] ? o[k] : s;",
            )
        )
    )
    return f"""for (int i = 0; i < n; i++) {{
T o[{length}], s = {draw(st.integers(0, 5))};
int p = i % 3;
for (int k = 0; k < {length}; k++)
o[k] = (T)({first} - {second});
for (int k = 1; k < {length}; k++) {{
{choice}
o[k] = (T)(o[k] + o[k - 1] + x[{place}]);
}}
y[i + 1] = (T)(s + o[{draw(st.integers(0, length - 1))}] + p);
}}"""


@st.composite
def shares(draw: st.DrawFn, nests: str) -> str:
    """A hint for some arrays of a region; empty where it has none."""
    used = [a for a in ("A", "B", "C", "x", "y") if f"{a}[" in nests]
    named = draw(st.lists(st.sampled_from(used), unique=True, max_size=3)) if used else []
    specs = []
    for array in named:
        lengths = [draw(st.sampled_from(LENGTHS)) for _ in range(2 if array in "ABC" else 1)]
        specs.append(f"{array}{''.join(f'[{n}]' for n in lengths)}{draw(st.sampled_from(('', ':coalesce')))}")
    return f"#pragma acc share({', '.join(specs)})\n" if specs else ""


@st.composite
def regions(draw: st.DrawFn, number: int) -> str:
    """A function with one ``kernels`` region, and a call of it at several sizes."""
    type_ = draw(st.sampled_from(TYPES))
    kinds = (loops("", 3), loops("", 3), gathers(), gathers(), channels(), own_arrays())
    kind = draw(st.sampled_from(kinds))
    nests = "\n".join(draw(kind) for _ in range(draw(st.integers(1, 2))))
    share = draw(shares(nests))
    data = "copy(A[0:E], B[0:E], C[0:E], x[0:E], y[0:E], lin[0:E*E])"
    return f"""
#define T {type_}
static T A{number}[E][E], B{number}[E][E], C{number}[E][E], x{number}[E], y{number}[E], lin{number}[E * E];
static void region{number}(int n, int m, int w, T A[E][E], T B[E][E], T C[E][E], T x[E], T y[E], T *lin)
{{
  T t = 1;
{share}#pragma acc kernels {data}
  {{
{nests}
  }}
  y[0] += t;
}}
static void run{number}(void)
{{
  static const int sizes[][2] = {{{{12, 9}}, {{1, 5}}, {{0, 3}}, {{17, 20}}}};
  for (int i = 0; i < E; i++) {{
    x{number}[i] = (T)(i % 5); y{number}[i] = (T)(i % 7);
    for (int j = 0; j < E; j++) {{
      A{number}[i][j] = (T)((i * 3 + j) % 11); B{number}[i][j] = (T)((i + j * 5) % 13);
      C{number}[i][j] = (T)((i ^ j) % 9); lin{number}[i * E + j] = (T)((i * j) % 6);
    }}
  }}
  for (int r = 0; r < 4; r++)
    region{number}(sizes[r][0], sizes[r][1], 40, A{number}, B{number}, C{number}, x{number}, y{number}, lin{number});
  double total = 0;
  for (int i = 0; i < E; i++) {{
    total += (double)x{number}[i] * (i + 1) + (double)y{number}[i] * (i + 2);
    for (int j = 0; j < E; j++)
      total += (double)A{number}[i][j] * (i + 2 * j + 1) + (double)B{number}[i][j] * (2 * i + j) +
               (double)C{number}[i][j] * (i + j) + (double)lin{number}[i * E + j] * (i * j % 17);
  }}
  printf("{number} %.17g\\n", total);
}}
#undef T
"""


@st.composite
def programs(draw: st.DrawFn, count: int = 4) -> str:
    """A whole program of `count` regions."""
    extent = draw(st.sampled_from(EXTENTS))
    body = "".join(draw(regions(k)) for k in range(count))
    calls = " ".join(f"run{k}();" for k in range(count))
    return f"#include <stdio.h>\n#define E {extent}\n{body}\nint main(void)\n{{\n  {calls}\n  return 0;\n}}\n"


@st.composite
def settings_of_ours(draw: st.DrawFn) -> tuple[str, ...]:
    """Options that change how kernels are made, not what they compute."""
    return f"--acc-share={draw(st.sampled_from(SHARES))}", f"--acc-ilp={draw(st.sampled_from(FACTORS))}"
