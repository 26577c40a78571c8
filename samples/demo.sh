# One sample as cc compiles it, natively and on a device: demo.sh BIN, where BIN holds accshare-cc and accshare.
#
# With no OpenCL device on the machine it installs Intel's CPU runtime beside accshare, which needs no root.
set -eu
bin=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
show() { printf '\n$ %s\n' "$*"; }

cd "$here"
fast="-O3 -march=native"
show "accshare-cc $fast gemm.c -o gemm                          # its loops as kernels for the processor that this runs on"
"$bin/accshare-cc" $fast gemm.c -o "$work/gemm"

show "accshare-cc --acc-target=opencl $fast gemm.c -o gemm-opencl   # and for OpenCL devices"
"$bin/accshare-cc" --acc-target=opencl $fast gemm.c -o "$work/gemm-opencl"

on_device() { ACCSHARE_OFFLOAD=mandatory "$work/gemm-opencl" "$@"; }

if ! on_device 16 >"$work/first" 2>&1; then
  echo "No OpenCL device answers; installing Intel's CPU runtime next to accshare (800 MB on disk) ..."
  if "$bin/python" -m pip install --quiet intel-opencl-rt intel-cmplr-lib-rt; then
    ACCSHARE_OPENCL=$(cd "$bin/../lib" && pwd)/libintelocl.so
    export ACCSHARE_OPENCL
    echo "To use it in your own programs: export ACCSHARE_OPENCL=$ACCSHARE_OPENCL"
  fi
fi
if ! on_device 16 >"$work/first" 2>&1; then
  cat "$work/first" >&2
  echo "Still no OpenCL device. On Debian, as root: apt-get install pocl-opencl-icd ocl-icd-libopencl1" >&2
  exit 1
fi

cc=${ACCSHARE_CC:-cc}
show "$cc $fast gemm.c -o gemm-cc                               # what the host compiler makes of them"
$cc $fast -Wno-unknown-pragmas gemm.c -o "$work/gemm-cc"
show "$cc $fast -fopenmp gemm-openmp.c -o gemm-openmp           # the same loops under #pragma omp parallel for"
sed 's/^#pragma acc kernels loop.*/#pragma omp parallel for/' gemm.c >"$work/gemm-openmp.c"
if ! $cc $fast -fopenmp -Wno-unknown-pragmas -I. "$work/gemm-openmp.c" -o "$work/gemm-openmp"; then
  echo "$cc has no OpenMP: the comparison is left out."
fi

show ./gemm-cc 512 512 512 5
"$work/gemm-cc" 512 512 512 5 2>&1 | tee "$work/host"
if [ -x "$work/gemm-openmp" ]; then
  show ./gemm-openmp 512 512 512 5
  "$work/gemm-openmp" 512 512 512 5 2>&1 | tee "$work/openmp"
fi
show ACCSHARE_NOTIFY=1 ./gemm 512 512 512 5
ACCSHARE_OFFLOAD=mandatory ACCSHARE_NOTIFY=1 "$work/gemm" 512 512 512 5 2>&1 | tee "$work/native"
show ACCSHARE_NOTIFY=1 ./gemm-opencl 512 512 512 5
ACCSHARE_NOTIFY=1 on_device 512 512 512 5 2>&1 | tee "$work/device"

checksum() { grep '^checksum' "$1"; }
best() { sed -n 's/^time .*best=//p' "$1"; }
against() { # OURS PEER WHAT
  awk -v peer="$(best "$2")" -v ours="$(best "$1")" -v what="$3" 'BEGIN {
    printf "  %7.2f times the speed of %s (%.4f s)\n", peer / ours, what, peer }'
}
compared() { # OURS WHERE
  if [ "$(checksum "$work/host")" != "$(checksum "$1")" ]; then
    echo "The answer $2 differs from the host's: this is a bug in accshare." >&2
    exit 1
  fi
  printf '\nSame answer. Best of five runs, all included: %.4f s %s.\n' "$(best "$1")" "$2"
  against "$1" "$work/host" "$cc $fast, one thread"
  if [ -s "$work/openmp" ]; then
    against "$1" "$work/openmp" "$cc $fast with OpenMP, $(getconf _NPROCESSORS_ONLN) threads"
  fi
}
compared "$work/native" natively
compared "$work/device" "on the device"

show accshare verify gemm.c
"$bin/accshare" verify gemm.c

show accshare explain gemm.c
"$bin/accshare" explain gemm.c
