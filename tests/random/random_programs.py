"""Random affine C programs that print what they computed: the host compiler is the oracle."""

from __future__ import annotations

from hypothesis import strategies as st

#: every array is this long in each dimension; every subscript that can be drawn stays below it
EXTENT = 96
ITERATORS = "ijk"
TYPES = ("int", "unsigned", "float", "double", "unsigned char", "short", "long long")

PRELUDE = f"""#include <stdio.h>
#define E {EXTENT}
"""


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
def regions(draw: st.DrawFn, number: int) -> str:
    """A function with one ``kernels`` region, and a call of it at several sizes."""
    type_ = draw(st.sampled_from(TYPES))
    nests = "\n".join(draw(loops("", 3)) for _ in range(draw(st.integers(1, 2))))
    data = "copy(A, B, C, x, y) copy(lin[0:E*E])"
    return f"""
#define T {type_}
static T A{number}[E][E], B{number}[E][E], C{number}[E][E], x{number}[E], y{number}[E], lin{number}[E * E];
static void region{number}(int n, int m, int w, T A[E][E], T B[E][E], T C[E][E], T x[E], T y[E], T *lin)
{{
  T t = 1;
#pragma acc kernels {data.replace("A, B, C, x, y", "A[0:E], B[0:E], C[0:E], x[0:E], y[0:E]")}
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
    body = "".join(draw(regions(k)) for k in range(count))
    calls = " ".join(f"run{k}();" for k in range(count))
    return f"{PRELUDE}{body}\nint main(void)\n{{\n  {calls}\n  return 0;\n}}\n"
