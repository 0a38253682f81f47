"""What deploying takes: a table of resource types, and the policies that follow from it.

No Pulumi here: the doctor asks AWS about the same table.
"""
