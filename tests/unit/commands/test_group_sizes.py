import pytest

from commands.group_sizes import GroupSizes, after, follow_up, kept
from doctor.account import NoAnswer
from moka.machines.departure import Bounds
from stacks.settings.cluster import NodeGroup

FIXED = {
    f"driver-{zone}": Bounds(minimum=size, desired=size) for zone, size in zip("abc", (4, 4, 4), strict=True)
}


def bounds(*sizes):
    return {
        f"driver-{zone}": Bounds(minimum=minimum, desired=desired)
        for zone, (minimum, desired) in zip("abc", sizes, strict=True)
    }


def group(minimum, maximum, **more):
    return NodeGroup(
        role="executor",
        architecture="arm64",
        instance_types=["m7g.large"],
        minimum=minimum,
        maximum=maximum,
        **more,
    )


@pytest.mark.parametrize(
    ("sizes", "number", "minimums"),
    [
        # A fixed group stays as `up` shares it out over zones: 12 machines less 4 are 3, 3 and 2.
        ([(4, 4), (4, 4), (4, 4)], 4, [3, 3, 2]),
        # Half of that done, the rest is the same.
        ([(3, 3), (4, 4), (4, 4)], 3, [3, 3, 2]),
        # Where there is room above the minimum it stays.
        ([(1, 5), (1, 1), (1, 1)], 3, [1, 1, 1]),
        ([(1, 5), (1, 1), (1, 1)], 5, [1, 1, 0]),
        ([(0, 2), (0, 2), (0, 2)], 9, [0, 0, 0]),
    ],
)
def test_minimums_are_lowered_as_far_as_it_takes(sizes, number, minimums):
    assert [one.minimum for one in kept(bounds(*sizes), number).values()] == minimums


@pytest.mark.parametrize(
    ("settled", "sizes", "changes", "says"),
    [
        (
            group(12, 12),
            [(3, 3), (3, 3), (2, 2)],
            {"g.minimum": 8, "g.maximum": 8},
            "then leaves its machines as they are.",
        ),
        (group(12, 12, desired=12), [(3, 3), (3, 3), (2, 2)], {"g.minimum", "g.desired", "g.maximum"}, ""),
        (
            group(12, 12),
            [(1, 1), (3, 3), (4, 4)],
            {"g.minimum", "g.maximum"},
            "driver-a go from 1 to 3, driver-c",
        ),
        (
            group(3, 30),
            [(1, 1), (1, 1), (0, 0)],
            {"g.minimum": 2},
            "run `up` with ARGS=--refresh, which then",
        ),
        (
            group(
                3,
                30,
                schedule={
                    "night": {"cron": "0 1 * * *", "minimum": 9},
                    "day": {"cron": "0 9 * * *", "minimum": 1},
                },
            ),
            [(1, 1), (1, 1), (1, 1)],
            {"g.schedule.night.minimum": 3},
            "brings machines back: night sets the minimum to 9",
        ),
    ],
)
def test_the_settings_that_follow_are_named_with_what_up_does_then(settled, sizes, changes, says):
    follow = follow_up(settled, "g", bounds(*sizes))

    assert follow.settings.keys() == set(changes)
    assert not isinstance(changes, dict) or follow.settings == changes
    assert says in follow.sentence


@pytest.mark.parametrize(
    "settled",
    [group(12, 12), group(3, 30), group(3, 30, schedule={"day": {"cron": "0 9 * * *", "minimum": 12}})],
)
def test_settings_that_say_it_already_stay(settled):
    assert follow_up(settled, "g", FIXED) is None


def test_sizes_follow_the_machines_that_go():
    assert after(FIXED, {"driver-a": 1}) == {**FIXED, "driver-a": Bounds(minimum=3, desired=3)}


class Aws:
    """EKS and Auto Scaling with one managed group, as a place of the doctor asks them."""

    def __init__(self, minimum, desired, maximum, known=None, ends="Successful"):
        self.sizes = {"MinSize": minimum, "DesiredCapacity": desired, "MaxSize": maximum}
        self.known, self.ends, self.looks = known or [desired], ends, 0

    def items(self, service, operation, key, **parameters):
        tags = [{"Key": "eks:nodegroup-name", "Value": "driver"}]
        yield {**self.sizes, "Tags": tags, "Instances": []}

    def ask(self, service, operation, **parameters):
        if operation == "describe_update":
            self.looks += 1
            over = {"status": self.ends, "errors": [{"errorMessage": "no room"}]}
            return {"update": over if self.looks > 1 else {"id": "1", "status": "InProgress"}}
        scaling = parameters["scalingConfig"]
        known = self.known.pop(0) if len(self.known) > 1 else self.known[0]
        if scaling.get("maxSize", known) < known:
            raise NoAnswer("InvalidParameterException", f"desired capacity {known} can't be greater than max")
        self.looks = 0
        self.sizes |= {EKS_NAMES[name]: value for name, value in scaling.items()}
        return {"update": {"id": "1", "status": "InProgress"}}


EKS_NAMES = {"minSize": "MinSize", "maxSize": "MaxSize"}


@pytest.fixture
def group_sizes(monkeypatch):
    monkeypatch.setattr("commands.group_sizes.sleep", lambda _: None)
    monkeypatch.setattr("commands.machines_api.sleep", lambda _: None)

    def make(aws, *, fixed=True):
        messages = []
        return GroupSizes(
            place=aws, cluster="c", fixed=fixed, say=lambda *line: messages.append(line)
        ), messages

    return make


def test_a_minimum_makes_room_for_those_that_end_and_no_more(group_sizes):
    aws = Aws(4, 4, 4)
    sizes, messages = group_sizes(aws)

    sizes.make_room("driver", 1)
    sizes.make_room("driver", 1)

    assert (aws.sizes["MinSize"], messages) == (3, [("driver", 3, 4)])


def test_the_maximum_of_a_fixed_group_follows_once_eks_knows_its_size(group_sizes):
    aws = Aws(3, 3, 4, known=[4, 4, 3])
    sizes, messages = group_sizes(aws)

    sizes.close("driver")

    assert (aws.sizes["MaxSize"], messages) == (3, [("driver", 3, 3)])


def test_the_maximum_of_other_groups_stays(group_sizes):
    aws = Aws(3, 3, 9)
    sizes, messages = group_sizes(aws, fixed=False)

    sizes.close("driver")

    assert (aws.sizes["MaxSize"], messages) == (9, [])


def test_an_update_that_fails_is_said_with_the_reason_of_eks(group_sizes):
    sizes, _ = group_sizes(Aws(4, 4, 4, ends="Failed"))

    with pytest.raises(NoAnswer, match="UpdateNodegroupConfig of driver: Failed, no room"):
        sizes.make_room("driver", 1)
