"""Kernels whose work-groups keep arrays in local memory."""
