"""Keeps YuniKorn's queues to what a cluster has at this time."""
