"""Which loops are in normal form, and what the user is told about the others."""

import pytest
from printing import compact

from accshare.frontend.ir import GeneralFor
from accshare.tree import statements

COUNTING = {
    "for (int i = 0; i < n; i++) I[i] = 0;": "for (int i = 0; i < n; i += 1)",
    "for (int i = 0; i <= n; ++i) I[i] = 0;": "for (int i = 0; i <= n; i += 1)",
    "for (int i = n; i > 0; i--) I[i] = 0;": "for (int i = n; i > 0; i += -1)",
    "for (int i = n - 1; i >= 0; --i) I[i] = 0;": "for (int i = n - 1; i >= 0; i += -1)",
    "for (int i = 0; i != n; i++) I[i] = 0;": "for (int i = 0; i != n; i += 1)",
    "for (int i = 0; n > i; i += 4) I[i] = 0;": "for (int i = 0; i < n; i += 4)",
    "for (int i = 0; n >= i; i = i + 2) I[i] = 0;": "for (int i = 0; i <= n; i += 2)",
    "for (int i = 9; i > n; i = i - 3) I[i] = 0;": "for (int i = 9; i > n; i += -3)",
    "for (int i = 0; i < n; i = 1 + i) I[i] = 0;": "for (int i = 0; i < n; i += 1)",
    "for (int i = 0; i < n; i -= -2) I[i] = 0;": "for (int i = 0; i < n; i += 2)",
    "for (int i = n; i-- > 0;) I[i] = 0;": "for (int i = n - 1; i >= 0; i += -1)",
    "for (int i = n; --i >= 0;) I[i] = 0;": "for (int i = n - 1; i >= 0; i += -1)",
    "for (int i = n; i--;) I[i] = 0;": "for (int i = n - 1; i != -1; i += -1)",
    "for (int i = -1; ++i < n;) I[i] = 0;": "for (int i = 0; i < n; i += 1)",
    "for (size_t i = z; i-- > 0;) I[i] = 0;": "for (unsigned long i = ((long)z) - 1; i >= 0; i += -1)",
    "for (size_t i = z; i-- != 0;) I[i] = 0;": "for (unsigned long i = ((long)z) - 1; i != -1; i += -1)",
    "for (unsigned i = 0; i < u; i += 1u) I[i] = 0;": "for (unsigned int i = 0; i < u; i += 1)",
    "for (unsigned char i = 0; i < 10; i = i + 1) I[i] = 0;": "for (unsigned char i = 0; i < 10; i += 1)",
    "for (short i = 0; i < (short)l; i++) I[i] = 0;": "for (short i = 0; i < (short)l; i += 1)",
    "for (n = 0; n < m; n++) I[n] = 0;": "for (n = 0; n < m; n += 1)",
    "for (int i = 0; i < z; i++) I[i] = 0;": "for (int i = 0; i < z; i += 1)",
    "for (int i = (int)l; i < (int)(l * 2); i++) I[i] = 0;": "for (int i = (int)l; i < (int)(l * 2); i += 1)",
    "for (int i = 0; i < n; i++) { if (I[i]) continue; I[i] = 1; }": "for (int i = 0; i < n; i += 1)",
    "for (int i = 0; i < n; i++) while (1) break;": "for (int i = 0; i < n; i += 1)",
    "for (int i = 0; i < n && i < m; i++) I[i] = 0;": "for (int i = 0; i < (n < m) ? n : m; i += 1)",
    "for (int i = 0; i < n && m >= i; i++) I[i] = 0;": "for (int i = 0; i <= ((n - 1) < m) ? (n - 1) : m; i += 1)",
    "for (int i = n; i >= m && i > 3; i--) I[i] = 0;": "for (int i = n; i >= (m > 4) ? m : 4; i += -1)",
    "for (int i = 0; i < n && i < l; i++) I[i] = 0;": "for (int i = 0; i < (n < l) ? n : l; i += 1)",
}

GENERAL = {
    "for (int i = 1; i < n; i *= 2) I[i] = 0;": "i doubles each time (i *= 2)",
    "for (int i = 1; i < n; i <<= 1) I[i] = 0;": "i doubles each time (i <<= 1)",
    "for (int i = n; i > 1; i = i / 2) I[i] = 0;": "i is halved each time (i = i / 2)",
    "for (int i = 1; i < n; i *= 3) I[i] = 0;": "i is multiplied each time (i *= 3)",
    "for (int i = 0; i < n; i += m) I[i] = 0;": "the step of i isn't a constant (i += m)",
    "for (int i = 0; i < n; i += 0) I[i] = 0;": "i doesn't move (i += 0)",
    "for (int i = 0; i < n; i--) I[i] = 0;": "i moves away from its bound",
    "for (int i = 0; i < n && I[i]; i++) I[i] = 0;": "the condition is more than one comparison",
    "for (int i = 0; i < n && m; i++) I[i] = 0;": "the condition is more than one comparison",
    "for (int i = 0; i < n || i < m; i++) I[i] = 0;": "the condition is more than one comparison",
    "for (int i = 0; i < n && i != m; i++) I[i] = 0;": "the condition is more than one comparison",
    "for (int i = 0; i < n && i > m; i++) I[i] = 0;": "the condition is more than one comparison",
    "for (int i = 0; i < n && i < I[2]; i++) I[i] = 0;": "the condition is more than one comparison",
    "for (int i = 0; i < n && i < n / m; i++) I[i] = 0;": "the condition is more than one comparison",
    "for (int i = 0; i < n && i < z; i++) I[i] = 0;": "the condition is more than one comparison",
    "for (int i = 0; i < n * 0.5; i++) I[i] = 0;": "the condition doesn't compare integers",
    "for (int i = 0; i < n - i; i++) I[i] = 0;": "the bound depends on i itself",
    "for (int i = 0; i < n; i++) { I[i] = 1; n++; }": "the bound changes in the loop (n)",
    "for (int i = 0; i < I[3]; i++) I[i] = 1;": "the bound changes in the loop (I)",
    "for (int i = 0; i < n; i++) { I[i] = 1; i++; }": "i is changed in the loop's body",
    "for (int i = 0; i < n; i++) for (i = 3; i < m; i++) I[i] = 1;": "i is changed in the loop's body",
    "for (int i = 0; i < n; i++) if (I[i]) break;": "the loop can end early (break)",
    "for (int i = 0; ; i++) { if (i > n) break; }": "the loop has no condition",
    "for (int i = 0; i < n;) { I[i] = 1; if (I[0]) i++; }": "the loop has no step",
    "for (unsigned i = u; i >= 0; i--) I[i] = 1;": "i is unsigned, so the condition is always true",
    "for (int i = m; i < z; i++) I[i] = 1;": "i is compared as an unsigned number and may be negative",
    "for (float x = 0; x < n; x += 1) I[0] = 1;": "the condition doesn't compare integers",
    "for (int i = 0, j = n; i < j; i++, j++) I[i] = I[j];": "the bound changes in the loop (j)",
}

#: where what is compared comes nearer from both sides
BETWEEN = {
    "for (int i = 0, j = n; i < j; i++, j--) I[i] = I[j];": "near < (room + 1) / 2; near += 1",
    "for (int i = 0; i <= n; i += 2) { I[i] = 1; n--; }": "near < (room + 3) / 3; near += 1",
    "{ int i = 9; while (n > i) { I[i] = 1; i++; n -= 3; } }": "near < (room + 3) / 4; near += 1",
}


def test_an_end_that_an_inner_loop_counts_with_is_none(region_of):
    body = region_of("for (int i = 0, j = n; i < j; i++, j--) { I[j] = i; for (i = 3; i < m; i++) I[i] = 1; }").body
    assert any(isinstance(s, GeneralFor) for s in statements(body))


@pytest.mark.parametrize("text", BETWEEN)
def test_loops_between_two_ends_count_how_often(region_of, text):
    assert BETWEEN[text] in compact(region_of(text).body)


@pytest.mark.parametrize("text", COUNTING)
def test_counting_loops_take_their_normal_form(region_of, text):
    assert compact(region_of(text).body).startswith(COUNTING[text])


@pytest.mark.parametrize("text", GENERAL)
def test_other_loops_say_why_in_the_users_words(region_of, text):
    found = [s for s in statements(region_of(text).body) if isinstance(s, GeneralFor)]
    assert found[0].reason == GENERAL[text]


def test_an_inner_loop_over_an_unsigned_bound_counts_when_it_starts_at_an_outer_iterator(region_of):
    body = region_of("for (int i = 0; i < z; i++) for (int j = i + 1; j < z; j++) I[j] = i;").body
    assert compact(body) == "for (int i = 0; i < z; i += 1) { for (int j = i + 1; j < z; j += 1) { I[j] = i; } }"


GOING_ON = {
    "for (; m < n; m++) I[m] = 1;": "int m_1 = m; for (int m_2 = m_1; m_2 < n; m_2 += 1) { I[m] = 1; m += 1; }",
    "for (; m < n; m += 2, l--) { if (l == 3) continue; I[m] = 1; }": (
        "int m_1 = m; for (int m_2 = m_1; m_2 < n; m_2 += 2) { if (!(l == 3)) { I[m] = 1; } m += 2; l -= 1; }"
    ),
    "for (int i = 0; i < n;) I[i++] = 1;": (
        "int i = 0; int i_2 = i; for (int i_3 = i_2; i_3 < n; i_3 += 1) { int i_1 = i; i += 1; I[i_1] = 1; }"
    ),
}


@pytest.mark.parametrize("text", GOING_ON)
def test_a_loop_that_goes_on_where_a_variable_stands_counts_beside_it(region_of, text):
    assert compact(region_of(text).body) == GOING_ON[text]


def test_other_variables_of_the_header_become_statements(region_of):
    body = region_of("int k; for (k = 0, l = 3; k < n; k++, l += 2) I[k] = l;").body
    assert compact(body) == "int k; l = 3; for (k = 0; k < n; k += 1) { I[k] = l; l += 2; }"


def test_pointer_loops_say_so(region_of):
    before = "struct node { int v; struct node *next; };"
    body = region_of("for (struct node *p = (struct node *)0; p; p = p->next) p->v = 1;", before).body
    (loop,) = [s for s in statements(body) if isinstance(s, GeneralFor)]
    assert "doesn't compare" in loop.reason or "pointer" in loop.reason


def test_header_span_covers_the_parentheses(reader):
    text = "void f(int n, int *I) {\n#pragma acc kernels loop\nfor (int i = (0); i < (n); i++) { I[i] = 1; }\n}\n"
    source, program = reader(text)
    (loop,) = program.regions[0].body.statements
    assert source.slice(loop.header) == "for (int i = (0); i < (n); i++)"
    assert source.slice(loop.span) == source.slice(program.regions[0].span)
