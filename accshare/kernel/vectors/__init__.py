"""Register tiles and vectors on a CPU."""
