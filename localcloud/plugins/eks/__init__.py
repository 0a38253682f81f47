"""The `eks` plugin: the components of pulumi_eks, made of the same resources under the same names.

It makes nothing itself: the `aws` plugin does, and starts control planes and machines as it goes.
"""
