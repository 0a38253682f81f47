"""Asks the accounts of an environment, before anything is deployed, whether the environment can be.

It reads and never changes anything. `moka doctor <environment>`; docs/operations.md says more.
"""
