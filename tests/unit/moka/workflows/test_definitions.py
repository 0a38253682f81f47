import pytest
import yaml

from localcloud.cloud import REPOSITORY
from moka.mistakes import InvalidDocument
from moka.workflows import definitions

EXAMPLE = REPOSITORY / "examples" / "workflows" / "retail.yaml"


def text(**changes):
    data = yaml.safe_load(EXAMPLE.read_text())
    data["workflows"] = {"daily-orders": data["workflows"]["daily-orders"] | changes}
    return yaml.safe_dump(data)


def test_the_example_is_read():
    workflows = definitions.loads(EXAMPLE.read_bytes(), "retail.yaml").workflows

    assert workflows["daily-orders"].queue == "root.retail.orders.tier1"
    assert workflows["weekly-forecast"].slo_hours == 12
    assert workflows["explorations"].slo_hours is None


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"slo_hours": 0},
            r"daily-orders\.slo_hours: is 0(\.0)?; input should be greater than 0 \(Hours from",
        ),
        ({"slo_hours": -1}, r"daily-orders\.slo_hours: is -1(\.0)?; input should be greater than 0"),
        ({"slo_hours": 1000}, r"slo_hours: is 1000(\.0)?; input should be less than or equal to 744"),
        ({"slo_hours": "4"}, r"slo_hours: is '4'; input should be a valid number"),
        ({"slo_hours": float("nan")}, r"slo_hours: is nan"),
        ({"tier": 4}, r"tier: is 4; input should be less than or equal to 3"),
        ({"owner": ""}, r"owner: is ''; string should have at least 1 character"),
        ({"project": "retail"}, r"project: is 'retail'; write organization and project with a dot between"),
        ({"cluster": "Batch"}, r"cluster: is 'Batch'; write lower case"),
        ({"sla_hours": 4}, r"sla_hours: unknown key; did you mean 'slo_hours'\?"),
    ],
)
def test_what_cannot_be_is_refused_with_where_it_stands(changes, says):
    with pytest.raises(InvalidDocument, match=rf"^retail\.yaml: workflows\..*{says}"):
        definitions.loads(text(**changes), "retail.yaml")


def test_a_name_that_no_job_can_give_is_refused():
    with pytest.raises(InvalidDocument, match="'a b'; write letters, digits, dots"):
        definitions.loads(text().replace("daily-orders:", "a b:"), "retail.yaml")
