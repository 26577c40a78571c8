# Finds an OpenCL driver that isn't registered with the system: opencl-env.sh PYTHON VENDORS
#
# Prints shell assignments to export, nothing when the system has all it takes. PYTHON is an interpreter whose environment may
# hold pyopencl (it brings an OpenCL loader) or intel-opencl-rt (a CPU driver); VENDORS is a folder to write .icd files to.
set -eu
python=$1
vendors=$2

site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
prefix=$("$python" -c 'import sys; print(sys.prefix)')

library() { # NAME: the first library of that name where libraries are usually kept, or nothing
  {
    ldconfig -p 2>/dev/null | sed -n "s/^[[:space:]]*$1 .*=> //p"
    echo "${LD_LIBRARY_PATH:-}" | tr ':' '\n' | sed "s|\$|/$1|"
    for folder in /usr/local/nvidia/lib64 /usr/lib/x86_64-linux-gnu /usr/lib/aarch64-linux-gnu /usr/lib64 /usr/lib/wsl/lib \
      "$prefix/lib"; do
      echo "$folder/$1"
    done
  } | while read -r candidate; do
    if [ -e "$candidate" ]; then echo "$candidate"; break; fi
  done
}

registered=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}
mkdir -p "$vendors"
added=
for driver in libnvidia-opencl.so.1 libintelocl.so; do
  path=$(library "$driver")
  if [ -n "$path" ] && ! cat "$registered"/*.icd 2>/dev/null | grep -q "$driver"; then
    echo "$path" >"$vendors/${driver%%.*}.icd"
    added=yes
  fi
done
if [ -n "$added" ]; then
  cp "$registered"/*.icd "$vendors"/ 2>/dev/null || true
  echo "OCL_ICD_VENDORS='$vendors'"
fi

if [ -z "${ACCSHARE_OPENCL:-}" ] && [ -z "$(library libOpenCL.so.1)" ]; then
  # pyopencl's own loader serves C programs too, once it is told where it lives.
  for loader in "$site"/pyopencl/.libs/libOpenCL*.so*; do
    [ -e "$loader" ] || continue
    echo "ACCSHARE_OPENCL='$loader'"
    echo "PYOPENCL_HOME='$site/pyopencl'"
  done
fi
