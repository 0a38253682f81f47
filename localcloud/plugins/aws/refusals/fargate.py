"""What EKS refuses of Fargate profiles."""

from aws_rules.eks.fargate import fargate_subnets
from localcloud.plugins.aws.refusals.network import load
from localcloud.plugins.aws.subject import Subject
from localcloud.unknowns import refuse


def subnets(subject: Subject) -> None:
    """Refuse a Fargate profile with a public subnet."""
    network = load(subject.api, subject.region)
    ids = subject.inputs.get("subnetIds") or ()
    public = [
        subnet["SubnetId"]
        for subnet in network.answers["Subnets"]
        if subnet["SubnetId"] in ids and network.is_public(subnet)
    ]
    name, cluster = subject.properties["fargateProfileName"], subject.properties["clusterName"]
    refuse(subject.api.cloud, fargate_subnets(f"Fargate profile {name} of {cluster}", public))
