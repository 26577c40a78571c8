# Says which tools the tests need and can't find, and what to install; exits with 1 if any is missing.
missing=
packages=
need() { # COMMAND PACKAGE REASON
  command -v "$1" >/dev/null 2>&1 && return
  missing="$missing  $1 ($3)
"
  packages="$packages $2"
}
need cc gcc "the host compiler"
need g++ g++ "C++ sources in a build"
need clang clang "a second host compiler"
need aarch64-linux-gnu-gcc "gcc-aarch64-linux-gnu libc6-dev-arm64-cross" "programs for another machine"
need qemu-aarch64 qemu-user "to run these"
need make make "samples/multifile, and programs with their own build"
need cmake cmake "programs built with CMake"
need autoconf autoconf "programs with a configure script"
need automake automake "programs with a configure script"
need libtoolize libtool "programs with a configure script"
need meson meson "programs built with Meson"
need ccache ccache "the wrapper before a compiler cache"
need gdb gdb "debugging information"
need clinfo clinfo "which devices there are"
need oclgrind oclgrind "races and uninitialised reads in kernels"
if [ -z "$ACCSHARE_OPENCL$OCL_ICD_VENDORS" ] && ! ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1; then
  missing="$missing  an OpenCL device (any will do; PoCL runs kernels on the CPU)
"
  packages="$packages pocl-opencl-icd ocl-icd-libopencl1"
fi
[ -z "$missing" ] && exit 0
printf 'The tests need what this machine lacks:\n%sOn Debian, as root:\n  apt-get install%s\n' "$missing" "$packages" >&2
exit 1
