"""Archer: takes jobs, has them run on the clusters of an environment, and tells what became of them."""
