"""What people write into files that are kept in Git, and must not."""

import pytest
import yaml

from moka.jobs import job_file
from moka.mistakes import InvalidDocument
from moka.plain_secrets import plain_secrets
from stacks import settings
from tests.support.planted_secrets import planted

CORE = planted("key of Grafana").core

# Put together here, so that no scanner takes this file for one that has secrets.
SECRETS = {
    "an access key of AWS": "AKIA" + "Z" * 16,
    "a private key": "-----BEGIN " + f"RSA PRIVATE KEY-----\n{CORE}",
    "a token of GitHub": f"github_pat_{CORE}",
    "a token of GitLab": f"glpat-{CORE}",
    "a token of Grafana": f"glsa_{CORE}",
    "a token of Pulumi": "pul-" + "0a" * 20,
    "a token of Slack": "xoxb-" + CORE,
    "a webhook": f"https://hooks.slack.com/services/T0/B0/{CORE}",
    "a signed token": f"eyJ{CORE}.eyJ{CORE}.{CORE}",
    "a password in an address": f"https://me:{CORE}@metrics.example.com/otlp",
    "a key in an address": f"https://metrics.example.com/otlp?a=b&token={CORE}",
}

LOCAL = settings.reading.path_of("local").read_text()
PLACES = {
    "ingress.login.issuer": lambda text: {"ingress": {"login": {"issuer": text}}},
    "metrics.destination.otlp.endpoint": lambda text: {
        "metrics": {"destination": {"otlp": {"endpoint": text}}}
    },
    "charts.values.traefik.adminKeys.0": lambda text: {
        "charts": {"values": {"traefik": {"adminKeys": [text]}}}
    },
    "webhook": lambda text: {"webhook": text},
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("sort", SECRETS)
def test_a_secret_in_the_settings_is_refused_by_its_place_and_not_shown(sort, place):
    document = {**yaml.safe_load(LOCAL), **PLACES[place](SECRETS[sort])}

    with pytest.raises(InvalidDocument) as refused:
        settings.parse(yaml.safe_dump(document), "stacks/local.yaml")

    [sentence] = str(refused.value).splitlines()
    assert sentence.startswith(f"stacks/local.yaml: {place}: has {sort}")
    assert "put it into Secrets Manager or a Secret" in sentence
    assert CORE not in sentence and SECRETS[sort] not in sentence


@pytest.mark.parametrize(
    "text",
    [
        "https://metrics.example.com/otlp?tenant=spark",
        "arn:aws:secretsmanager:us-east-1:123456789012:secret:ecr-pullthroughcache/hub-AbCdEf",
        "https://id.acme.example:8443/realms/spark",
        "123456789012.dkr.ecr.us-east-1.amazonaws.com/spark@sha256:" + "0a" * 32,
        "jdbc:postgresql://db.example:5432/orders?user=etl",
        "s3a://bucket/key=value/part",
    ],
)
def test_what_only_names_a_secret_or_looks_like_one_is_taken(text):
    assert not [*plain_secrets({"a": [text]})]


def test_a_secret_in_a_job_file_is_refused_before_it_is_read():
    text = f"name: pi\narguments: [--url, {SECRETS['a password in an address']!r}]\n"

    with pytest.raises(
        InvalidDocument, match=r"^pi\.yaml: arguments\.1: has a password in an address in plain"
    ):
        job_file.read(text, "pi.yaml")
