"""Workflows: jobs that belong together and come back, with their tier, their owner and their SLO."""
