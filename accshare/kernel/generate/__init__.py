"""Code generation: statement instances, grids, isl's AST, kernel IR, reductions."""
