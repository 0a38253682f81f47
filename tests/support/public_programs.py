"""Public Pulumi programs in Python on EC2, EKS, S3, IAM, RDS and Kubernetes, and which of them come up."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NO_CONNECTIONS = "further providers (command, mysql) connect to its instance or database, where nothing runs"
ZONE_TWICE = (
    "its attachments name two subnets of a zone, as awsx shows them, and EC2 takes one of each; the version "
    "before, of April 2026, comes up"
)
NO_STACKS = "its nodes are in a stack of CloudFormation, which is not simulated"


REGION = "us-west-2"
"""us-east-1 has a zone that EKS has no control planes in, and some programs take every zone."""


@dataclass(frozen=True)
class PublicProgram:
    """A program as it was published.

    path: below the folder of checkouts. config: what its README has one set. on: programs that have to be up
    before. stops_at: why it does not come up; None where it does. waits: it only stops after minutes.
    """

    path: str
    config: dict[str, str] = field(default_factory=dict)
    on: "tuple[PublicProgram, ...]" = ()
    stops_at: str | None = None
    waits: bool = False

    def copy(self, folder: Path, checkouts: Path, python: Path) -> Path:
        """Copy it below a folder, with its configuration and with Python's packages; the copy's folder."""
        import shutil

        import yaml

        place = folder / self.path
        shutil.copytree(checkouts / self.path, place)
        options: Any = yaml.safe_load((place / "Pulumi.yaml").read_text())["runtime"]
        if isinstance(options, dict) and (virtual := options.get("options", {}).get("virtualenv")):
            (place / virtual).symlink_to(python)
        config = {"aws:region": REGION, **self.config}
        (place / "Pulumi.dev.yaml").write_text(yaml.safe_dump({"config": config}))
        return place


EKS = PublicProgram("examples/aws-py-eks")

COMPANY = PublicProgram(
    "examples/aws-py-stackreference/company", {"aws-py-stackreference-company:companyName": "somebody"}
)
DEPARTMENT = PublicProgram(
    "examples/aws-py-stackreference/department",
    {"aws-py-stackreference-department:departmentName": "somewhere"},
)

PROGRAMS = (
    EKS,
    PublicProgram("examples/aws-py-s3-folder"),
    PublicProgram(
        "examples/aws-py-assume-role/create-role", {"aws-py-create-role:unprivilegedUsername": "somebody"}
    ),
    PublicProgram("examples/kubernetes-py-nginx", on=(EKS,)),
    PublicProgram("examples/kubernetes-py-guestbook/simple", on=(EKS,)),
    PublicProgram("examples/kubernetes-py-guestbook/components", on=(EKS,)),
    PublicProgram(
        "examples/kubernetes-py-exposed-deployment",
        {"kubernetes-py-exposed-deployment:is_minikube": "false"},
        on=(EKS,),
    ),
    PublicProgram(
        "examples/kubernetes-py-jenkins",
        {
            "kubernetes-py-jenkins:isMinikube": "false",
            "kubernetes-py-jenkins:username": "admin",
            "kubernetes-py-jenkins:password": "of the test",
        },
        on=(EKS,),
        stops_at="its claim names no StorageClass, and the cluster has no default one, as on EKS",
        waits=True,
    ),
    PublicProgram(
        "examples/kubernetes-py-helm-release-wordpress",
        on=(EKS,),
        stops_at="it reads a Service of a chart that is only recorded where its repository is not reached",
    ),
    PublicProgram("examples/aws-py-webserver"),
    PublicProgram(
        "examples/aws-py-stackreference/team",
        {
            "aws-py-stackreference-team:companyStack": "organization/aws-py-stackreference-company/dev",
            "aws-py-stackreference-team:departmentStack": "organization/aws-py-stackreference-department/dev",
            "aws-py-stackreference-team:teamName": "somebody's",
        },
        on=(COMPANY, DEPARTMENT),
    ),
    PublicProgram(
        "examples/aws-py-assume-role/assume-role",
        {"aws-py-assume-role:roleToAssumeARN": "arn:aws:iam::123456789012:role/allow-s3-management"},
        stops_at="the role lets only the user of another program assume it, with the user's own keys",
    ),
    PublicProgram("examples/aws-py-hub-and-spoke-network", stops_at=ZONE_TWICE),
    PublicProgram("examples/aws-py-ansible-wordpress", stops_at=NO_CONNECTIONS),
    PublicProgram("examples/aws-py-dynamicresource", stops_at=NO_CONNECTIONS),
    PublicProgram("examples/aws-py-ec2-provisioners", stops_at=NO_CONNECTIONS),
    PublicProgram("pulumi-eks/examples/cluster-py"),
    PublicProgram("pulumi-eks/examples/fargate-py"),
    PublicProgram("pulumi-eks/examples/aws-profile-role-py"),
    PublicProgram("pulumi-eks/examples/aws-profile-py"),
    PublicProgram("pulumi-eks/examples/managed-nodegroups-py"),
    PublicProgram("pulumi-eks/examples/nodegroup-py", stops_at=NO_STACKS),
)
"""Of github.com/pulumi/examples and github.com/pulumi/pulumi-eks, those that are on these services."""
