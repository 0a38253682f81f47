"""What is found out of the history with engines of others, which `moka` does not have: DuckDB, solvers."""
