from moka.allocation import queue_document
from moka.allocation.percentile import allocate
from moka.queues import queue_file
from moka.queues.resolution import resolve
from tests.unit.moka.allocation.worked import QUEUES, cluster, worked_curves

BASE = """
format: moka-queues/1
organizations:
  acme:
    weight: 3
    maximum: {percent: 90}
    projects:
      etl:
        guaranteed: {cpu: "30", memory: 100Gi}
        tiers:
          1: {weight: 2, limits: [{users: ["*"], max_applications: 3}]}
          2: {guaranteed: {cpu: "1", memory: 1Gi}}
          3: {maximum: {cpu: "3"}}
  ml:
    projects:
      lab:
        tiers:
          3: {weight: 1}
"""


def allocated(instances=10, queues=QUEUES):
    base = queue_file.loads(BASE, "base.yaml")
    capacity = cluster(instances).capacity
    tree, _ = resolve(base, capacity)
    allocation = allocate(
        cluster(instances), queues, worked_curves(), limits=list(queue_document.limits(tree))
    )
    return queue_document.queues(base, allocation)


def test_amounts_are_the_allocations_and_the_rest_is_as_it_was():
    text = queue_file.dumps(allocated())

    assert queue_file.loads(text, "plan.yaml") == allocated()
    assert (
        text
        == """\
format: moka-queues/1
organizations:
  acme:
    maximum:
      percent: 90
    projects:
      etl:
        tiers:
          "1":
            guaranteed:
              cpu: "20"
              memory: "40Gi"
            max_applications: 12
            limits:
            - users:
              - "*"
              max_applications: 3
          "2":
            guaranteed:
              cpu: "12"
              memory: "24Gi"
            max_applications: 10
          "3":
            guaranteed:
              cpu: "3"
              memory: "6Gi"
            maximum:
              cpu: "3"
            max_applications: 13
  ml:
    projects:
      lab:
        tiers:
          "3":
            weight: 1
"""
    )


def test_the_queues_are_such_as_a_scheduler_takes():
    whole = allocated(queues=[*QUEUES, "root.ml.lab.tier3"])

    assert queue_document.mistakes(whole, cluster(10)) == []


def test_a_queue_for_which_nothing_is_left_is_guaranteed_nothing():
    tiers = allocated(4).organizations["acme"].projects["etl"].tiers

    assert tiers[3].guaranteed is None
    assert queue_document.mistakes(allocated(4, [*QUEUES, "root.ml.lab.tier3"]), cluster(4)) == []


def test_queues_that_cannot_be_are_told():
    [mistake] = queue_document.mistakes(allocated(), cluster(10))

    assert mistake.startswith("queues.organizations.ml.projects.lab.tiers.3.weight: is a share of")
