"""What share hints are taken to mean, and what the compiler says of those it can't use."""

import pytest

from accshare.device import PRESETS
from accshare.frontend.parse import parse
from accshare.mapping.staging.advice import possible
from accshare.mapping.staging.hints import HintError, hints_of, length, spelling
from accshare.options import Options, Share
from accshare.poly import model
from accshare.pragma import read
from accshare.source import SourceFile

pytestmark = pytest.mark.quick


def scop_of(share, body, arguments="int n, float A[n][n], float *restrict p, float *restrict q"):
    text = f"void f({arguments}) {{\n#pragma acc kernels loop\n#pragma acc share({share})\n{body}\n}}\n"
    source = SourceFile.of("f.c", text)
    (region,) = parse(source, read(source).directives).regions
    return source, model(region)


def checked(share, body, **more):
    """The hints as pairs of variable and lengths, and the problems as number, marked text and help."""
    source, scop = scop_of(share, body, **more)
    hints, problems = hints_of(scop, Options())
    return (
        [(h.variable.name, [spelling(e) for e in h.array.lengths]) for h in hints],
        [(d.code, source.slice(d.span), d.hint) for d in problems],
    )


COPY = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) q[i * n + j] = A[j][i];"


def test_arrays_that_are_read_or_written_can_be_hinted():
    hints, problems = checked("A[TB_X][TB_Y]:coalesce, q[TB_Y][*]", COPY)
    assert hints == [("A", ["TB_X", "TB_Y"]), ("q", ["TB_Y", "*"])]
    assert problems == []


def test_an_array_the_region_does_not_use_is_named_with_those_it_does():
    _, problems = checked("B[TB_X][*], A[TB_X][*]", COPY)
    assert problems == [("ACC501", "B[TB_X][*]", "the arrays it uses are A, q")]


def test_a_scalar_is_no_array():
    _, problems = checked("n[TB_X]", COPY)
    assert [problem[0] for problem in problems] == ["ACC501"]


def test_an_array_with_a_word_of_opencl_for_a_name_keeps_the_users():
    body = "for (int i = 0; i < n; i++) q[i] = kernel[i];"
    hints, _ = checked("kernel[TB_X]", body, arguments="int n, const float *restrict kernel, float *restrict q")
    assert [lengths for _, lengths in hints] == [["TB_X"]]
    _, problems = checked("filter[TB_X]", body, arguments="int n, const float *restrict kernel, float *restrict q")
    assert problems[0][2] == "the arrays it uses are kernel, q"


@pytest.mark.parametrize(
    ("share", "way_out"),
    [
        ("A[TB_X]", "write A[*][*]; the region uses it as A[][n]"),
        ("q[TB_X]", "write q[*][*]; the region uses it as q[][n]"),
        ("q[1][1][1]", "write q[*][*]; the region uses it as q[][n]"),
    ],
)
def test_the_wrong_number_of_lengths_is_answered_with_the_shape(share, way_out):
    assert checked(share, COPY) == ([], [("ACC502", share, way_out)])


def test_a_linearised_array_has_one_dimension_where_the_region_sees_one():
    body = "for (int i = 0; i < n; i++) q[i] = p[i + 2 * n];"
    assert checked("p[TB_X]", body) == ([("p", ["TB_X"])], [])


def test_an_array_that_every_iteration_has_for_itself_can_not_be_shared():
    body = "for (int i = 0; i < n; i++) { float t[4]; for (int k = 0; k < 4; k++) t[k] = p[i + k]; q[i] = t[i % 4]; }"
    assert checked("t[4], p[TB_X + 4]", body) == (
        [("p", ["TB_X+4"])],
        [("ACC508", "t[4]", "leave the hint out, or name other arrays")],
    )


def test_the_first_of_two_hints_for_one_array_is_used():
    source, scop = scop_of("A[TB_X][*]", f"#pragma acc share(A[*][TB_X])\n{COPY}")
    hints, (problem,) = hints_of(scop, Options())
    assert [source.slice(h.array.span) for h in hints] == ["A[TB_X][*]"]
    assert (problem.code, source.slice(problem.span)) == ("ACC104", "A[*][TB_X]")
    assert [source.slice(note.span) for note in problem.notes] == ["A[TB_X][*]"]


def test_hints_that_are_switched_off_are_not_even_checked():
    _, scop = scop_of("B[TB_X]", COPY)
    assert hints_of(scop, Options(share=Share.OFF)) == ((), ())


def expression(text):
    (directive,) = read(SourceFile.of("f.c", f"#pragma acc share(q[{text}])\n")).directives
    (clause,) = directive.clauses
    return clause.arrays[0].lengths[0]


#: the narrowest work-group
WARP = 32
SIZES = {"TB_X": 32, "TB_Y": 8, "TB_Z": 1}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("*", None),
        ("7", 7),
        ("TB_X * 2 + 4", 68),
        ("TB_X - TB_Y - 2", 22),
        ("TB_X - (TB_Y - 2)", 26),
        ("(TB_X + TB_Y) / 4 * TB_Z", 10),
        ("TB_X / (TB_Y / 2)", 8),
    ],
)
def test_a_length_is_integer_arithmetic(text, value):
    expr = expression(text)
    assert length(expr, SIZES) == value
    assert spelling(expr) == text.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("TB_X / 3", "ACC504"),
        ("TB_X / 3 * 3", "ACC504"),
        ("TB_X / (TB_Y - 8)", "ACC504"),
        ("TB_Z / 2", "ACC504"),
        ("TB_X - 32", "ACC505"),
        ("TB_Y - TB_X", "ACC505"),
    ],
)
def test_a_length_is_a_whole_positive_number(text, code):
    with pytest.raises(HintError) as refused:
        length(expression(text), SIZES)
    assert refused.value.code == code


def on(share, device="generic-gpu", choice=Share.ON):
    """What is left of a hint on COPY, and the problems as number and marked text."""
    source, scop = scop_of(share, COPY)
    hints, _ = hints_of(scop, Options())
    kept, problems = possible(hints, PRESETS[device], WARP, Options(share=choice))
    lengths = [[spelling(e) for e in h.array.lengths] for h in kept]
    return lengths, [(d.code, source.slice(d.span)) for d in problems]


@pytest.mark.parametrize(
    ("share", "lengths", "problems"),
    [
        ("A[TB_X / 64 - 1][TB_Y / 4]", [["TB_X/64-1", "TB_Y/4"]], []),
        ("A[TB_X / 3][TB_Y]", [["*", "TB_Y"]], [("ACC504", "TB_X / 3")]),
        ("A[TB_X - 4096][TB_Y - TB_X / 5]", [["*", "*"]], [("ACC505", "TB_X - 4096"), ("ACC504", "TB_Y - TB_X / 5")]),
        ("A[TB_X - 512][512 - TB_X]", [], [("ACC508", "A[TB_X - 512][512 - TB_X]")]),
        ("A[256][TB_X]", [["256", "TB_X"]], []),
        ("A[257][TB_X]", [], [("ACC503", "A[257][TB_X]")]),
        ("A[8193][*]", [], [("ACC503", "A[8193][*]")]),
    ],
)
def test_lengths_that_no_thread_block_gives_are_left_to_the_compiler(share, lengths, problems):
    assert on(share) == (lengths, problems)


def test_too_much_for_local_memory_says_how_much():
    _, scop = scop_of("A[257][TB_X]", COPY)
    hints, _ = hints_of(scop, Options())
    _, (problem,) = possible(hints, PRESETS["generic-gpu"], WARP, Options())
    assert "takes 32896 bytes of local memory at least, generic-gpu has 32768" in problem.message


def test_a_cpu_has_no_local_memory_to_be_too_small_unless_it_is_asked_to_pretend():
    assert on("A[1024][TB_X]", "generic-cpu") == ([["1024", "TB_X"]], [])
    assert on("A[1024][TB_X]", "generic-cpu", Share.FORCE)[1] == [("ACC503", "A[1024][TB_X]")]
