"""Public Pulumi programs in Python on EC2, EKS, S3, IAM, RDS and Kubernetes, and which of them come up."""

import io
import subprocess
import tarfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

COMMITS = {
    "examples": "40c09b266d44e9975e15289c42cc0c2ad8d14995",
    "pulumi-eks": "7bf0c1b179932ce51cb02dfc4f9bd0d7550cb0cd",
    "templates": "65db26bfbdb2fef067d2a10dcadef7b553b36d60",
}
"""Repository of github.com/pulumi -> the commit whose programs are tried."""

NO_CONNECTIONS = "further providers (command, mysql) connect to its instance or database, where nothing runs"
ZONE_TWICE = (
    "its attachments name two subnets of a zone, as awsx shows them, and EC2 takes one of each: "
    "DuplicateSubnetsInSameZone; the version before comes up"
)


REGION = "us-west-2"
"""us-east-1 has a zone that EKS has no control planes in, and some programs take every zone."""


@dataclass(frozen=True)
class PublicProgram:
    """A program as it was published.

    path: of its folder, from its repository. commit: instead of the one in COMMITS. config: what its README
    has one set. on: programs that have to be up before. stops_at: why it does not come up; None where it
    does. waits: it only stops after minutes.
    """

    path: str
    config: dict[str, str] = field(default_factory=dict)
    on: "tuple[PublicProgram, ...]" = ()
    stops_at: str | None = None
    waits: bool = False
    commit: str | None = None

    @property
    def name(self) -> str:
        """What it is called in lists."""
        return f"{self.path}@{self.commit[:9]}" if self.commit else self.path

    def copy(self, folder: Path, checkouts: Path, python: Path) -> Path:
        """Take it out of its commit, below a folder, with configuration and Python's packages; its folder."""
        repository, _, inside = self.path.partition("/")
        place = folder / repository / inside
        place.parent.mkdir(parents=True, exist_ok=True)
        archive = [
            "git",
            "-C",
            str(checkouts / repository),
            "archive",
            self.commit or COMMITS[repository],
            inside,
        ]
        with tarfile.open(
            fileobj=io.BytesIO(subprocess.run(archive, check=True, capture_output=True).stdout)
        ) as tar:
            tar.extractall(folder / repository, filter="data")
        config = {"aws:region": REGION, **self.config}
        if repository == "templates":
            config = defaults_of_template(place) | config
            for file in (place / "Pulumi.yaml", *place.glob("*.py")):
                file.write_text(without_placeholders(file.read_text(), place.name))
        options: Any = yaml.safe_load((place / "Pulumi.yaml").read_text())["runtime"]
        if isinstance(options, dict) and (virtual := options.get("options", {}).get("virtualenv")):
            (place / virtual).symlink_to(python)
        (place / "Pulumi.dev.yaml").write_text(yaml.safe_dump({"config": config}))
        return place


def defaults_of_template(place: Path) -> dict[str, str]:
    """What `pulumi new --yes` sets in the configuration of a program made from a template."""
    document = yaml.safe_load((place / "Pulumi.yaml").read_text())
    settings: dict[str, Any] = document["template"].get("config") or {}
    return {
        key if ":" in key else f"{place.name}:{key}": str(setting["default"])
        for key, setting in settings.items()
        if "default" in setting
    }


def without_placeholders(text: str, project: str) -> str:
    """A file of a template as `pulumi new` writes it."""
    return text.replace("${PROJECT}", project).replace("${DESCRIPTION}", f"Made from {project}")


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
    PublicProgram("examples/aws-py-hub-and-spoke-network", commit="4ca61f36ef80b9364df31a58b56d7c7212977ded"),
    PublicProgram("examples/aws-py-ansible-wordpress", stops_at=NO_CONNECTIONS),
    PublicProgram("examples/aws-py-dynamicresource", stops_at=NO_CONNECTIONS),
    PublicProgram("examples/aws-py-ec2-provisioners", stops_at=NO_CONNECTIONS),
    PublicProgram("pulumi-eks/examples/cluster-py"),
    PublicProgram("pulumi-eks/examples/fargate-py"),
    PublicProgram("pulumi-eks/examples/aws-profile-role-py"),
    PublicProgram("pulumi-eks/examples/aws-profile-py"),
    PublicProgram("pulumi-eks/examples/managed-nodegroups-py"),
    PublicProgram("pulumi-eks/examples/nodegroup-py"),
    PublicProgram("templates/aws-python"),
    PublicProgram("templates/vm-aws-python"),
    PublicProgram("templates/kubernetes-aws-python"),
    PublicProgram("templates/kubernetes-python", on=(EKS,)),
    PublicProgram(
        "templates/webapp-kubernetes-python",
        # Its default is a namespace that every cluster has.
        {"webapp-kubernetes-python:namespace": "web"},
        on=(EKS,),
    ),
    PublicProgram("templates/helm-kubernetes-python", on=(EKS,)),
    PublicProgram("examples/aws-py-secrets-manager"),
)
"""Those of github.com/pulumi/examples, pulumi-eks and templates that are on these services."""
