"""What `moka dashboards` lists, prints and writes."""

import json

import yaml

from moka.observability.alerts import ALERTS
from moka.observability.dashboards import DASHBOARDS


def test_dashboards_are_listed_with_their_rows(moka):
    result = moka("dashboards")

    assert result.status == 0
    assert [line.split()[0] for line in result.out.splitlines()] == [one.name for one in DASHBOARDS]
    assert "Tier 1, Tier 2, Tier 3" in result.out


def test_a_file_is_written_for_each_dashboard_and_those_of_rules(moka, tmp_path):
    result = moka("dashboards", "--to", str(tmp_path / "new"))

    assert result.status == 0
    written = {path.name: path.read_text() for path in (tmp_path / "new").iterdir()}
    assert {name for name in written if name.endswith(".json")} == {
        f"moka-{one.name}.json" for one in DASHBOARDS
    }
    assert json.loads(written["moka-queues.json"])["uid"] == "moka-queues"
    rules = [
        rule
        for name, text in written.items()
        if name.endswith(".rules.yaml")
        for group in yaml.safe_load(text)["groups"]
        for rule in group["rules"]
    ]
    assert len([rule for rule in rules if "alert" in rule]) == len(ALERTS)
    assert "moka:applications:states" in [rule.get("record") for rule in rules]


def test_scripts_get_what_grafana_reads(moka):
    result = moka("dashboards", "--json")

    models = json.loads(result.out)
    assert list(models) == [one.name for one in DASHBOARDS]
    assert all(model["panels"] for model in models.values())


def test_a_folder_that_cannot_be_written_is_refused(moka, tmp_path):
    (tmp_path / "file").touch()

    result = moka("dashboards", "--to", str(tmp_path / "file" / "below"))

    assert result.status == 2
    assert f"Cannot write to {tmp_path}/file/below" in result.err


def test_to_print_and_to_write_at_once_is_refused(moka):
    assert moka("dashboards", "--json", "--to", "x").status == 2
