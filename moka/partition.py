"""AWS partitions: the first part of every ARN after `arn:`, which its region decides."""

# First part of a region's name -> its partition, where that is not `aws`.
PARTITIONS = {
    "cn": "aws-cn",
    "us-gov": "aws-us-gov",
    "eusc": "aws-eusc",
    "us-iso": "aws-iso",
    "us-isob": "aws-iso-b",
    "eu-isoe": "aws-iso-e",
    "us-isof": "aws-iso-f",
}

# Partition -> domain of its services, where that is not `amazonaws.com`.
DOMAINS = {
    "aws-cn": "amazonaws.com.cn",
    "aws-eusc": "amazonaws.eu",
    "aws-iso": "c2s.ic.gov",
    "aws-iso-b": "sc2s.sgov.gov",
    "aws-iso-e": "cloud.adc-e.uk",
    "aws-iso-f": "csp.hci.ic.gov",
}


def partition(region: str) -> str:
    """Partition of a region: `aws` for us-east-1, `aws-cn` for cn-north-1."""
    for start, name in PARTITIONS.items():
        if region.startswith(f"{start}-"):
            return name
    return "aws"


def domain(region: str) -> str:
    """Domain of a region's services: `amazonaws.com` for us-east-1."""
    return DOMAINS.get(partition(region), "amazonaws.com")


def managed_policy(name: str, region: str) -> str:
    """ARN of a policy that AWS keeps, with the path in its name, in the partition of a region."""
    return f"arn:{partition(region)}:iam::aws:policy/{name}"
