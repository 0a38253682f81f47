"""The `aws` provider of the laptop cloud: Pulumi's AWS types over boto3's core to moto's server.

`tables/` says, type by type, which calls make, show, change and delete it; `resources.py` does so.
"""
