import re

import pytest

from stacks import settings

LOCAL = settings.path_of("local").read_text()


def refused(*edits: tuple[str, str]) -> list[str]:
    """The lines with which a changed stacks/local.yaml is refused."""
    text = LOCAL
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    with pytest.raises(settings.SettingsError) as error:
        settings.parse(text, "stacks/local.yaml", "local")
    return str(error.value).splitlines()


def test_the_local_environment_is_accepted():
    assert settings.load("local").environment == "local"


def test_an_unknown_key_is_named_with_the_nearest_known_one():
    [line] = refused(("        role: system", "        rol: system\n        role: system"))

    assert (
        line
        == "stacks/local.yaml: clusters.spark-a.node_groups.system.rol: unknown key; did you mean 'role'?"
    )


def test_every_mistake_is_told_at_once():
    lines = refused(
        ("home: spark-a ", "hom: spark-a "),
        ("architecture: arm64", "architecture: arm"),
        ('account: "123456789012"', 'account: "12345"'),
    )

    told = "\n".join(lines)
    assert re.search(r"hom: unknown key; did you mean 'home'", told)
    assert "home: is missing" in told
    assert "architecture: is 'arm'; input should be 'arm64' or 'amd64'" in told
    assert "foundations.main.account: is '12345'" in told


def test_a_cluster_on_an_unknown_foundation_is_told_which_there_are():
    [line] = refused(("foundation: main", "foundation: mian"))

    assert "clusters.spark-a.foundation: no foundation is named 'mian'; there are main" in line


def test_sizes_out_of_order_are_refused_at_their_node_group():
    [line] = refused(("minimum: 2\n        desired: 3", "minimum: 5\n        desired: 3"))

    assert line.startswith("stacks/local.yaml: clusters.spark-a.node_groups.system: sizes must be in order")


def test_two_foundations_in_one_account_and_region_are_refused():
    start, end = LOCAL.index("  main:"), LOCAL.index("\nclusters:")
    second = LOCAL[start:end].replace("main:", "second:")
    [line] = refused(("\nclusters:", f"{second}\nclusters:"))

    assert "foundations.second: account 123456789012 in us-east-1 has the foundation 'main' already" in line


def test_text_that_is_not_yaml_is_one_sentence():
    with pytest.raises(settings.SettingsError, match=r"^stacks/x.yaml is not YAML: .*line 1") as error:
        settings.parse("{a: [", "stacks/x.yaml")
    assert "\n" not in str(error.value)


def test_an_environment_without_settings_is_told_which_there_are():
    with pytest.raises(settings.SettingsError, match=r"'prodd' has no settings.*local"):
        settings.load("prodd")


def test_settings_of_another_environment_are_refused():
    with pytest.raises(settings.SettingsError, match="environment is 'local' and must be 'prod'"):
        settings.parse(LOCAL, "stacks/prod.yaml", "prod")
