"""Log groups of CloudWatch, by name."""

from doctor.account import Place


def log_group(place: Place, name: str) -> str | None:
    """ARN of the log group of a name, without `:*` at its end; None where there is none. Raises NoAnswer."""
    for group in place.items("logs", "describe_log_groups", "logGroups", logGroupNamePrefix=name):
        if group["logGroupName"] == name:
            return str(group["arn"]).removesuffix(":*")
    return None
