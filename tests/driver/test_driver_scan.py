"""What counts as a hint of work, and what must not."""

from __future__ import annotations

import pytest

from accshare.driver import words as w
from accshare.driver.scan import Scan

pytestmark = pytest.mark.quick


def found(tmp_path, text: str, args: str = "", **headers: str) -> bool:
    for name, content in headers.items():
        path = tmp_path / name.replace("__", "/").replace("_h", ".h")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (tmp_path / "main.c").write_text(text)
    return Scan(w.split(args.replace("@", f"{tmp_path}/").split())).file(str(tmp_path / "main.c"))


@pytest.mark.parametrize(
    "text",
    [
        "#pragma acc kernels\n",
        "  #  pragma\tacc parallel\n",
        "#pragma \\\n acc \\\n kernels\n",
        "#/**/pragma /* x */ acc kernels\n",
        "%:pragma acc kernels\n",
        '_Pragma("acc kernels")\n',
        "#define P(x) _Pragma(#x)\nP(acc kernels)\n",
        "#ifdef _OPENACC\n#endif\n",
        "#include <openacc.h>\n",
        "#define H <x.h>\n#include H\n",
    ],
)
def test_work_is_found(tmp_path, text):
    assert found(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "int acc; /* access, accumulate */\n",
        "#pragma omp parallel\nint acc = 0;\n",
        "#pragma once\nvoid f(int acc);\n",
        "#pragma access\n",
        "int pragma_acc;\n",
        "#include <stdio.h>\n#include <missing.h>\n",
        '_Pragma("omp simd") int accumulate;\n',
    ],
)
def test_a_false_alarm_would_cost_time(tmp_path, text):
    assert not found(tmp_path, text)


def test_headers_are_followed(tmp_path):
    region = "#pragma acc kernels\n"
    assert found(tmp_path, '#include "a.h"\n', a_h='#include "sub/b.h"\n', sub__b_h='#include "c.h"\n', sub__c_h=region)
    assert found(tmp_path, "#include <k.h>\n", "-I@inc", inc__k_h=region)
    assert found(tmp_path, '#include "q.h"\n', "-iquote @quo", quo__q_h=region)
    assert found(tmp_path, "int x;\n", "-include @forced.h", forced_h=region)
    assert not found(tmp_path, '#include "loop.h"\n', loop_h='#include "loop.h"\n')


def test_a_macro_and_its_pragma_may_stand_in_different_files(tmp_path):
    assert found(tmp_path, '#include "m.h"\nDO(acc kernels)\n', m_h="#define DO(x) _Pragma(#x)\n")
    assert found(tmp_path, "DO(acc kernels)\n", "-DDO(x)=_Pragma(#x)")
