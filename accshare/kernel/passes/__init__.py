"""Passes over generated kernels."""
