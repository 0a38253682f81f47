from components.kubernetes.priority_classes import CLASSES, PriorityClasses, PriorityClassesArgs
from moka.names import priority_class


def classes(deploy):
    made = deploy(lambda: PriorityClasses("spark-a", PriorityClassesArgs(classes=CLASSES)))
    return {
        each["metadata"]["name"]: each
        for each in made.inputs("kubernetes:scheduling.k8s.io/v1:PriorityClass")
    }


def test_a_more_critical_tier_goes_before_a_less_critical_one(deploy):
    made = classes(deploy)

    assert (
        made[priority_class(1)]["value"] > made[priority_class(2)]["value"] > made[priority_class(3)]["value"]
    )


def test_tier_one_is_the_last_that_yunikorn_preempts(deploy):
    allowed = {
        name: each["metadata"]["annotations"]["yunikorn.apache.org/allow-preemption"]
        for name, each in classes(deploy).items()
    }

    assert allowed == {priority_class(1): "false", priority_class(2): "true", priority_class(3): "true"}


def test_tier_three_pushes_nobody_out(deploy):
    assert classes(deploy)[priority_class(3)]["preemptionPolicy"] == "Never"


def test_no_class_is_taken_by_pods_that_do_not_ask(deploy):
    assert not any(each.get("globalDefault") for each in classes(deploy).values())
