"""The laptop cloud: the real Pulumi engine and Kubernetes API servers, with AWS in memory.

Nothing outside this package knows of it.
"""
