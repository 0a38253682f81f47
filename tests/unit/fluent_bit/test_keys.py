"""Every key of Fluent Bit's configuration, held against its manual; the program itself is not run here."""

import copy

import pytest

from tests.support.fluent_bit_keys import mistakes


def test_fluent_bit_knows_every_key_and_takes_every_value(configuration):
    assert list(mistakes(configuration)) == []


def test_scripts_and_parsers_that_are_named_are_there(configuration, script):
    parsers = {parser["name"] for parser in configuration["parsers"]}
    multiline = {parser["name"] for parser in configuration["multiline_parsers"]} | {"cri"}
    inputs = configuration["pipeline"]["inputs"]
    processors = [one for section in inputs for one in section.get("processors", {}).get("logs", ())]

    assert {section["multiline.parser"] for section in inputs if "multiline.parser" in section} <= multiline
    assert {processor["regex_parser"] for processor in processors if "regex_parser" in processor} <= parsers
    assert all(f"function {one['call']}(" in script for one in processors if one["name"] == "lua")


def test_what_is_in_memory_at_most_is_less_than_the_limit_of_its_container(configuration, catalog):
    service = configuration["service"]
    files = [output for output in configuration["pipeline"]["outputs"] if output["name"] == "s3"]

    # A chunk has 2 MiB; a file is there once more as it is compressed (plugins/out_s3/s3.c, s3_upload_file).
    chunks = service["storage.max_chunks_up"] * 2
    uploads = sum(int(file["total_file_size"].removesuffix("M")) * file["workers"] for file in files) * 2
    limit = catalog.values["fluent-bit"]["resources"]["limits"]["memory"]
    assert chunks + uploads < int(limit.removesuffix("Mi"))


def test_states_of_the_traces_are_those_that_rules_go_on_to(configuration):
    [traces] = configuration["multiline_parsers"]

    states = {rule["state"] for rule in traces["rules"]}
    assert states == {"start_state"} | {rule["next_state"] for rule in traces["rules"]}


def changed(configuration, section, number, key, value):
    """The configuration with one other key of a section."""
    other = copy.deepcopy(configuration)
    where = other["pipeline"][section][number] if section != "service" else other["service"]
    where[key] = value
    return other


@pytest.mark.parametrize(
    ("section", "number", "key", "value", "mistake"),
    [
        ("service", 0, "grase", 10, "service: unknown key grase"),
        ("service", 0, "health_check", "On", "service: health_check cannot be 'On'"),
        ("inputs", 0, "Skip_Long_Lines", True, "input jobs: unknown key Skip_Long_Lines"),
        ("inputs", 0, "name", "tial", "input tial: unknown plugin"),
        ("inputs", 0, "tag_regex", "(?<a>", "input jobs: tag_regex cannot be '(?<a>'"),
        ("outputs", 0, "retry_limit", 2**31, "output drivers: retry_limit cannot be 2147483648"),
        ("outputs", 0, "upload_timeout", "1m30s", "output drivers: upload_timeout cannot be '1m30s'"),
        ("outputs", 0, "match", "*", "output drivers: has not one of match and match_regex"),
        ("outputs", 0, "log_key", "log", "output drivers: unknown key log_key"),
        ("outputs", 0, "store_dir", "/tmp/s3", "output drivers: store_dir cannot be '/tmp/s3'"),
    ],
)
def test_a_wrong_key_or_value_is_noticed(configuration, section, number, key, value, mistake):
    assert mistake in list(mistakes(changed(configuration, section, number, key, value)))
