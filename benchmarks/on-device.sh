#!/bin/bash
# Tests and measures accshare on a machine without a network: on-device.sh WHEELS OUT
#
# The machine needs Python 3.10 or later, a C compiler and an OpenCL driver. WHEELS is a folder of wheels for it: accshare's own
# (or else those to build it from source: scikit-build-core, cmake, ninja), what `pip download 'accshare[run]' pytest hypothesis`
# brings, and pip's where Python comes without ensurepip. OUT receives
#   log.txt                    everything
#   doctor.txt                 what was found
#   tests.txt                  the tests on the device
#   bench.json, bench.txt      run time, SIZE=small|medium|large (default medium), of samples ONLY=NAME,... (default all)
#   compile.json, compile.txt  compile time
# PYTHON names the interpreter; TESTS the tests (default tests/test_samples.py). Exit code 0: all ran and passed.
set -Eeuo pipefail

[ $# = 2 ] || { sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 2; }
mkdir -p "$2"
root=$(cd "$(dirname "$0")/.." && pwd)
wheels=$(cd "$1" && pwd)
out=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures="$work/failures"
touch "$failures"

step() { # FILE WHAT COMMAND...: runs it, its output to the log and to FILE; notes a failure and goes on
  local file=$1 what=$2
  shift 2
  echo "== $what"
  "$@" 2>&1 | tee "$out/$file" || { echo "!! $what failed" | tee -a "$failures"; }
}

install() {
  local python=${PYTHON:-python3} pip
  command -v cc >/dev/null || { echo "no C compiler: accshare-cc needs one to compile the host's part"; return 1; }
  # Packages the machine has already (numpy, say) need not travel.
  if "$python" -m venv --system-site-packages "$work/venv" >"$work/venv.txt" 2>&1; then
    pip=("$work/venv/bin/python" -m pip)
  else
    "$python" -m venv --system-site-packages --without-pip --clear "$work/venv"
    pip=(env "PYTHONPATH=$(echo "$wheels"/pip-*.whl)" "$work/venv/bin/python" -m pip)
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
  cp -r "$root/tests" "$root/samples" "$root/pyproject.toml" "$work/"
  cd "$work"
  export PATH="$work/venv/bin:$PATH" ACCSHARE_CACHE_DIR="$work/cache" PYTEST_DISABLE_PLUGIN_AUTOLOAD=1
  step doctor.txt "doctor" accshare doctor
  # shellcheck disable=SC2086
  step tests.txt "tests" "$work/venv/bin/python" -m pytest -p no:cacheprovider -m "not slow" ${TESTS:-tests/test_samples.py}
  step bench.txt "bench" accshare bench ${ONLY:+--only "$ONLY"} --size "${SIZE:-medium}" --json "$out/bench.json"
  step compile.txt "bench --compile" accshare bench --compile --json "$out/compile.json"
}

main 2>&1 | tee "$out/log.txt"
[ -s "$failures" ] || { echo "== all ran and passed: $out"; exit 0; }
echo "== not everything went well:"
cat "$failures"
exit 1
