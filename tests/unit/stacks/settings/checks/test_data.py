import pytest

from tests.support.wrong_settings import Changes

# The file is that of an environment named `wrong`.
USAGE = "moka-wrong-123456789012-us-east-1-resource-usage"
KEY = "arn:aws:kms:us-east-1:123456789012:key/11111111-2222-3333-4444-555555555555"

# What is changed in stacks/local.yaml, by its place there, and what the message has to say.
MISTAKES: dict[str, tuple[Changes, str]] = {
    "a grant to oneself": (
        {"grants": {"self": {"environment": "local", "account": "123456789012", "data": ["event-logs"]}}},
        "grants.self.environment: is 'local', this environment, which needs no grant; remove it.",
    ),
    "a bucket of one's own": (
        {
            "uses": {"mine": {"bucket": "moka-wrong-123456789012-us-east-1-event-logs"}},
            "job_namespaces.spark-jobs.uses": {"mine": "read"},
        },
        "uses.mine.bucket: is 'moka-wrong-123456789012-us-east-1-event-logs', a bucket of this environment",
    ),
    "what was used, without its key": (
        {"uses": {"usage": {"bucket": USAGE}}, "job_namespaces.spark-jobs.uses": {"usage": "read"}},
        "uses.usage.key: is missing; write the ARN of the foundation's key, which encrypts it.",
    ),
    "what was used, written by jobs": (
        {
            "uses": {"usage": {"bucket": USAGE, "key": KEY}},
            "job_namespaces.spark-jobs.uses": {"usage": "write"},
        },
        "job_namespaces.spark-jobs.uses.usage: is 'write', but what was used only the platform writes; write "
        "read.",
    ),
    "data that nobody has": (
        {"grants": {"x": {"environment": "dev", "account": "123456789012", "data": ["secrets"]}}},
        "grants.x.data.0: is 'secrets'; input should be 'event-logs',",
    ),
    "jobs in the list that are no longer there": (
        {"retention": {"event_logs": 3}},
        "retention.event_logs_hot: is 5, but event logs are kept for 3 days; lower it to 3 or less.",
    ),
    "more jobs in the list than a scan takes": (
        {"history.jobs_per_day": 300_000},
        "retention.event_logs_hot: is 5, which with history.jobs_per_day are 1,500,000 logs in the History "
        "Server's list, and a scan takes 1,000,000; lower it to 3: older ones open by their address.",
    ),
    "an upstream registry without credentials": (
        {"registry": {"foundation": "main", "pull_through": {"docker.io": {}}}},
        "registry.pull_through.docker.io.secret: is missing; docker.io needs credentials, in a "
        "secret whose name begins with ecr-pullthroughcache/.",
    ),
}


@pytest.mark.parametrize(("changes", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_refused_before_anything_is_registered(changes, expected, refusal):
    assert expected in refusal(changes)
