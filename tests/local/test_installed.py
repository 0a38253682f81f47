"""The laptop cloud installed by pip outside the checkout, for somebody's own program."""

import pytest

from tests.support.documented import commands
from tests.support.installed_laptop import InstalledLaptop, documented
from tests.support.pulumi_project import write_project

PROGRAM = """
import json
import pulumi
import pulumi_aws as aws

# As a program with an older SDK asks for it.
older = pulumi.ResourceOptions(version="7.0.0")
vpc = aws.ec2.Vpc("somebodys", cidr_block="10.0.0.0/16", opts=older)
subnets = [
    aws.ec2.Subnet(zone, vpc_id=vpc.id, availability_zone=f"us-east-1{zone}", cidr_block=f"10.0.{n}.0/24")
    for n, zone in enumerate("ab")
]
trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "eks.amazonaws.com"}}
policy = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
role = aws.iam.Role("somebodys", assume_role_policy=policy)
allowed = aws.iam.RolePolicyAttachment(
    "somebodys", role=role.name, policy_arn="arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"
)
aws.eks.Cluster(
    "somebodys", role_arn=role.arn, vpc_config={"subnet_ids": [subnet.id for subnet in subnets]},
    opts=pulumi.ResourceOptions(depends_on=[allowed]),
)
"""


@pytest.fixture(scope="module")
def laptop(tmp_path_factory):
    laptop = InstalledLaptop(tmp_path_factory.mktemp("home"))
    laptop.install_without_its_packages()
    write_project(laptop.home / "my-project", PROGRAM)
    yield laptop
    laptop.run("laptop-cloud stop")


def test_somebodys_program_comes_up_by_the_commands_of_the_documentation(laptop):
    done = laptop.run(documented(1))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "somebodys created" in done.stdout
    assert "kube-system" in done.stdout, "kubectl shows what the cluster has"
    assert "Stack            dev: 8 resources" in done.stdout, "two providers among them"
    assert "Destroying (dev)" in done.stdout
    assert laptop.run("laptop-cloud status").stdout.startswith("AWS, in memory   not running")


def test_the_commands_of_the_readme_bring_it_up_too(laptop):
    install, *rest = commands("README.md", "## The laptop cloud for another project", 0).splitlines()
    assert install.endswith("pip install ./localcloud"), "which the laptop has behind it"

    write_project(laptop.home / "small", 'import pulumi_aws\npulumi_aws.s3.Bucket("somebodys")')
    done = laptop.run("\n".join(rest).replace("my-project", "small"))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "somebodys created" in done.stdout
    down = laptop.run("cd small; laptop-cloud down --stack dev; laptop-cloud stop")
    assert down.returncode == 0, down.stdout + down.stderr


def test_a_program_of_a_newer_sdk_finds_no_plugin(laptop):
    newer = (
        'import pulumi, pulumi_aws\npulumi_aws.ec2.Vpc("v", opts=pulumi.ResourceOptions(version="99.0.0"))'
    )
    write_project(laptop.home / "newer", newer)

    done = laptop.run(
        "cd newer; laptop-cloud exec -- pulumi stack init dev; laptop-cloud exec -- pulumi up --yes"
    )

    assert done.returncode != 0
    assert "no resource plugin 'pulumi-resource-aws'" in done.stdout + done.stderr


def test_what_a_command_prints_is_all_that_goes_to_its_reader(laptop):
    done = laptop.run("cd my-project; laptop-cloud exec -- pulumi stack ls --json --all; laptop-cloud stop")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[")


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("exec", "exec has no command: write it after --, as in `laptop-cloud exec -- pulumi up`."),
        ("exec -- pulumy up", "There is no command pulumy: correct its name, or install it."),
        (
            "clock --advance 2h",
            "The laptop's AWS is not running, so no time passes there: run `laptop-cloud up` first.",
        ),
        (
            "up --stack dev",
            "There is no Pulumi project in {home}: name the folder of one.",
        ),
    ],
)
def test_it_speaks_of_its_own_commands(laptop, command, complaint):
    done = laptop.run(f"laptop-cloud {command}")

    assert (done.returncode, done.stderr.strip()) == (1, complaint.format(home=laptop.home))


def test_the_exit_status_is_the_commands(laptop):
    assert laptop.run("laptop-cloud exec -- bash -c 'exit 3'").returncode == 3
