"""Arrays that each work-group updates in a copy of its own: no race, every update once, and the proof has teeth."""

from dataclasses import replace

import pytest
from interpreting import function

from accshare.diagnostics import Rejected
from accshare.frontend.ir import INT, LONG, Assign, Atomic, Binary, Block, If, Subscript, Var
from accshare.islexpr import literal
from accshare.kernel.checks.own_copies import check_own_copies
from accshare.kernel.ir import Barrier, Define, Guarded, Loop
from accshare.run.bench.traffic import told
from accshare.run.interpreter import FaultKind

HISTOGRAM = """
void f(int n, int m, const int *restrict a, int *restrict h, unsigned char *restrict s)
{
#pragma acc parallel loop copyin(a[0:n]) copy(h[2:m], s[0:5])
  for (int i = 0; i < n; i++) {
    if (a[i] > 1) {
#pragma acc atomic
      h[(a[i] & 3) + 2] += i;
    }
#pragma acc atomic
    s[(a[i] & 7) % 5] -= i;
  }
}
"""


@pytest.mark.parametrize(
    ("target", "n", "copied"), [("generic-gpu", 3000, True), ("generic-gpu", 200, False), ("generic-cpu", 200, True)]
)
def test_copies_give_what_the_host_does_without_a_race(target, n, copied, tmp_path):
    region = function(tmp_path, HISTOGRAM, f"--acc-target={target}")
    case = region.case(n=n, m=4)
    run = region.run(case)
    assert run.faults == ()
    assert region.difference(case, run, tmp_path).ok
    updates = sum(count.stores for count in run.counts if count.memory in {"h", "s"} and not count.local)
    assert (updates < n) == copied


def test_elements_in_which_nobody_meets_are_updated_where_they_are(tmp_path):
    text = HISTOGRAM.replace("h[(a[i] & 3) + 2]", "h[i + 2]")
    (kernel,) = function(tmp_path, text).variant.variant.kernels
    assert [copied.buffer.name for copied in kernel.copies] == ["s"]


def test_no_traffic_is_promised_of_what_copies_may_take(tmp_path):
    text = """
void f(int n, const int *restrict a, int *restrict h)
{
#pragma acc parallel loop copyin(a[0:n]) copy(h[0:5])
  for (int i = 0; i < n; i++) {
#pragma acc atomic
    h[i % 5] += a[i];
  }
}
"""
    region = function(tmp_path, text)
    found = told(region.text, region.plan, region.case(n=3000))
    assert {one.variable: one.exact for one in found} == {"a": True, "h": False}


def without(number, kind):
    """The body without one of its statements of a kind."""

    def spoil(body):
        found = [stmt for stmt in body if isinstance(stmt, kind)]
        return tuple(stmt for stmt in body if stmt is not found[number])

    return spoil


def twice(body):
    """What is added is added again."""
    return (*body, body[-1])


def from_the_start(body):
    """Every group begins with the first tile."""
    first = next(stmt for stmt in body if isinstance(stmt, Define))
    return tuple(replace(stmt, value=literal(0, LONG)) if stmt is first else stmt for stmt in body)


def everywhere(body):
    """A copy takes all updates, whether it has the element or not."""
    return changed(body, lambda stmt: stmt.then.statements[0])


def elsewhere(body):
    """Where a copy has not the element, another operator updates the array."""

    def other(stmt):
        (atomic,) = stmt.other.statements
        (step,) = atomic.body.statements
        worse = replace(atomic, body=Block((replace(step, op="*="),), step.span))
        return replace(stmt, other=Block((worse,), step.span))

    return changed(body, other)


def plainly(body):
    """Something writes the array beside the updates."""

    def also(stmt):
        step = stmt.other.statements[0].body.statements[0]
        return replace(stmt, other=Block((*stmt.other.statements, replace(step, op="=")), step.span))

    return changed(body, also)


def changed(stmts, change):
    """Statements with what `change` makes of the first update."""
    done = []
    for stmt in stmts:
        match stmt:
            case Loop(body=body):
                done.append(replace(stmt, body=changed(body, change)))
            case Guarded(then=then):
                done.append(replace(stmt, then=changed(then, change)))
            case If(then=Block((Assign() | Atomic(),)), other=Block()):
                done.append(change(stmt))
            case If(then=then):
                done.append(replace(stmt, then=replace(then, statements=changed(then.statements, change))))
            case _:
                done.append(stmt)
    return tuple(done)


SPOILS = [without(0, Loop), without(-1, Loop), twice, from_the_start, everywhere, elsewhere, plainly]
WAITS = [without(0, Barrier), without(1, Barrier)]


@pytest.mark.parametrize("target", ["generic-gpu", "generic-cpu"])
def test_an_update_that_may_get_lost_or_count_twice_is_refused(target, tmp_path):
    (kernel,) = function(tmp_path, HISTOGRAM, f"--acc-target={target}").variant.variant.kernels
    check_own_copies(kernel)
    for spoil in (*SPOILS, *(WAITS if target == "generic-gpu" else ())):
        worse = replace(kernel, body=spoil(kernel.body))
        assert worse != kernel
        with pytest.raises(Rejected) as caught:
            check_own_copies(worse)
        assert caught.value.diagnostic.code == "ACC902"


ROWS = """
void f(int n, int m, float a[restrict n][m], float *restrict s, float *restrict q, const float *restrict r)
{
#pragma acc parallel loop reduction(+ : s[0:m]) copyin(a[0:n][0:m], r[0:n]) copy(s[0:m], q[0:n])
  for (int i = 0; i < n; i++) {
    q[i] = 0;
    for (int j = 0; j < m; j++)
      s[j] += r[i] * a[i][j];
  }
}
"""


def in_rows(stmts, change):
    """Statements with what `change` makes of those that update elements without asking for each."""
    done = []
    for stmt in stmts:
        match stmt:
            case Loop(body=body):
                done.append(replace(stmt, body=in_rows(body, change)))
            case Guarded(then=then, other=other):
                done.append(replace(stmt, then=in_rows(then, change), other=in_rows(other, change)))
            case Assign(Subscript(Var(own))) if own.unique == "s_own":
                done.append(change(stmt))
            case _:
                done.append(stmt)
    return tuple(done)


def one_behind(stmt):
    index = stmt.target.index
    return replace(stmt, target=replace(stmt.target, index=Binary("+", index, literal(1, INT), index.type, index.span)))


def of_another(stmt):
    return replace(stmt, value=stmt.target)


def other_operator(stmt):
    return replace(stmt, op="*=")


def whatever_it_has(stmts):
    """Copies are updated whether they have the row or not."""
    done = []
    for stmt in stmts:
        match stmt:
            case Loop(body=body):
                done.append(replace(stmt, body=whatever_it_has(body)))
            case Guarded(condition=Binary("&&")):
                done.append(replace(stmt, condition=literal(1, INT)))
            case _:
                done.append(stmt)
    return tuple(done)


def test_updates_of_whole_rows_stay_in_rows_that_a_copy_has(tmp_path):
    (kernel,) = function(tmp_path, ROWS, "--acc-target=native", "-march=x86-64-v3").variant.variant.kernels
    assert kernel.register_tile.copied
    check_own_copies(kernel)
    middle = kernel.body[1:-1]
    spoilt = (
        *(in_rows(middle, change) for change in (one_behind, of_another, other_operator)),
        whatever_it_has(middle),
    )
    for worse in spoilt:
        assert worse != middle
        with pytest.raises(Rejected) as caught:
            check_own_copies(replace(kernel, body=(kernel.body[0], *worse, kernel.body[-1])))
        assert caught.value.diagnostic.code == "ACC902"


def test_work_items_that_do_not_wait_race_in_the_copy(tmp_path):
    region = function(tmp_path, HISTOGRAM)
    variant = region.variant.variant
    (kernel,) = variant.kernels
    for spoil in WAITS:
        worse = replace(variant, kernels=(replace(kernel, body=spoil(kernel.body)),))
        faults = {fault.kind for fault in region.run(region.case(n=3000, m=4), worse).faults}
        assert FaultKind.RACE in faults
