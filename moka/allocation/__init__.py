"""Allocation: what each queue is guaranteed, found from what was used. docs/allocation.md explains it."""
