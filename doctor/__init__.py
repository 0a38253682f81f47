"""Asks the accounts of an environment, before anything is deployed, whether it can be deployed.

It reads and never changes anything. `moka doctor <environment>`; docs/operations/doctor.md says more.
"""
