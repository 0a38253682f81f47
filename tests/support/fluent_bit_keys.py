"""The keys of Fluent Bit 5.1 that we use, and what they take, from its manual.

Fluent Bit is not run here: what it would refuse, or not read, has to be noticed by these tables. Each names
its page below https://docs.fluentbit.io/manual/ (source: fluent/fluent-bit-docs).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple


def _is(pattern: str) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str | int) and re.fullmatch(pattern, str(value)) is not None


def boolean(value: object) -> bool:
    """YAML's own, which are `true` and `false` when written."""
    return isinstance(value, bool)


def number(value: object) -> bool:
    """A whole number, one that an int of C holds."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def as_python(pattern: str) -> str:
    """A pattern of Onigmo's; what we use of it is Python's, but for how groups are named."""
    return re.sub(r"\(\?<(?=[a-z])", "(?P<", pattern)


def regex(value: object) -> bool:
    """A pattern."""
    try:
        re.compile(as_python(str(value).strip("/")))
    except re.error:
        return False
    return isinstance(value, str)


size, seconds = _is(r"\d+[KMGkmg]?"), _is(r"\d+[smhd]?")
text, path = _is(r"(?s).+"), _is(r"/var/lib/fluent-bit/[\w.-]+")


def field_and_regex(value: object) -> bool:
    """`<key> <pattern>`."""
    return isinstance(value, str) and value.count(" ") >= 1 and regex(value.split(" ", 1)[1])


def one_of(*words: str) -> Callable[[object], bool]:
    """One of these."""
    return lambda value: value in words


class Section(NamedTuple):
    """What one kind of section takes. needed: keys that it cannot be without."""

    page: str
    keys: Mapping[str, Callable[[Any], bool]]
    needed: frozenset[str] = frozenset()


SERVICE = Section(
    "administration/configuring-fluent-bit/yaml/service-section",
    {
        "flush": number,
        "grace": number,
        "log_level": one_of("error", "warn", "info", "debug"),
        "http_server": boolean,
        "http_listen": text,
        "http_port": number,
        "health_check": boolean,
        "storage.path": path,
        "storage.sync": one_of("normal", "full"),
        "storage.checksum": boolean,
        "storage.metrics": boolean,
        "storage.max_chunks_up": number,
        "storage.backlog.mem_limit": size,
        "storage.delete_irrecoverable_chunks": boolean,
        "scheduler.base": number,
        "scheduler.cap": number,
        "multiline_buffer_limit": size,
        "json.escape_unicode": boolean,
    },
)
PARSER = Section(
    "pipeline/parsers/configuring-parser",
    {"name": text, "format": one_of("regex", "json"), "regex": regex},
    frozenset({"name", "format", "regex"}),
)
MULTILINE_PARSER = Section(
    "pipeline/parsers/multiline-parsing",
    {
        "name": text,
        "type": one_of("regex"),
        "flush_timeout": number,
        "rules": lambda rules: isinstance(rules, list),
    },
    frozenset({"name", "type", "flush_timeout", "rules"}),
)
RULE = Section(
    "pipeline/parsers/multiline-parsing",
    {"state": text, "regex": regex, "next_state": text},
    frozenset({"state", "regex", "next_state"}),
)

_INPUT = {"name": text, "alias": text, "tag": text, "storage.type": one_of("filesystem")}
_ON_DISK = frozenset({"name", "alias", "tag", "db", "storage.type"})
INPUTS = {
    "tail": Section(
        "pipeline/inputs/tail",
        {
            **_INPUT,
            "path": text,
            "exclude_path": text,
            "tag_regex": regex,
            "multiline.parser": text,
            "db": path,
            "db.locking": boolean,
            "read_from_head": boolean,
            "refresh_interval": number,
            "rotate_wait": seconds,
            "buffer_chunk_size": size,
            "buffer_max_size": size,
            "skip_long_lines": boolean,
            "processors": lambda value: set(value) == {"logs"},
        },
        _ON_DISK | {"path", "read_from_head"},
    ),
    "systemd": Section(
        "pipeline/inputs/systemd",
        {**_INPUT, "systemd_filter": _is(r"_[A-Z_]+=\S+"), "db": path, "read_from_tail": boolean},
        _ON_DISK | {"systemd_filter", "read_from_tail"},
    ),
    "fluentbit_logs": Section("pipeline/inputs/fluentbit-logs", _INPUT, frozenset({"name", "tag"})),
}
FILTERS = {
    "lua": Section("pipeline/filters/lua", {"name": text, "script": text, "call": text}),
    "kubernetes": Section(
        "pipeline/filters/kubernetes",
        {
            "name": text,
            "kube_tag_prefix": text,
            "regex_parser": text,
            "use_kubelet": boolean,
            "kubelet_host": text,
            "kubelet_port": number,
            "tls.verify": boolean,
            "buffer_size": size,
            "labels": boolean,
            "annotations": boolean,
            "merge_log": boolean,
            "keep_log": boolean,
            "k8s-logging.parser": boolean,
            "k8s-logging.exclude": boolean,
            "cache_use_docker_id": boolean,
            "kube_meta_cache_ttl": seconds,
        },
    ),
    "rewrite_tag": Section(
        "pipeline/filters/rewrite-tag", {"name": text, "rule": lambda value: len(value.split()) == 4}
    ),
    "record_modifier": Section("pipeline/filters/record-modifier", {"name": text, "remove_key": text}),
    "grep": Section("pipeline/filters/grep", {"name": text, "regex": field_and_regex}),
    "log_to_metrics": Section(
        "pipeline/filters/log_to_metrics",
        {
            "name": text,
            "match": text,
            "tag": text,
            "metric_mode": one_of("counter"),
            "metric_name": _is(r"[a-z_]+"),
            "metric_description": text,
            "regex": field_and_regex,
            "flush_interval_sec": number,
            "discard_logs": boolean,
        },
        frozenset({"match", "tag", "metric_mode", "metric_name", "metric_description", "regex"}),
    ),
}
OUTPUTS = {
    "s3": Section(
        "pipeline/outputs/s3",
        {
            "name": text,
            "alias": text,
            "match": text,
            "match_regex": regex,
            "bucket": _is(r"[a-z0-9.-]{3,63}"),
            "region": _is(r"[a-z]+(-[a-z]+)+-\d"),
            "s3_key_format": _is(r"/.+"),
            "s3_key_format_tag_delimiters": text,
            "json_date_key": boolean,
            "compression": one_of("gzip"),
            "use_put_object": boolean,
            "total_file_size": size,
            "upload_timeout": seconds,
            "store_dir": path,
            "store_dir_limit_size": size,
            "storage.total_limit_size": size,
            "preserve_data_ordering": boolean,
            "retry_limit": number,
            "retry_exhausted_action": one_of("quarantine", "delete"),
            "quarantine_dir_limit_size": size,
            "auto_retry_requests": boolean,
            "workers": number,
            "net.connect_timeout": seconds,
            "net.io_timeout": seconds,
        },
        frozenset({"alias", "bucket", "region", "s3_key_format", "store_dir", "store_dir_limit_size"}),
    ),
    "prometheus_exporter": Section(
        "pipeline/outputs/prometheus-exporter",
        {"name": text, "alias": text, "match": text, "host": text, "port": number},
    ),
}


def mistakes(configuration: Mapping[str, Any]) -> Iterator[str]:
    """What Fluent Bit would not know, or would take for something else, each as a clause."""
    pipeline = configuration["pipeline"]
    for key in configuration.keys() - {"service", "parsers", "multiline_parsers", "pipeline"}:
        yield f"{key}: unknown section"
    for key in pipeline.keys() - {"inputs", "filters", "outputs"}:
        yield f"pipeline.{key}: unknown section"
    yield from _of(SERVICE, configuration["service"], "service")
    for parser in configuration["parsers"]:
        yield from _of(PARSER, parser, "parser")
    for parser in configuration["multiline_parsers"]:
        yield from _of(MULTILINE_PARSER, parser, "multiline parser")
        for rule in parser.get("rules", ()):
            yield from _of(RULE, rule, "rule")
    for section in pipeline["inputs"]:
        yield from _plugin(INPUTS, section, "input")
        for processor in section.get("processors", {}).get("logs", ()):
            yield from _plugin(FILTERS, processor, "processor")
    for section in pipeline["filters"]:
        yield from _plugin(FILTERS, section, "filter")
    for section in pipeline["outputs"]:
        yield from _plugin(OUTPUTS, section, "output")
        if len(section.keys() & {"match", "match_regex"}) != 1:
            yield f"output {section.get('alias')}: has not one of match and match_regex"


def _plugin(known: Mapping[str, Section], section: Mapping[str, Any], kind: str) -> Iterator[str]:
    name = section.get("name")
    if name not in known:
        yield f"{kind} {name}: unknown plugin"
    else:
        yield from _of(known[name], section, f"{kind} {section.get('alias', name)}")


def _of(known: Section, section: Mapping[str, Any], where: str) -> Iterator[str]:
    for key in sorted(known.needed - section.keys()):
        yield f"{where}: lacks {key}"
    for key, value in section.items():
        if key not in known.keys:
            yield f"{where}: unknown key {key}"
        elif not known.keys[key](value):
            yield f"{where}: {key} cannot be {value!r}"
