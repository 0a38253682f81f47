from moka.queues import Queue, QueueTree, Resources
from moka.queues.bounds import maxima


def test_a_leaf_has_no_more_than_what_is_above_it():
    tree = QueueTree(
        organizations=(
            Queue(
                name="analytics",
                maximum=Resources.of(cpu="100", memory="1Ti"),
                queues=(
                    Queue(
                        name="reports",
                        maximum=Resources.of(cpu="40"),
                        queues=(
                            Queue(name="tier1", maximum=Resources.of(cpu="60", memory="512Gi")),
                            Queue(name="tier2"),
                        ),
                    ),
                ),
            ),
            Queue(name="science", queues=(Queue(name="models", queues=(Queue(name="tier3"),)),)),
        )
    )

    assert maxima(tree) == {
        "root.analytics.reports.tier1": {"cpu": "40", "memory": "512Gi"},
        "root.analytics.reports.tier2": {"cpu": "40", "memory": "1Ti"},
        "root.science.models.tier3": {},
    }
