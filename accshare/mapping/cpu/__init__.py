"""What a kernel becomes on a CPU: packed panels, register tiles, vectors along loops that combine."""
