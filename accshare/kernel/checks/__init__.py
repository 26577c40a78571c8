"""What is proved and checked of a kernel before it is emitted."""
