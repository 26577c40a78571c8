# One sample on the host and on a device: demo.sh BIN, where BIN holds accshare-cc and accshare.
#
# With no OpenCL device on the machine it installs Intel's CPU runtime beside accshare, which needs no root.
set -eu
bin=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
show() { printf '\n$ %s\n' "$*"; }

cd "$here"
show accshare-cc -O2 gemm.c -o gemm
"$bin/accshare-cc" -O2 gemm.c -o "$work/gemm"

on_device() { ACCSHARE_OFFLOAD=mandatory "$work/gemm" "$@"; }

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

show ACCSHARE_OFFLOAD=disabled ./gemm 512 512 512 5
ACCSHARE_OFFLOAD=disabled "$work/gemm" 512 512 512 5 2>&1 | tee "$work/host"
show ACCSHARE_NOTIFY=1 ./gemm 512 512 512 5
ACCSHARE_NOTIFY=1 on_device 512 512 512 5 2>&1 | tee "$work/device"

checksum() { grep '^checksum' "$1"; }
best() { sed -n 's/^time .*best=//p' "$1"; }
if [ "$(checksum "$work/host")" != "$(checksum "$work/device")" ]; then
  echo "The device's answer differs from the host's: this is a bug in accshare." >&2
  exit 1
fi
awk -v host="$(best "$work/host")" -v device="$(best "$work/device")" 'BEGIN {
  printf "\nSame answer. Best of five: %.4f s on the host (%s), %.4f s on the device, transfers included: %.2f times the speed.\n",
    host, "one thread, -O2", device, host / device }'

show accshare explain gemm.c
"$bin/accshare" explain gemm.c
