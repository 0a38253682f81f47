"""IAM actions of who reads or writes databases and tables in AWS Glue's Data Catalog."""

from collections.abc import Mapping
from typing import Literal

GlueAccess = Literal["read", "write"]

READ = (
    "glue:GetDatabase",
    "glue:GetDatabases",
    "glue:GetTable",
    "glue:GetTables",
    "glue:GetTableVersion",
    "glue:GetTableVersions",
    "glue:GetPartition",
    "glue:GetPartitions",
    "glue:BatchGetPartition",
)
WRITE = (
    *READ,
    "glue:CreateDatabase",
    "glue:CreateTable",
    "glue:UpdateTable",
    "glue:DeleteTable",
    "glue:BatchCreatePartition",
    "glue:CreatePartition",
    "glue:UpdatePartition",
    "glue:DeletePartition",
    "glue:BatchDeletePartition",
)
ACTIONS: Mapping[GlueAccess, tuple[str, ...]] = {"read": READ, "write": WRITE}
"""Service Authorization Reference, "Actions, resources, and condition keys for AWS Glue"."""
