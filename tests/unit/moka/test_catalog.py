import pytest

from moka.catalog import Catalog, CatalogError, ChartPin, Image, merge_values, mirror_name, nest_value, read

MIRROR = "registry.example/mirror"


def small(**changes):
    usual = {
        "charts": {
            "engine": ChartPin(
                name="engine",
                repository="https://charts.example",
                version="1.2.3",
                kube_version="",
                digest=None,
                pulls=(),
                images={"image.registry": "ghcr.io", "hook.image.repository": "docker.io/org/hook"},
            )
        },
        "images": {"spark": Image(repository="docker.io/apache/spark", tag="4.1", digest=None)},
        "values": {"engine": {"workers": 10, "image": {"pullPolicy": "Always"}}},
    }
    return Catalog(**{**usual, **changes})


def test_a_chart_comes_from_its_repository_at_its_version():
    source = small().source("engine")

    assert (source.chart, source.version, source.repository) == ("engine", "1.2.3", "https://charts.example")


def test_a_mirror_redirects_charts():
    source = small(mirror=MIRROR).source("engine")

    assert (source.chart, source.repository) == ("oci://registry.example/mirror/charts/engine", None)


def test_a_mirror_redirects_the_images_of_charts_and_of_our_own_manifests():
    catalog = small(mirror=MIRROR)

    values = catalog.release_values("engine", "engine", {})
    assert values["image"] == {"registry": "registry.example/mirror/ghcr.io", "pullPolicy": "Always"}
    assert values["hook"] == {"image": {"repository": "registry.example/mirror/docker.io/org/hook"}}
    assert catalog.image("spark") == "registry.example/mirror/docker.io/apache/spark:4.1"


def test_every_image_of_the_catalog_moves_to_the_mirror():
    catalog = read(mirror=MIRROR)

    assert all(catalog.image(name).startswith(MIRROR) for name in catalog.images)
    for release in catalog.values:
        chart = "opentelemetry-collector" if release.startswith("opentelemetry") else release
        assert MIRROR in str(catalog.release_values(release, chart, {}))


def test_a_name_that_a_chart_puts_together_of_two_values_gets_one_mirror():
    for pin in read().charts.values():
        registries = {path.removesuffix("registry") for path in pin.images if path.endswith("registry")}
        assert not [path for path in pin.images if path.removesuffix("repository") in registries], pin.name


def test_an_image_is_pinned_by_digest_where_it_is_known():
    image = Image(repository="docker.io/apache/spark", tag="4.1", digest="sha256:abc")

    assert image.reference == "docker.io/apache/spark:4.1@sha256:abc"


def test_the_program_overrides_the_file_and_the_environment_overrides_both():
    catalog = small(overrides={"engine": {"workers": 30}})

    values = catalog.release_values("engine", "engine", {"workers": 20, "replicas": 2})

    assert values["workers"] == 30
    assert values["replicas"] == 2


def test_an_override_for_a_release_that_is_not_there_is_refused_with_what_is_there():
    with pytest.raises(CatalogError, match=r"no release 'yunikron'; it has .*yunikorn"):
        read(overrides={"yunikron": {}})


def test_a_chart_that_is_not_there_is_refused_with_what_is_there():
    with pytest.raises(CatalogError, match="no chart 'enigne'; it has engine"):
        small().source("enigne")


def test_mappings_are_merged_and_lists_replaced():
    under = {"a": {"x": 1, "y": [1, 2]}, "b": 1}

    assert merge_values(under, {"a": {"y": [3]}, "b": {"z": 0}}) == {"a": {"x": 1, "y": [3]}, "b": {"z": 0}}
    assert under == {"a": {"x": 1, "y": [1, 2]}, "b": 1}


def test_a_path_becomes_nested_mappings():
    assert nest_value("a.b.c", 1) == {"a": {"b": {"c": 1}}}


def test_without_a_mirror_names_stay_as_they_are():
    assert mirror_name("ghcr.io/x", None) == "ghcr.io/x"


def test_every_chart_is_pinned_to_one_version(catalog):
    assert all(pin.version and pin.repository.startswith("https://") for pin in catalog.charts.values())
    assert all(image.tag not in ("", "latest") for image in catalog.images.values())
