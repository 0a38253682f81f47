"""What engines find out that the domain (`moka`) does not know: DuckDB of the history, solvers of a fleet."""
