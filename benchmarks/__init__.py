"""Measurements that `make bench` takes and writes to docs/benchmarks.md."""
