"""Work-groups with an order of their own inside: work-items share inner loops, in phases with barriers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from calls import check_where, explained
from tiers import telling

from accshare.device import preset
from accshare.diagnostics import Rejected
from accshare.frontend.parse import parse
from accshare.kernel import lower
from accshare.kernel.checks.races import check_races
from accshare.kernel.ir import Barrier, Comment, Guarded, Loop, parts
from accshare.mapping import map_to
from accshare.mapping.ir import NestPartition
from accshare.options import Options
from accshare.poly import model
from accshare.pragma import read
from accshare.relax import relax
from accshare.run.bench.traffic import told
from accshare.run.compare import compare
from accshare.run.generate import sections
from accshare.run.interpreter import interpret
from accshare.run.reference import ReferenceFunction
from accshare.run.sizes import cases
from accshare.run.sources import compile_file
from accshare.schedule import schedule
from accshare.schedule.ir import Band, Leaf, Phase, Role, Sequence, in_order, steps
from accshare.source import SourceFile
from accshare.target import adaptation

GPU = "generic-gpu"
#: what work-groups do, by the function it is in: `phased.c`
SHAPES = {
    "two_sums": """
work-groups over i
  float s = 0
  t = x[i]
  work-items over j
    s += A[i][j] * z[j]
    t += B[i][j] * z[j]
  combine s and t in a tree
  y[i] = s * 2 - t""",
    "normalised": """
work-groups over i
  int most = p[i][0]
  all = 0
  work-items over j
    if (p[i][j] > most) most = p[i][j]
  combine most in a tree
  work-items over j
    all += most - p[i][j]
  combine all in a tree
  work-items over j
    q[i][j] = (most - p[i][j]) * 5 + all""",
    "in_time": """
work-groups over i
  for (int t = 0; t < times; t++)
    work-items over j
      q[i][j] = (p[i][j - 1] + p[i][j] + p[i][j + 1]) & 1023
    barrier
    work-items over j
      p[i][j] = q[i][j]
    barrier""",
    "sweeps": """
work-groups over i
  for (int t = 0; t < times; t++)
    work-items over j
      q[i][j] = (p[i][j - 1] + p[i][j] + p[i][j + 1]) & 1023
    barrier
    work-items over j
      p[i][j] = q[i][j] + t
    barrier""",
    "contracted": """
work-groups over a, b
  work-items over c
    sums[a][b][c] = 0
    for (int d = 0; d < k; d++)
      sums[a][b][c] += cube[a][b][d] * C[d][c]
  barrier
  work-items over c
    cube[a][b][c] = sums[a][b][c] / 64""",
    "columns": """
work-groups over a
  float factor = x[a] + 1
  for (int d = 0; d < n; d++)
    work-items over c
      cube[a][d][c] = cube[a][d][c] / 2 + factor""",
    "own_row": """
work-groups over a, b
  work-items over c
    row[c] = 0
    for (int d = 0; d < 101; d++)
      row[c] += cube[a][b][d] * C[d][c]
  barrier
  work-items over c
    cube[a][b][c] = row[101 - 1 - c] / 64""",
    "lent_row": """
work-groups over a, b
  work-items over c
    lent[c] = 0
    for (int d = 0; d < 101; d++)
      lent[c] += cube[a][b][d] * C[d][c]
  barrier
  work-items over c
    cube[a][b][c] = lent[101 - 1 - c] / 64
  work-items over c
    lent[c]""",
    "both_lent": """
work-groups over a, b
  work-items over c
    lent[c] = cube[a][b][c] * 3
    lent_too[c] = cube[a][b][c - 1] + 1
  barrier
  work-items over c
    cube[a][b][c] = lent[101 - c] - lent_too[c * 7 % (101 - 1) + 1]
  work-items over c
    lent[c]
  work-items over c
    lent_too[c]""",
    "large_row": "",
    "asked_for": """
work-groups over i
  float s = 0
  work-items over j
    s += A[i][j]
  combine s in a tree
  work-items over j
    B[i][j] -= s""",
}
#: as many iterations as leave some work-items without one, and some with more than others
SIZES = {
    "two_sums": {"m": 11, "n": 70},
    "in_place": {"m": 11, "first": 3, "n": 70},
    "normalised": {"m": 11, "n": 70},
    "in_time": {"times": 3, "n": 37},
    "sweeps": {"times": 3, "n": 37},
    "neighbours": {"times": 3, "n": 37},
    "shorter": {"times": 3, "n": 37},
    "triangle": {"n": 37},
    "growing": {"n": 37},
    "contracted": {"m": 9, "n": 7, "k": 37},
    "columns": {"m": 9, "n": 7, "k": 37},
    "swapped": {"n": 37},
    "own_row": {"m": 3, "n": 7},
    "own_rows": {"m": 11, "times": 2},
    "lent_row": {"m": 3, "n": 7},
    "both_lent": {"m": 3, "n": 7},
    "partly_lent": {"n": 11},
    "kept_row": {"n": 11},
    "large_row": {"m": 2},
    "asked_for": {"m": 11, "n": 70},
}
ROWS = """
void rows(int n, int A[n][n], int y[n])
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    int s = 0;
    for (int j = 0; j < n; j++)
      s += A[i][j];
    for (int j = 0; j < n; j++)
      A[i][j] -= s * y[j];
  }
}
"""
IN_TIME = """
for (int i = 1; i < n; i++)
  for (int t = 0; t < n; t++) {
    for (int j = 1; j < n - 1; j++) b[i][j] = a[i][j - 1] + a[i][j] + a[i][j + 1];
    for (int j = 1; j < n - 1; j++) a[i][j] = b[i][j];
  }
"""
COLUMNS = """
for (int i = 0; i < n; i++) {
  int f = x[i];
  for (int k = 1; k < n; k++)
    for (int j = 0; j < n; j++) c[i][k][j] = c[i][k - 1][j] + f;
}
"""
SUM = """
for (int i = 0; i < n; i++) {
  int s = 0;
  for (int j = 0; j < n; j++) s += a[i][j];
  for (int j = 0; j < n; j++) b[i][j] -= s;
}
"""
OWN_ROW = """
for (int i = 0; i < n; i++) {
  int row[64];
  for (int j = 0; j < 64; j++) row[j] = a[i][j];
  for (int j = 0; j < 64; j++) b[i][j] = row[63 - j];
}
"""


@pytest.mark.parametrize("target", telling({"native"}, ["native", GPU]))
def test_results_are_those_of_the_loops_as_they_stand(target, workshop, request):
    if target != "native":
        request.getfixturevalue("opencl")
    calls = workshop.calls("phased", target)
    assert [(c.text, c.result) for c in calls] == workshop.host_results("phased")
    check_where(calls)


def test_the_report_shows_phases_and_barriers(workshop):
    report = explained(workshop.sources / "phased.c", f"--acc-target={GPU}")
    found = {region["function"]: region["kernels"][0]["sizes"][-1] for region in report["regions"]}
    for name, nest in SHAPES.items():
        assert "\n".join(found[name]["phases"]) == nest.strip(), name
        if nest:
            assert found[name]["work_group"] == [32, 8, 1][: len(found[name]["work_group"])], name


def test_loops_stay_with_a_work_item_where_their_order_is_to_be_the_source_s(tmp_path):
    source = tmp_path / "rows.c"
    source.write_text(ROWS)
    for flags, phases in ([], 7), (["--acc-schedule=source"], 0):
        (region,) = explained(source, f"--acc-target={GPU}", *flags)["regions"]
        assert [len(size["phases"]) for kernel in region["kernels"] for size in kernel["sizes"]] == [phases]


def test_no_work_items_race_and_no_barrier_can_be_left_out(workshop, tmp_path):
    unit = compile_file(str(workshop.sources / "phased.c"), [f"--acc-target={GPU}"])
    seen = 0
    for region in unit.result.output.regions:
        (variant,) = region.variants
        (case, *_) = cases(region.offload.plan, 1, SIZES[region.offload.region.function])
        memory = sections(region, case.values, 1)
        run = interpret(variant.variant, memory, case.values)
        assert run.faults == ()
        assert compare(ReferenceFunction(region, tmp_path).run(memory, case.values), run.memory).ok
        for kernel in variant.variant.kernels:
            check_races(kernel, frozenset())
            phased = any(isinstance(p, Comment) and p.phase is not None for s in kernel.body for p in parts(s))
            for number in range(_barriers(kernel.body) if phased else 0):
                seen += 1
                with pytest.raises(Rejected) as caught:
                    check_races(replace(kernel, body=_without(kernel.body, number)), frozenset())
                assert caught.value.diagnostic.code == "ACC902"
    assert seen > 30


def test_what_is_predicted_is_counted(workshop):
    """Neither a loop that work-items share nor what the first one of a row does is left out."""
    unit = compile_file(str(workshop.sources / "phased.c"), [f"--acc-target={GPU}"])
    outcomes = {outcome.region.name: outcome for outcome in unit.result.outcomes}
    bounds = []
    for region in unit.result.output.regions:
        name = region.offload.region.name
        (case, *_) = cases(region.offload.plan, 1, SIZES[region.offload.region.function])
        found = told(region, outcomes[name].plans[0], case)
        assert [one.predicted for one in found if one.exact] == [one.counted for one in found if one.exact], name
        bounds += [(outcomes[name].region.function, one.variable) for one in found if not one.exact]
    # a condition decides, or bands begin where warps don't
    assert set(bounds) == {("normalised", "p"), *((name, one) for name in ("neighbours", "shorter") for one in "pq")}


def mapped(body):
    """The plan of a kernels region around `body` for a GPU."""
    text = f"""
int a[99][99], b[99][99], c[99][99][99], x[99];
void f(int n) {{
#pragma acc kernels
{{
{body}
}}
}}
"""
    source = SourceFile.of("f.c", text)
    options = Options()
    return map_to(
        schedule(relax(model(parse(source, read(source).directives).regions[0]), options), options),
        preset(GPU),
        options,
    )


def lowered(plan):
    return lower(plan, Options(), adaptation(preset(GPU)))


def spoiled(plan, change):
    """A plan whose only kernel is another one."""
    (nest,) = plan.nests
    kernel = change(nest.placement.partition.nest)
    return replace(plan, nests=(replace(nest, placement=replace(nest.placement, partition=NestPartition(kernel))),))


def inside(change):
    """What changes what is below the grid."""
    return lambda kernel: replace(kernel, child=replace(kernel.child, child=change(kernel.inside)))


def phases_merged(uniform):
    both = tuple(step for phase in uniform.child.children for step in steps(phase.child))
    return replace(uniform, child=Phase(in_order(both)))


def phases_swapped(uniform):
    return replace(uniform, child=Sequence(uniform.child.children[::-1]))


def barrier_around_the_loop_only(uniform):
    """All times are one phase."""
    (member,) = uniform.members
    both = tuple(step for phase in uniform.child.children for step in steps(phase.child))
    return Phase(Band((replace(member, role=Role.SEQUENTIAL),), in_order(both)))


def members_swapped(phase):
    """Work-items share the loop that has an order."""
    leaf, outer = steps(phase.child)
    thread, plain = outer.child.members[0], outer.members[0]
    sharing = replace(plain, role=Role.THREAD, size=thread.size, threads=thread.threads)
    alone = replace(thread, role=Role.SEQUENTIAL, size=1, threads=1)
    return Phase(Sequence((leaf, Band((sharing,), Band((alone,), outer.child.child)))))


def scalar_of_the_first_alone(kernel):
    return replace(kernel, repeated=frozenset())


def row_of_each_alone(kernel):
    return replace(kernel, local=frozenset())


def both_in_one(kernel):
    both = tuple(step for phase in steps(kernel.inside) for step in steps(phase.child))
    return replace(kernel, child=replace(kernel.child, child=Phase(in_order(both))))


def result_of_the_first_alone(kernel):
    ends = {
        leaf.statement.name
        for phase in steps(kernel.inside)[1:]
        for leaf in steps(phase.child)
        if isinstance(leaf, Leaf)
    }
    return replace(kernel, repeated=kernel.repeated - ends)


WRONG = [
    (IN_TIME, inside(phases_merged), "dependence on"),
    (IN_TIME, inside(phases_swapped), "dependence on"),
    (IN_TIME, inside(barrier_around_the_loop_only), "dependence on"),
    (COLUMNS, inside(members_swapped), "dependence on c"),
    (COLUMNS, scalar_of_the_first_alone, "another value of f"),
    (OWN_ROW, row_of_each_alone, "another value of row"),
    (OWN_ROW, both_in_one, "dependence on row"),
    (SUM, result_of_the_first_alone, "another value of s"),
]


@pytest.mark.parametrize(("body", "change", "message"), WRONG)
def test_wrong_phases_are_refused(body, change, message):
    plan = mapped(body)
    lowered(plan)
    with pytest.raises(Rejected) as caught:
        lowered(spoiled(plan, change))
    assert caught.value.diagnostic.code == "ACC902"
    assert message in caught.value.diagnostic.message


def _barriers(stmts):
    return sum(isinstance(s, Barrier) or _barriers(_below(s)) for s in stmts)


def _below(stmt):
    match stmt:
        case Loop(body=body):
            return body
        case Guarded(then=then, other=other):
            return (*then, *other)
    return ()


def _without(stmts, number):
    """Statements without one of their barriers, which are counted in the order of the text."""
    result = []
    for stmt in stmts:
        count = int(isinstance(stmt, Barrier)) or _barriers(_below(stmt))
        if isinstance(stmt, Barrier) and number == 0:
            number = -1
            continue
        if isinstance(stmt, Loop) and 0 <= number < count:
            stmt = replace(stmt, body=_without(stmt.body, number))
        number -= count
        result.append(stmt)
    return tuple(result)


#: a scalar that a launch of its own sums up, and then the work-items of a group by a tree
SUMMED_TWICE = """void f(int n, int p[restrict n][n], int q[restrict n][n])
{
  int sum;
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        sum = p[i][j];
        for (int k = 0; k <= j; k++)
          sum -= p[i][k] * p[k][i];
        p[i][j] = sum;
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        sum = 0;
        for (int k = 0; k < i; k++)
          sum += q[i][k] * q[k][j];
        q[i][j] -= sum;
      }
  }
}
"""

#: phases of kernels with one and with two loops in their grids, which depend on one another
UNLIKE_GRIDS = """void f(int n, int p[restrict n][n], int q[restrict n][n])
{
  int sum;
#pragma acc kernels
  {
    for (int i = n - 1; i >= 0; i--)
      for (int j = 0; j < i; j++) {
        sum = q[i][j];
        for (int k = 0; k < i; k++)
          sum -= q[j][k] * q[k][i];
        q[i][j] = sum / 3;
      }
    for (int i = n - 1; i >= 1; i--)
      for (int j = i + 1; j < n; j++) {
        sum = 0;
        for (int k = 0; k < i; k++)
          sum += q[i][k] * q[j][k];
        q[i][j] -= sum;
      }
  }
}
"""


def test_phases_of_kernels_with_differently_many_loops_are_compared(tmp_path):
    source = tmp_path / "f.c"
    source.write_text(UNLIKE_GRIDS)
    unit = compile_file(str(source), [f"--acc-target={GPU}"])
    (outcome,) = unit.result.outcomes
    assert outcome.offload is not None


def test_a_scalar_is_one_in_memory_for_some_kernels_and_each_work_items_own_in_others(tmp_path):
    source = tmp_path / "f.c"
    source.write_text(SUMMED_TWICE)
    unit = compile_file(str(source), [f"--acc-target={GPU}"])
    (region,), (outcome,) = unit.result.output.regions, unit.result.outcomes
    kernels = [nest.placement.partition.nest for nest in outcome.plans[0].nests]
    assert ["sum"] in [[r.variable.name for r in kernel.reductions] for kernel in kernels]
    smaller = [nest.small.plan.placement.partition.nest for nest in outcome.plans[0].nests if nest.small]
    assert any(kernel.threads for kernel in smaller)
    (case, *_) = cases(outcome.offload.plan, 1, {"n": 11})
    memory = sections(region, case.values, 1)
    run = interpret(region.variants[0].variant, memory, case.values)
    assert run.faults == ()
    expected = ReferenceFunction(region, tmp_path).run(memory, case.values)
    arrays = [
        {name: after[name] for name in "pq"} for after in (expected, run.memory)
    ]  # the scalar is not needed again
    assert compare(*arrays).ok
