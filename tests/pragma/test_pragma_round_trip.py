"""Random valid directives, printed and read again, are the same directives."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pragma_text import NOWHERE, one, placeless, pragma

from accshare.pragma import ir
from accshare.pragma.ir import CText, DataVar, Directive, DirectiveKind, Level, Movement, Section
from accshare.pragma.rules import ALLOWED, NEEDED

pytestmark = pytest.mark.quick

KIND = DirectiveKind
MODIFIERS = {Movement.COPYIN: "readonly", Movement.COPYOUT: "zero", Movement.CREATE: "zero"}
WORDS = {"finalize", "if_present", "nohost"}
GAPS = [" ", ", ", "\t", " ,  ", " \\\n    "]

EXPRESSIONS = [
    "0",
    "n",
    "c ? x : y",
    "(int) n",
    "2*n + 1",
    "f(x, y)",
    "m[i][j]",
    "s->len",
    "(c ? a : b)",
    "sizeof(int)",
    "'x'",
    "-1.5e-3f",
    "!p",
]
texts = st.sampled_from(EXPRESSIONS).map(lambda text: CText(text, NOWHERE))
bases = st.sampled_from(["a", "_b2", "s.x", "p->q.r", "*v", "rows[i].data"])
sections = st.builds(Section, st.none() | texts, st.none() | texts)


@st.composite
def lists(draw):
    """Variables of different names."""
    names = draw(st.lists(bases, min_size=1, max_size=3, unique=True))
    return tuple(DataVar(CText(n, NOWHERE), tuple(draw(st.lists(sections, max_size=2))), NOWHERE) for n in names)


def share_exprs():
    leaves = st.builds(ir.ShareInt, st.integers(1, 4096), st.just(NOWHERE)) | st.builds(
        ir.ShareParam, st.sampled_from(["TB_X", "TB_Y", "TB_Z"]), st.just(NOWHERE)
    )
    return st.recursive(
        leaves, lambda inner: st.builds(ir.ShareBinary, st.sampled_from("+-*/"), inner, inner, st.just(NOWHERE))
    )


@st.composite
def shares(draw):
    names = draw(st.lists(st.sampled_from("ABCD"), min_size=1, max_size=3, unique=True))
    lengths = st.lists(share_exprs() | st.just(ir.ShareVague(NOWHERE)), min_size=1, max_size=3).map(tuple)
    return ir.ShareClause(tuple(ir.ShareArray(n, draw(lengths), draw(st.booleans()), NOWHERE) for n in names), NOWHERE)


@st.composite
def data(draw, movement):
    modifiers = draw(st.sampled_from([(), (MODIFIERS[movement],)])) if movement in MODIFIERS else ()
    return ir.DataClause(movement, modifiers, draw(lists()), NOWHERE)


def clauses(kind, name):
    """A strategy for one clause, None for those that the printer spells as another one."""
    here = st.just(NOWHERE)
    if name in {"self", "host", "device"} and kind is KIND.UPDATE:
        return data(Movement("device" if name == "device" else "self"))
    if name in {m.value for m in Movement} - {"self", "device"}:
        return data(Movement(name))
    if name in {"gang", "worker", "vector"}:
        return st.builds(ir.LevelClause, st.just(Level(name)), st.none() | texts, here)
    if name in {"seq", "auto", "independent"}:
        return st.just(ir.LevelClause(Level(name), None, NOWHERE))
    if name in WORDS | {"read", "write", "update", "capture"}:
        return st.just(ir.WordClause(name, None, NOWHERE))
    found = {
        "collapse": st.builds(ir.CollapseClause, st.integers(1, 9), st.booleans(), here),
        "tile": st.builds(ir.TileClause, st.lists(st.none() | st.integers(1, 512), min_size=1).map(tuple), here),
        "reduction": st.builds(
            ir.ReductionClause, st.sampled_from([op for op in ir.ReductionOp if op is op.clause]), lists(), here
        ),
        "private": st.builds(ir.PrivateClause, lists(), st.just(False), here),
        "firstprivate": st.builds(ir.PrivateClause, lists(), st.just(True), here),
        "if": st.builds(ir.IfClause, texts, st.just(False), here),
        "self": st.builds(ir.IfClause, st.none() | texts, st.just(True), here),
        "num_gangs": st.builds(ir.SizeClause, st.just(name), st.lists(texts, min_size=1, max_size=3).map(tuple), here),
        "async": st.builds(ir.AsyncClause, st.none() | texts, here),
        "wait": st.builds(ir.WaitClause, st.lists(texts, max_size=3).map(tuple), here),
        "default": st.builds(ir.DefaultClause, st.sampled_from(["none", "present"]), here),
        "share": shares(),
        "cache": st.just(ir.WordClause("cache", CText("a[i][0:n], b[j]", NOWHERE), NOWHERE)),
        "bind": st.just(ir.WordClause("bind", CText('"f_gpu"', NOWHERE), NOWHERE)),
        "routine": st.just(ir.WordClause("routine", CText("f", NOWHERE), NOWHERE)),
        "device_type": st.just(ir.WordClause("device_type", CText("*", NOWHERE), NOWHERE)),
    }
    one_size = {"num_workers", "vector_length", "device_num", "default_async"}
    if name in one_size:
        return st.builds(ir.SizeClause, st.just(name), texts.map(lambda text: (text,)), here)
    return found[name]


CHOICES = [{"seq", "independent", "auto"}, {"collapse", "tile"}, {"read", "write", "update", "capture"}]


@st.composite
def directives(draw):
    kind = draw(st.sampled_from(KIND))
    if kind in {KIND.SHARE, KIND.CACHE}:
        return Directive(kind, (draw(clauses(kind, kind.value)),), NOWHERE)
    names = draw(st.lists(st.sampled_from(sorted(ALLOWED[kind])), max_size=5, unique=True))
    own = kind.value if kind.value in ALLOWED[kind] else None
    if kind in NEEDED and not set(names) & set(NEEDED[kind]):
        names.append(draw(st.sampled_from(NEEDED[kind])))
    for group in CHOICES:
        names = [n for k, n in enumerate(names) if n not in group or not group.intersection(names[:k])]
    if "seq" in names or kind is KIND.ROUTINE:
        levels = [n for n in names if n in {"gang", "worker", "vector", "seq"}]
        names = (
            [n for n in names if n not in levels[:-1]]
            if kind is KIND.ROUTINE
            else [n for n in names if n not in {"gang", "worker", "vector"}]
        )
    if own:
        names = [own, *(n for n in names if n != own)] if kind is KIND.WAIT or own in names else names
    found = [draw(clauses(kind, name)) for name in names]
    found.sort(key=lambda clause: not isinstance(clause, ir.DataClause))  # they don't hang on a device_type before
    return Directive(kind, tuple(apart(found)), NOWHERE)


def apart(found):
    """The clauses with every variable in one data clause only, and in one that makes it private or reduces it."""
    moved, owned = set(), set()
    for clause in found:
        if not isinstance(clause, (ir.DataClause, ir.PrivateClause, ir.ReductionClause)):
            yield clause
            continue
        seen = moved if isinstance(clause, ir.DataClause) else owned
        kept = tuple(var for var in clause.vars if var.base.text not in seen)
        seen |= {var.base.text for var in kept}
        if kept:
            yield dataclasses.replace(clause, vars=kept)


@given(directives(), st.sampled_from(GAPS))
def test_printed_and_read_again(directive, gap):
    again, _ = one(pragma(directive, gap))
    assert placeless(again) == directive
