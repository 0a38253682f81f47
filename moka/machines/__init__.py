"""Machines: EC2 instance types, the roles of nodes, and what a pod can have of them."""
