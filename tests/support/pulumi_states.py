"""States of stacks as `pulumi stack export` gives them: `local` whole, and what others are made of."""

from moka.pulumi_cli import State
from stacks.slices import Unit
from stacks.state_move import Resource

FOUNDATION, CLUSTER, SPARK = Unit("foundation", "main"), Unit("cluster", "spark-a"), Unit("spark", "spark-a")


def urn(stack: str, rest: str) -> str:
    return f"urn:pulumi:{stack}::moka::{rest}"


def make_resource(stack: str, rest: str, *needs: str, parent: str | None = None, **more: object) -> Resource:
    """A resource `type::name` of a stack, that depends on others of it."""
    root = f"pulumi:pulumi:Stack::moka-{stack}"
    return {
        "urn": urn(stack, rest),
        "type": rest.split("::")[0].split("$")[-1],
        "parent": urn(stack, parent or root),
        "dependencies": [urn(stack, need) for need in needs],
        "propertyDependencies": {"of": [urn(stack, need) for need in needs]},
        **more,
    }


def make_state(stack: str, outputs: dict[str, object], *resources: Resource) -> State:
    root = {
        "urn": urn(stack, f"pulumi:pulumi:Stack::moka-{stack}"),
        "type": "pulumi:pulumi:Stack",
        "outputs": outputs,
    }
    return {"version": 3, "deployment": {"manifest": {}, "resources": [root, *resources]}}


def make_provider(stack: str, package: str, name: str, *needs: str, id: str = "p") -> Resource:
    return make_resource(stack, f"pulumi:providers:{package}::{name}", *needs, id=id)


def provider_reference(stack: str, package: str, name: str, id: str = "p") -> str:
    return f"{urn(stack, f'pulumi:providers:{package}::{name}')}::{id}"


EMPTY: State = {"version": 3, "deployment": {"manifest": {}}}

WHOLE = make_state(
    "local",
    {
        str(FOUNDATION): {"vpc_id": "vpc-1", "resources": ["moka:aws:Network::main"]},
        str(CLUSTER): {"arn": "arn", "resources": ["moka:aws:Cluster::spark-a"]},
        str(SPARK): {"resources": ["moka:kubernetes:Chart::spark-a-operator"]},
    },
    make_provider("local", "aws", "main"),
    make_resource("local", "moka:aws:Network::main"),
    make_resource(
        "local",
        "moka:aws:Network$aws:ec2/vpc:Vpc::main",
        parent="moka:aws:Network::main",
        provider=provider_reference("local", "aws", "main"),
        id="vpc-1",
        protect=True,
    ),
    make_resource("local", "moka:aws:Cluster::spark-a"),
    make_resource(
        "local",
        "moka:aws:Cluster$aws:eks/cluster:Cluster::spark-a",
        "moka:aws:Network$aws:ec2/vpc:Vpc::main",
        parent="moka:aws:Cluster::spark-a",
        provider=provider_reference("local", "aws", "main"),
        id="c",
    ),
    make_provider("local", "kubernetes", "spark-a", "moka:aws:Cluster$aws:eks/cluster:Cluster::spark-a"),
    make_resource("local", "moka:kubernetes:Chart::spark-a-operator"),
    make_resource(
        "local",
        "moka:kubernetes:Chart$kubernetes:helm.sh/v3:Release::spark-a-operator",
        parent="moka:kubernetes:Chart::spark-a-operator",
        provider=provider_reference("local", "kubernetes", "spark-a"),
        id="r",
    ),
)
