#!/bin/bash
# Tests and measures accshare on a machine without a network: on-device.sh WHEELS OUT
#
# The machine needs Python 3.10 or later, a C compiler and an OpenCL driver. WHEELS is a folder of wheels for it: accshare's own
# (or else those to build it from source: scikit-build-core, cmake, ninja), what `pip download 'accshare[run]' pytest hypothesis`
# brings, and pip's where Python comes without ensurepip. OUT receives
#   log.txt                    everything
#   doctor.txt                 what was found
#   tests.txt                  the tests on the device
#   steps.txt, steps.json      SHARE's five samples with one optimisation after another, beside kernels written by hand, and
#                              products beside CLBlast and cuBLAS where they are
#   orders.txt, orders.json    SUPER's seventeen and WAVE's eight, in the order as written and as found
#   bench.txt, bench.json      run time of samples beside the host
#   compile.txt, compile.json  compile time
#   figures.txt, figures.json  all figures in one
# SIZE=small|medium|large is that of problems (default medium), ONLY=NAME,... are the samples and ORDERS=NAME,... the loops of
# orders (default all), TESTS the tests (default tests/test_samples.py); what still runs after LIMIT seconds (default 480) is
# ended. PYTHON names the interpreter. Exit code 0: all ran and passed.
set -Eeuo pipefail

[ $# = 2 ] || { sed -n '2,19s/^# \{0,1\}//p' "$0"; exit 2; }
mkdir -p "$2"
root=$(cd "$(dirname "$0")/.." && pwd)
wheels=$(cd "$1" && pwd)
out=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures="$work/failures"
touch "$failures"

step() { # NAME WHAT COMMAND...: runs it, its output to the log and to NAME.txt; notes a failure and goes on
  local name=$1 what=$2
  shift 2
  echo "== $what ($SECONDS s)"
  local left=$((${LIMIT:-480} - SECONDS))
  [ $left -gt 0 ] || { echo "!! $what: no time is left" | tee -a "$failures"; return; }
  timeout --kill-after=5 $left "$@" 2>&1 | tee "$out/$name.txt" || { echo "!! $what failed" | tee -a "$failures"; }
}

measure() { # NAME WHAT OPTION...: accshare bench, its figures to NAME.json, too
  local name=$1 what=$2
  shift 2
  step "$name" "$what" accshare bench --size "${SIZE:-medium}" --json "$out/$name.json" "$@"
}

# All figures in one file: a measurement leaves empty what others are about.
together() {
  "$work/venv/bin/python" - "$out" <<'END'
import json, sys
from pathlib import Path

out = Path(sys.argv[1])
files = [out / f"{name}.json" for name in ("steps", "orders", "bench", "compile")]
whole = {}
for figures in (json.loads(file.read_text()) for file in files if file.exists()):
    failures = [*whole.get("failures", []), *figures["failures"]]
    whole |= {name: one for name, one in figures.items() if one or name not in whole} | {"failures": failures}
(out / "figures.json").write_text(json.dumps(whole, indent=2) + "\n")
texts = [file.with_suffix(".txt") for file in files]
(out / "figures.txt").write_text("\n".join(text.read_text() for text in texts if text.exists()))
END
}

install() {
  local python=${PYTHON:-python3} pip
  command -v cc >/dev/null || { echo "no C compiler: accshare-cc needs one to compile the host's part"; return 1; }
  # Packages the machine has already (numpy, say) need not travel.
  if "$python" -m venv --system-site-packages "$work/venv" >"$work/venv.txt" 2>&1; then
    pip=("$work/venv/bin/python" -m pip)
  else
    "$python" -m venv --system-site-packages --without-pip --clear "$work/venv"
    pip=(env "PYTHONPATH=$(echo "$wheels"/pip-*.whl)${PYTHONPATH:+:$PYTHONPATH}" "$work/venv/bin/python" -m pip)
  fi
  local ours=("$wheels"/accshare-*.whl)
  [ -e "${ours[0]}" ] || ours=("$root")
  "${pip[@]}" install --quiet --no-index --find-links "$wheels" "${ours[0]}[run]" pytest hypothesis
}

main() {
  echo "== install"
  install || { echo "!! install failed" | tee -a "$failures"; return; }
  local found
  found=$(sh "$root/benchmarks/opencl-env.sh" "$work/venv/bin/python" "$work/vendors")
  if [ -n "$found" ]; then
    echo "$found"
    set -a
    eval "$found"
    set +a
  fi
  # Away from the sources, so that the installed package is what is tested.
  cp -r "$root/tests" "$root/samples" "$root/benchmarks" "$root/pyproject.toml" "$work/"
  cd "$work"
  export PATH="$work/venv/bin:$PATH" ACCSHARE_CACHE_DIR="$work/cache" PYTEST_DISABLE_PLUGIN_AUTOLOAD=1
  local only=(${ONLY:+--only "$ONLY"})
  step doctor "doctor" accshare doctor
  # shellcheck disable=SC2086
  step tests "tests" "$work/venv/bin/python" -m pytest -p no:cacheprovider -m "not slow" ${TESTS:-tests/test_samples.py}
  measure steps "bench --ablation" --ablation --budget 0 --repeats 3 "${only[@]}"
  measure orders "bench --orders" --orders --repeats 2 ${ORDERS:+--only "$ORDERS"}
  measure bench "bench" "${only[@]}"
  measure compile "bench --compile" --compile
  together
}

main 2>&1 | tee "$out/log.txt"
[ -s "$failures" ] || { echo "== all ran and passed: $out"; exit 0; }
echo "== not everything went well:"
cat "$failures"
exit 1
