"""What a kernel becomes on a GPU: layouts of tiles in banks, channels of memory, work-items with several iterations."""
