"""What is said about pragmas that can't be read, caret by caret.

A case is the whole message; the pragma to read is its second line.
"""

from __future__ import annotations

import pytest

from accshare.diagnostics import render
from accshare.pragma import read
from accshare.source import SourceFile

pytestmark = pytest.mark.quick

MESSAGES = """
f.c:1:13: error: unknown directive paralel [ACC102]
    #pragma acc paralel loop
                ^~~~~~~
  help: did you mean parallel?

f.c:1:13: error: unknown directive enter [ACC102]
    #pragma acc enter copyin(a)
                ^~~~~
  help: did you mean enter data?

f.c:1:1: error: the pragma names no directive [ACC101]
    #pragma acc
    ^~~~~~~~~~~
  help: write one, as in #pragma acc kernels loop

f.c:1:22: error: unknown clause copiin [ACC103]
    #pragma acc parallel copiin(a)
                         ^~~~~~
  help: did you mean copyin?

f.c:1:18: error: data takes no clause num_gangs [ACC103]
    #pragma acc data num_gangs(3)
                     ^~~~~~~~~
  help: it belongs to parallel, kernels, parallel loop and kernels loop

f.c:1:22: error: parallel takes no clause host [ACC103]
    #pragma acc parallel host(x)
                         ^~~~
  help: it belongs to update

f.c:1:25: error: unknown clause zork [ACC103]
    #pragma acc atomic read zork(a)
                            ^~~~
  help: atomic takes capture, if, read, update, write

f.c:1:26: error: kernels loop takes no clause firstprivate [ACC103]
    #pragma acc kernels loop firstprivate(a)
                             ^~~~~~~~~~~~
  help: it belongs to parallel, serial, parallel loop and serial loop

f.c:1:32: error: expected ']' [ACC101]
    #pragma acc parallel copy(a[0:n)
                                   ^
  help: docs/openacc.md lists directives and clauses

f.c:1:33: error: expected ')' [ACC101]
    #pragma acc parallel copy(a[0:n]
                                    ^
  help: docs/openacc.md lists directives and clauses

f.c:1:29: error: expected '[', ',' or ')' [ACC101]
    #pragma acc parallel copy(a b)
                                ^
  help: write it as in copy(A[0:n])

f.c:1:28: error: expected one element here, as a member of it is named [ACC101]
    #pragma acc parallel copy(a[0:2].x)
                               ^~~~~
  help: write it as in copy(A[0:n])

f.c:1:22: error: expected an argument in parentheses [ACC101]
    #pragma acc parallel pcopyin
                         ^
  help: write it as in pcopyin(A[0:n])

f.c:1:18: error: expected seq without an argument [ACC101]
    #pragma acc loop seq(2)
                     ^
  help: docs/openacc.md lists directives and clauses

f.c:1:29: error: expected if_present without an argument [ACC101]
    #pragma acc update self(a)  if_present(1)
                                ^
  help: docs/openacc.md lists directives and clauses

f.c:1:25: error: expected an expression [ACC101]
    #pragma acc parallel if()
                            ^
  help: write it as in if(n > 1000)

f.c:1:21: error: expected a clause or the end of the pragma [ACC101]
    #pragma acc parallel, async
                        ^
  help: docs/openacc.md lists directives and clauses

f.c:1:28: error: expected an expression [ACC101]
    #pragma acc parallel if(n >)
                               ^
  help: write it as in if(n > 1000)

f.c:1:34: error: expected ',' or ')' [ACC101]
    #pragma acc parallel num_gangs(a b)
                                     ^
  help: write it as in num_gangs(64)

f.c:1:33: error: expected ']' [ACC101]
    #pragma acc parallel copy(a[0:n m])
                                    ^
  help: write it as in copy(A[0:n])

f.c:1:29: error: expected always, alwaysin, capture, readonly or a variable [ACC101]
    #pragma acc parallel copyin(zero: a)
                                ^~~~
  help: write it as in copyin(A[0:n])

f.c:1:30: error: expected a variable [ACC101]
    #pragma acc parallel present(zero: a)
                                 ^~~~
  help: write it as in present(A[0:n])

f.c:1:31: error: expected num: only once [ACC101]
    #pragma acc loop gang(num: 2, num: 3)
                                  ^
  help: write it as in gang(num: 64)

f.c:1:23: error: expected a positive integer constant [ACC101]
    #pragma acc loop tile(n, 2)
                          ^
  help: write it as in tile(32, 8)

f.c:1:27: error: expected a positive integer constant [ACC101]
    #pragma acc loop collapse(2 - 2)
                              ^~~~~
  help: write it as in collapse(2)

f.c:1:30: error: expected one of + * max min & | ^ && || [ACC101]
    #pragma acc loop reduction(  plus: x)
                                 ^~~~
  help: write it as in reduction(+: sum)

f.c:1:30: error: expected none or present [ACC101]
    #pragma acc parallel default(some)
                                 ^~~~
  help: write it as in default(present)

f.c:1:23: error: expected num: or dim: or static: [ACC101]
    #pragma acc loop gang(length: 3)
                          ^~~~~~
  help: write it as in gang(num: 64)

f.c:1:38: error: expected ')' [ACC101]
    #pragma acc parallel num_gangs(1,2,3,4)
                                         ^
  help: write it as in num_gangs(64)

f.c:1:1: error: enter data without copyin, create or attach does nothing [ACC101]
    #pragma acc enter data async
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
  help: add copyin(…)

f.c:1:1: error: host_data without use_device does nothing [ACC101]
    #pragma acc host_data if_present
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  help: add use_device(…)

f.c:1:22: error: independent contradicts seq [ACC104]
    #pragma acc loop seq independent
                         ^~~~~~~~~~~
  help: keep one of them

f.c:1:30: error: tile contradicts collapse [ACC104]
    #pragma acc loop collapse(2) tile(4, 4)
                                 ^~~~~~~~~~
  help: keep one of them

f.c:1:28: error: update contradicts capture [ACC104]
    #pragma acc atomic capture update
                               ^~~~~~
  help: keep one of them

f.c:1:28: error: gang contradicts seq [ACC104]
    #pragma acc routine(f) seq gang
                               ^~~~
  help: keep one of them

f.c:1:27: error: if stands twice [ACC104]
    #pragma acc kernels if(a) if(b)
                              ^~~~~
  help: keep one

f.c:1:52: error: vector stands twice [ACC104]
    #pragma acc loop vector device_type(nvidia) vector vector(32)
                                                       ^~~~~~~~~~
  help: keep one

f.c:1:41: error: s->a is in copy and in copyout [ACC104]
    #pragma acc parallel copy(s->a) copyout(s -> a[0:3])
                                            ^~~~~~~~~~~
  help: name it once

f.c:1:47: error: s is in reduction(+) and in reduction(max) [ACC104]
    #pragma acc loop reduction(+:s) reduction(max:s)
                                                  ^
  help: name it once

f.c:1:50: error: s is in reduction(+) and in private [ACC104]
    #pragma acc parallel loop reduction(+:s) private(s)
                                                     ^
  help: name it once

f.c:1:46: error: x is in firstprivate and in private [ACC104]
    #pragma acc parallel firstprivate(x) private(x)
                                                 ^
  help: name it once

f.c:1:25: error: share stands twice [ACC104]
    #pragma acc share(A[2]) share(B[2])
                            ^~~~~~~~~~~
  help: keep one

f.c:1:21: error: expected TB_X, TB_Y, TB_Z, '*' or a number [ACC107]
    #pragma acc share(A[TB_W])
                        ^~~~
  help: write it as in share(A[TB_Y][*]:coalesce, B[*][TB_X])

f.c:1:20: error: expected '[' [ACC107]
    #pragma acc share(A)
                       ^
  help: write it as in share(A[TB_Y][*]:coalesce, B[*][TB_X])

f.c:1:13: error: share without a list of arrays [ACC107]
    #pragma acc share
                ^~~~~
  help: write it as in share(A[TB_Y][*]:coalesce, B[*][TB_X])

f.c:1:24: error: expected coalesce [ACC107]
    #pragma acc share(A[1]:fast)
                           ^~~~
  help: write it as in share(A[TB_Y][*]:coalesce, B[*][TB_X])

f.c:1:25: error: expected A only once [ACC107]
    #pragma acc share(A[2], A[3])
                            ^
  help: write it as in share(A[TB_Y][*]:coalesce, B[*][TB_X])
""".strip("\n").split("\n\n")


@pytest.mark.parametrize("message", MESSAGES, ids=[m.splitlines()[1].strip() for m in MESSAGES])
def test_message(message):
    source = SourceFile.of("f.c", message.splitlines()[1].strip() + "\n")
    found = read(source)
    assert found.directives == ()
    (diagnostic,) = found.diagnostics
    assert render(diagnostic, source) == message
