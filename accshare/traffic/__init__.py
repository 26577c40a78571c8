"""What kernels move to and from global memory, predicted: `bench --count` and tests ask for it, compiling does not."""
