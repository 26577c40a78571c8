"""Running finished output through pyopencl: verification and measurement, and what this machine offers."""
