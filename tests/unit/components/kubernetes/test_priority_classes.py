from moka.components.kubernetes.priority_classes import CLASSES, PriorityClasses, PriorityClassesArgs
from moka.names import priority_class


def classes(deploy):
    stack = deploy(lambda: PriorityClasses("spark-a", PriorityClassesArgs(classes=CLASSES)))
    return {
        priority_class["metadata"]["name"]: priority_class
        for priority_class in stack.inputs("kubernetes:scheduling.k8s.io/v1:PriorityClass")
    }


def test_a_more_critical_tier_goes_before_a_less_critical_one(deploy):
    by_name = classes(deploy)

    first, second, third = (by_name[priority_class(tier)]["value"] for tier in (1, 2, 3))
    assert first > second > third


def test_tier_one_is_the_last_that_yunikorn_preempts(deploy):
    allowed = {
        name: priority_class["metadata"]["annotations"]["yunikorn.apache.org/allow-preemption"]
        for name, priority_class in classes(deploy).items()
    }

    assert allowed == {priority_class(1): "false", priority_class(2): "true", priority_class(3): "true"}


def test_pods_of_every_tier_may_have_others_preempted_for_them(deploy):
    policies = {one["preemptionPolicy"] for one in classes(deploy).values()}
    assert policies == {"PreemptLowerPriority"}


def test_no_class_is_taken_by_pods_that_do_not_ask(deploy):
    assert not any(priority_class.get("globalDefault") for priority_class in classes(deploy).values())
