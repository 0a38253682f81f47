"""Who sends a request: a file for each way of proving it."""
