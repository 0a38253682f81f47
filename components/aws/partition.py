"""AWS partitions: the first part of every ARN after `arn:`, which its region decides."""

# First part of a region's name -> its partition, where that is not `aws`.
PARTITIONS = {"cn": "aws-cn", "us-gov": "aws-us-gov", "eusc": "aws-eusc"}


def partition(region: str) -> str:
    """Partition of a region: `aws` for us-east-1, `aws-cn` for cn-north-1."""
    for start, name in PARTITIONS.items():
        if region.startswith(f"{start}-"):
            return name
    return "aws"
