"""What would have been: runs of a history replayed against a plan, a cluster at a time."""
