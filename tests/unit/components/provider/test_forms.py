"""Inputs of other languages as arguments of components."""

import pulumi
import pytest

from moka.components.aws.network import NetworkArgs, TransitGateway
from moka.components.aws.node_group import NodeGroupArgs
from moka.components.kubernetes.yunikorn import YuniKornArgs
from moka.components.provider.component_index import offers
from moka.components.provider.forms import Misfit, form_of
from moka.components.provider.schema import schema

NETWORK = {"region": "us-east-1", "cidr": "10.0.0.0/16", "zones": ["us-east-1a", "us-east-1b"]}


def read(kind, **inputs):
    return form_of(kind).read(inputs, "")


def test_names_and_kinds_of_other_languages_become_those_of_python():
    gateway = {"id": "tgw-1", "cidrs": ["10.250.0.0/16"]}
    args = read(NetworkArgs, **NETWORK, podCidrs=["100.64.0.0/16"], transitGateway=gateway)

    assert args == NetworkArgs(
        region="us-east-1",
        cidr="10.0.0.0/16",
        zones=("us-east-1a", "us-east-1b"),
        pod_cidrs=("100.64.0.0/16",),
        transit_gateway=TransitGateway(id="tgw-1", cidrs=("10.250.0.0/16",)),
    )


def test_a_whole_number_comes_as_a_float_and_is_one():
    nodes = form_of(YuniKornArgs).properties

    [property] = [property for property in nodes if property.key == "nodes"]
    assert property.form.read(500.0, "nodes") == 500
    assert isinstance(property.form.read(500.0, "nodes"), int)


def test_the_catalog_is_no_input():
    assert "catalog" not in [property.key for property in form_of(YuniKornArgs).properties]


def test_what_may_be_known_later_is_taken_and_the_rest_has_to_be_written_out():
    later = pulumi.Output.from_input("sg-1")
    [subnets] = [property for property in form_of(NodeGroupArgs).properties if property.key == "subnets"]

    assert isinstance(subnets.form.read({"us-east-1a": later}, "subnets")["us-east-1a"], pulumi.Output)
    with pytest.raises(Misfit, match="cidr is known only once something else is deployed"):
        read(NetworkArgs, **{**NETWORK, "cidr": later})


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"nat": "none"}, "nat is 'none': it can be 'single' or 'zonal'"),
        ({"zones": "us-east-1a"}, "zones is 'us-east-1a': give it a list"),
        ({"zones": [1.0]}, r"zones\[0\] is 1.0: give it a string"),
        ({"retain": "yes"}, "retain is 'yes': give it a boolean"),
        ({"podCidr": []}, "podCidr is no input; did you mean 'podCidrs'?"),
        ({"transitGateway": {"id": "tgw-1"}}, "transitGateway.cidrs is missing"),
        ({"transitGateway": []}, r"transitGateway is \[\]: give it a map"),
        ({"region": None}, "region is missing"),
    ],
)
def test_what_an_input_does_not_take_is_said_with_its_place(changes, sentence):
    with pytest.raises(Misfit, match=sentence.replace("?", r"\?")):
        read(NetworkArgs, **{**NETWORK, **changes})


def test_every_component_is_offered_by_the_type_that_it_registers():
    documented = {
        offer.component.__doc__.split("`")[1]
        for offer in offers().values()
        if offer.component.__doc__.startswith("Pulumi type")
    }

    assert len(offers()) > 40
    assert documented <= offers().keys()


def test_every_argument_is_an_input_but_for_what_only_python_has():
    missing = {
        f"{offer.inputs.kind.__name__}.{name}"
        for offer in offers().values()
        if offer.inputs
        for name in offer.inputs.kind.__dataclass_fields__
        if name not in {property.name for property in offer.inputs.properties}
    }

    assert {name for name in missing if not name.endswith(".catalog")} == {"NodeGroupArgs.guard"}


def test_every_type_that_the_schema_refers_to_is_in_it():
    text = schema("1.0.0")
    names = set()

    def references(value):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if key == "$ref" and inner.startswith("#"):
                names.add(inner.removeprefix("#/types/"))
            elif isinstance(inner, dict | list):
                references(inner)

    references(text)
    assert names == text["types"].keys()
