"""accshare: an OpenACC-style pragma compiler with the ``share`` hint, from C to OpenCL."""

__version__ = "0.1.0"
