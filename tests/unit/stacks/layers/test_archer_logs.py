"""Layer archer: the service may read the logs of jobs, where each cluster has them."""

from moka.submission.configuration import DatabaseAccess
from stacks.archer import keeper_configuration, service_configuration, worker_configuration
from stacks.layers import archer
from stacks.sharing import sharing
from tests.support.sites import make_site
from tests.support.two_accounts import OTHER, in_two_accounts

DATABASE = DatabaseAccess(url="postgresql://archer@localhost/archer")


def test_the_service_is_told_where_the_logs_of_each_cluster_are_and_nobody_else_is():
    environment = in_two_accounts()
    logs = service_configuration(environment, environment.archer, DATABASE).logs

    assert {name: (place.bucket, place.region, place.folder) for name, place in logs.items()} == {
        "spark-a": ("moka-local-123456789012-us-east-1-job-logs", "us-east-1", "moka-local-spark-a"),
        "spark-b": (f"moka-local-{OTHER}-us-west-2-job-logs", "us-west-2", "moka-local-spark-b"),
    }
    assert logs["spark-a"].drivers_behind_seconds == environment.logs.drivers_behind_seconds
    assert not worker_configuration(environment, environment.archer, DATABASE).logs
    assert not keeper_configuration(environment, DATABASE).logs


def test_it_may_find_and_read_them_and_their_owner_lets_it(deploy):
    environment = in_two_accounts()
    made = []

    def program():
        site = make_site("spark-a", environment, read=lambda _, kind: _outputs(kind))
        made.extend(archer.log_statements(environment, archer.inputs(site)))

    deploy(program)
    by_action = {}
    for statement in made:
        for action in statement.actions:
            by_action.setdefault(action, set()).update(map(str, statement.resources))
    assert set(by_action) == {"s3:ListBucket", "s3:GetObject", "kms:Decrypt"}
    assert len({statement.sid for statement in made}) == len(made) == 6
    [read] = sharing(environment, "away", "job-logs").grants.items()
    assert (read[0].account_id, read[0].path, read[1]) == ("123456789012", "/moka-local/", "read")
    assert sharing(environment, "main", "job-logs").grants == {}


def _outputs(kind):
    return kind(**{name: name for name in kind.__dataclass_fields__})
