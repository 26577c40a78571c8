"""Host loops around launches, scratch memory, variants, counters that live on."""

from dataclasses import replace

import pytest
from programs import (
    FLOAT,
    GPU,
    INT,
    LONG,
    WRITTEN,
    at,
    cast,
    directive,
    lit,
    op,
    pointer,
    pragmas,
    preprocessed,
    span,
    var,
)

from accshare.data.ir import DataPlan, Datum
from accshare.device import DeviceKind
from accshare.emit import emit
from accshare.emit.ir import Offload
from accshare.frontend.ir import Assign, Block, For, If, Member, Program, Region, Storage, Struct
from accshare.kernel.ir import Buffer, HostIf, HostLoop, KernelFunction, Launch, Scratch, Value, Variant
from accshare.options import Options
from accshare.poly.ir import Parameter
from accshare.pragma.ir import Movement

FLAGS = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow", "-Wconversion"]
ONE = lit(1, LONG)

SWEEP = """\
#include <stdio.h>
struct world { int width; float heat; };
static float sweep(int data, const struct world *ok, float *a, float t)
{
  int i = 0, j = 7;
  float sum = t;
#pragma acc kernels copy(a[0:data])
  for (i = 0; i < data; i++)
    for (j = data; j-- > i;)
      sum += a[j] * ok->heat;
  return sum < 0 ? sum : (float)(1000 * i + 100 * j);
}
int main(void)
{
  float a[5] = {1, 2, 3, 4, 5};
  struct world w = {9, 0.5f};
  printf("%g\\n", (double)sweep(5, &w, a, 1.0f));
  printf("%g\\n", (double)sweep(0, &w, a, 1.0f));
  return 0;
}
"""


def sweep(source, hosts=(), live=("i", "j"), scratch=(), bound=None, guard=None):
    """The region of `SWEEP`, whose parameter names are those of the generated code's own variables."""
    data = var("data", INT)
    world = Struct("world", (), 8, False)
    ok = var("ok", pointer(world))
    heat = Member(at(ok, lit(0)), "heat", FLOAT, WRITTEN)
    api = var("api", FLOAT).symbol
    a, total = var("a", pointer(FLOAT)), var("sum", FLOAT, Storage.LOCAL)
    i, j = var("i", INT, Storage.LOCAL), var("j", INT, Storage.LOCAL)
    statement = span(source, "for (i = 0; i < data; i++)\n    for (j = data; j-- > i;)\n      sum += a[j] * ok->heat")
    outer, inner = span(source, "for (i = 0; i < data; i++)"), span(source, "for (j = data; j-- > i;)")
    update = Assign(total, "+=", op("*", at(a, j), heat), WRITTEN)
    low = For(j.symbol, op("-", data, lit(1)), ">=", bound or i, -1, Block((update,), WRITTEN), None, inner, inner)
    body = guard(low) if guard else low
    high = For(i.symbol, lit(0), "<", data, 1, Block((body,), WRITTEN), None, outer, statement)
    symbols = tuple(v.symbol for v in (data, ok, a, total, i, j))
    here = directive(source)
    region = Region("sweep_l8", "sweep", here, (), Block((high,), statement), symbols, (), frozenset(live), statement)
    plan = DataPlan(
        (Parameter(data.symbol, data), Parameter(api, heat)),
        (
            Datum("a", a, FLOAT, lit(0, LONG), cast(data, LONG), Movement.COPY, True, False, False, None),
            Datum("sum", total, FLOAT, lit(0, LONG), ONE, Movement.COPY, True, True, True, None),
        ),
        (),
        (),
        None,
    )
    t = var("t", LONG, Storage.INNER)
    params = (Buffer("a", FLOAT, False, True), Buffer("part", FLOAT, True, True), Value(t.symbol), Value(api))
    kernel = KernelFunction("sweep_l8", params, (32, 2, 1), (), (), (), (), (), statement)
    variants = tuple(
        Variant(replace(GPU, name=f"model-{k}", kind=kind), (kernel,), scratch, host)
        for k, (kind, host) in enumerate(hosts)
    )
    return Offload(region, plan, variants)


def steps(first):
    """``for (t = first; t < data; t += 2) if (t > 0) launch``, ``t`` by name also the user's own variable."""
    data, t = var("data", INT), var("t", LONG, Storage.INNER)
    heat = var("api", FLOAT)
    launch = Launch("sweep_l8", (op("+", t, ONE), lit(2, LONG), ONE), ("a", "part", t, heat))
    loop = HostLoop(
        t.symbol, lit(first, LONG), op("<", t, cast(data, LONG)), 2, (HostIf(op(">", t, lit(0, LONG)), (launch,)),)
    )
    return (loop,)


def emitted(source, offload, options=Options()):  # noqa: B008 - a frozen value
    return emit(source, pragmas(source), Program((), (), ()), (offload,), options, "")


@pytest.mark.parametrize(("compiler", "standard"), [("gcc", "-std=gnu89"), ("gcc", "-std=c99"), ("clang", "-std=c11")])
def test_host_loops_scratch_and_variants(tmp_path, run_program, fake_runtime, compiler, standard):
    source = preprocessed(tmp_path / "sweep.c", SWEEP, standard, compiler=compiler)
    scratch = (Scratch("part", FLOAT, op("*", cast(var("data", INT), LONG), lit(2, LONG))),)
    offload = sweep(source, [(DeviceKind.CPU, steps(3)), (DeviceKind.GPU, steps(0))], scratch=scratch)
    output = emitted(source, offload)
    assert output.diagnostics == ()
    done = run_program(output.host, compiler=compiler, flags=[standard, *FLAGS], ACCSHARE_RUNTIME=str(fake_runtime))

    def launch(t):
        return [
            f"launch sweep_l8 line=8 groups={t + 1},2,1 local=32,2,1",
            "  arg kind=0 index=0 bytes=0",
            "  arg kind=1 index=0 bytes=0",
            f"  arg kind=2 index=0 bytes=8 0{t}00000000000000",
            "  arg kind=2 index=0 bytes=4 0000003f",
        ]

    first = done.stdout.splitlines()[: 4 + 10 + 2]
    assert first == [
        "begin sweep.c:8 sweep sweep_l8",
        "  datum a lower=0 bytes=20 element=4 movement=0",
        "  datum sum lower=0 bytes=4 element=4 movement=0",
        "scratch 40",
        *launch(2),
        *launch(4),
        "end",
        "5300",  # i ended at 5; j, in the last inner loop, at 3
    ]
    counters = run_program(output.host, compiler=compiler).stdout
    assert [line for line in done.stdout.splitlines() if line[-1].isdigit() and " " not in line] == counters.split()
    lost = run_program(output.host, compiler=compiler, ACCSHARE_RUNTIME=str(fake_runtime), FAKE="lost")
    assert lost.stdout.count("launch") == 1
    assert lost.stdout.splitlines()[-1] == counters.split()[-1]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"bound": at(var("a", pointer(INT)), lit(0))}, "its bounds are computed inside the region"),
        ({"bound": var("low", INT, Storage.INNER)}, "its bounds are computed inside the region"),
        (
            {"guard": lambda loop: If(lit(1), Block((loop,), WRITTEN), None, WRITTEN)},
            "whether the loop runs at all is known only inside the region",
        ),
    ],
)
def test_counters_that_only_the_region_knows_keep_it_on_the_host(tmp_path, changes, why):
    source = preprocessed(tmp_path / "sweep.c", SWEEP)
    output = emitted(source, sweep(source, [(DeviceKind.GPU, ())], **changes))
    (diagnostic,) = output.diagnostics
    assert diagnostic.code == "ACC402"
    assert why in diagnostic.message
    assert output.regions == ()
    assert why in output.host
    dead = emitted(source, sweep(source, [(DeviceKind.GPU, ())], live=(), **changes))
    assert dead.diagnostics == ()


def test_kinds_of_variants(tmp_path):
    source = preprocessed(tmp_path / "sweep.c", SWEEP)
    both = [(DeviceKind.CPU, ()), (DeviceKind.GPU, ())]
    for hosts, targets, kinds in (
        (both, ("auto",), ["cpu", "gpu"]),
        (both, ("model-0", "model-1"), ["cpu", "gpu"]),
        (both[1:], ("model-0",), ["any"]),
        (both[1:], ("auto",), ["gpu"]),
    ):
        host = emitted(source, sweep(source, hosts), Options(targets=targets)).host
        assert [k for k in ("cpu", "gpu", "any") if f'", "{k}", __acc_source' in host] == kinds


def test_every_line_of_the_user_keeps_its_number(tmp_path):
    source = preprocessed(tmp_path / "sweep.c", SWEEP)
    host = emitted(source, sweep(source, [(DeviceKind.GPU, ())])).host
    lines = {}
    file, line = "", 0
    for text in host.split("\n"):
        if text.startswith("# "):
            number, file = text.split()[1:3]
            line = int(number)
            continue
        lines.setdefault((file, line), []).append(text.strip())
        line += 1
    for number, text in enumerate(SWEEP.split("\n"), 1):
        if not text.startswith("#"):
            assert any(text.strip() in found for found in lines['"sweep.c"', number]), (number, text)
