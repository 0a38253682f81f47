"""IAM's decisions in the laptop's AWS: whether who calls as a role may make a call, before moto makes it.

It runs in moto's process, and reads moto's state.
"""
