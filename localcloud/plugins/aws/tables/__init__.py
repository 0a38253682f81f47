"""The simulated types, by token: one module a service, loaded when a type of it is first used.

To add a type: a row in its service's module. Rows have one shape, so that some are alike line by line.
"""

from functools import cache
from importlib import import_module
from itertools import chain

from localcloud.errors import Refusal
from localcloud.plugins.aws.table import Kind

MODULES: dict[str, tuple[str, ...]] = {
    "acm": ("acm",),
    "amp": ("amp",),
    "alb": ("load_balancers", "listeners"),
    "autoscaling": ("auto_scaling",),
    "cloudformation": ("cloud_formation",),
    "cloudwatch": ("logs",),
    "ec2": (
        "ec2",
        "flow_logs",
        "routes",
        "security_groups",
        "launch_templates",
        "launch_configurations",
        "instances",
    ),
    "ec2transitgateway": ("transit_gateways",),
    "ecr": ("ecr",),
    "eks": ("eks",),
    "grafana": ("grafana",),
    "iam": ("iam", "iam_users", "iam_groups"),
    "kms": ("kms",),
    "lb": ("load_balancers", "listeners"),
    "rds": ("rds", "rds_clusters"),
    "route53": ("route53",),
    "s3": ("s3", "s3_objects"),
    "secretsmanager": ("secrets_manager",),
    "ssm": ("ssm",),
    "vpc": ("security_groups",),
}
"""Module of Pulumi's AWS package -> modules here."""


def kind_of(type: str) -> Kind:
    """The row of a type. Raises Refusal for a type that has none."""
    parts = type.split(":")
    modules = MODULES.get(parts[1].split("/")[0], ()) if parts[0] == "aws" and len(parts) == 3 else ()
    for module in modules:
        if type in rows(module):
            return rows(module)[type]
    raise Refusal(
        f"{type} is not simulated by the laptop cloud: add a row for it to localcloud/plugins/aws/tables, "
        "or leave it out of the stack."
    )


@cache
def rows(module: str) -> dict[str, Kind]:
    """Rows of one module, by token."""
    table: dict[str, Kind] = import_module(f"{__name__}.{module}").TYPES
    return table


def all_rows() -> dict[str, Kind]:
    """Every row, by token."""
    return {
        type: kind
        for module in sorted(set(chain.from_iterable(MODULES.values())))
        for type, kind in rows(module).items()
    }
