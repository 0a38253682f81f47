"""What is found out with engines that the domain (`moka`) does not know: DuckDB of the history, solvers of a fleet."""
