"""Allocation of a whole fleet with solvers, which the domain (moka) does not know."""
