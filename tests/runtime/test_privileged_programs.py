"""Programs with rights that their users lack: no variable is obeyed, no library loaded, all runs on the host."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from runtime_programs import SOURCE, Runtime, call

NOBODY = "65534"
PROGRAM = """\
#include <stdio.h>
#ifdef CALLS
#include <openacc.h>
#endif
int a[1000];
int main(void)
{
  int sum = 0;
#pragma acc kernels loop copyout(a)
  for (int i = 0; i < 1000; i++) a[i] = i;
  for (int i = 0; i < 1000; i++) sum += a[i];
#ifdef CALLS
  printf("devices=%d ", acc_get_num_devices(acc_device_not_host));
#endif
  printf("%d\\n", sum);
  return 0;
}
"""
#: a library that says it was loaded
SPY = '#include <stdio.h>\n__attribute__((constructor)) static void loaded(void) { puts("loaded"); fflush(stdout); }\n'
MANDATORY = {"ACCSHARE_OFFLOAD": "mandatory", "ACCSHARE_NOTIFY": "1", "ACCSHARE_BREAK_EVEN": "0"}
RIGHTS = {"setuid": ("chmod", "4755"), "setgid": ("chmod", "2755"), "capability": ("setcap", "cap_net_raw+ep")}


@pytest.fixture(scope="module")
def public(runtime: Runtime) -> Iterator[Path]:
    """A folder that everybody can read, with the runtime, the spy and two programs: one that calls the runtime."""
    if os.geteuid() != 0:
        pytest.skip("only root can give programs rights")
    if not shutil.which("setpriv"):
        pytest.skip("no setpriv, by which to run as nobody")
    with tempfile.TemporaryDirectory(prefix="accshare-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        if os.statvfs(folder).f_flag & os.ST_NOSUID:
            pytest.skip(f"{folder} is on a file system without setuid")
        shutil.copy(runtime.library, folder / "libaccshare.so")
        (folder / "libaccshare.so.0").symlink_to("libaccshare.so")
        (folder / "spy.c").write_text(SPY)
        (folder / "program.c").write_text(PROGRAM)
        build("gcc", "-shared", "-fPIC", folder / "spy.c", "-o", folder / "spy.so")
        ours = (sys.executable, "-m", "accshare.cc", folder / "program.c")
        build(*ours, "-o", folder / "plain")
        linked = (f"-L{folder}", "-laccshare", f"-Wl,-rpath,{folder}", f"-I{SOURCE / 'include'}")
        build(*ours, "-c", "-DCALLS", "-o", folder / "calls.o")
        build("gcc", folder / "calls.o", *linked, "-o", folder / "calls")
        yield folder


def build(*command: object) -> None:
    done = call(*command)
    assert done.returncode == 0, done.stderr


def as_nobody(program: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    became = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    return call(*became, program, environment={"PATH": os.environ["PATH"], **variables})


@pytest.mark.parametrize("kind", list(RIGHTS))
@pytest.mark.parametrize("name", ["plain", "calls"])
def test_a_privileged_program_obeys_no_variable(public: Path, kind: str, name: str) -> None:
    program = shutil.copy(public / name, public / f"{name}-{kind}")
    spy = str(public / "spy.so")
    hostile = ({"ACCSHARE_RUNTIME": spy}, {"ACCSHARE_OPENCL": spy}, MANDATORY, {"ACCSHARE_PROFILE": "1"})
    assert "loaded" in as_nobody(program, ACCSHARE_RUNTIME=spy, ACCSHARE_OPENCL=spy, ACCSHARE_LEARN="off").stdout
    command, how = RIGHTS[kind]
    if not shutil.which(command):
        pytest.skip(f"no {command}")
    build(command, how, program)
    for variables in hostile:
        done = as_nobody(program, **variables)
        answer = "devices=0 499500\n" if name == "calls" else "499500\n"
        assert (done.returncode, done.stdout, done.stderr) == (0, answer, "")
