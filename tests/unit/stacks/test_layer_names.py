"""What every layer names, in every environment."""

import pytest

from moka.names import PLATFORM_IDENTITIES, PLATFORM_NAMESPACES
from stacks import settings
from stacks.settings import reading


@pytest.mark.parametrize("environment", reading.environments())
def test_every_namespace_is_known_as_one_of_the_platform_or_of_jobs(environment, whole):
    namespaces = whole(environment).inputs("kubernetes:core/v1:Namespace")
    known = PLATFORM_NAMESPACES | set(settings.load(environment).job_namespaces)

    unknown = {namespace["metadata"]["name"] for namespace in namespaces} - known
    assert not unknown, f"add {unknown} to moka/names.py, also to PLATFORM_NAMESPACES"


@pytest.mark.parametrize("environment", reading.environments())
def test_every_identity_is_known_as_one_of_the_platform_or_of_jobs(environment, whole):
    environment_settings = settings.load(environment)
    everything = whole(environment)
    # Those of add-ons are below the cluster's component, and so can have the name of another.
    addons = {addon["addonName"] for addon in everything.inputs("aws:eks/addon:Addon")}
    known = PLATFORM_IDENTITIES | addons | set(environment_settings.job_namespaces)
    names = [r.name for r in everything.resources if r.type == "moka:aws:PodIdentity"]
    ids = {
        name.removeprefix(f"{cluster}-")
        for name in names
        for cluster in environment_settings.clusters
        if name.startswith(f"{cluster}-")
    }

    assert not ids - known, f"add {ids - known} to moka/names.py, also to PLATFORM_IDENTITIES"


@pytest.mark.parametrize("environment", reading.environments())
def test_every_logical_name_begins_with_that_of_its_place(environment, whole):
    environment_settings = settings.load(environment)
    places = (*environment_settings.clusters, *environment_settings.foundations)
    wrong = [
        f"{resource.type}::{resource.name}"
        for resource in whole(environment).resources
        if not resource.type.startswith("pulumi:") and not resource.name.startswith(places)
    ]
    assert not wrong
