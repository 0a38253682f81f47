from moka.queues.config_map import in_force, keeper_queues, pack


def config_map(base="base", value=None):
    return {
        "data": {"queues.yaml": base},
        **({} if value is None else {"binaryData": {"queues.yaml.gz": value}}),
    }


def test_what_is_kept_comes_before_the_settings():
    assert (keeper_queues(config_map()), in_force(config_map())) == (None, "base")
    assert (keeper_queues(config_map(value=pack("kept"))), in_force(config_map(value=pack("kept")))) == (
        "kept",
        "kept",
    )
    assert in_force({}) is None


def test_what_cannot_be_unpacked_is_passed_over_as_the_scheduler_does():
    for broken in ("not base64", "aGVsbG8=", pack("kept")[:20]):
        assert (keeper_queues(config_map(value=broken)), in_force(config_map(value=broken))) == ("", "base")


def test_equal_text_is_packed_equally():
    assert pack("kept" * 1000) == pack("kept" * 1000)
