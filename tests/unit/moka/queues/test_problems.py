import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from localcloud import tools
from moka.queues import POLICIES, Limit, Queue, QueueTree, Resources, queues_yaml
from moka.queues.problems import problems


def amount(cpu=None, memory=None):
    return Resources.of(cpu=cpu, memory=memory)


def tier(number=2, **settings):
    return Queue(name=f"tier{number}", policy=POLICIES[number], **settings)


def tree(*tiers, organization=None, project=None):
    """One organization with one project, `root.o.p`."""
    within = Queue(name="p", queues=tiers or (tier(),), **(project or {}))
    return QueueTree(organizations=(Queue(name="o", queues=(within,), **(organization or {})),))


def nested(levels):
    """Queues within each other."""
    queue = tier()
    for number in range(levels - 1):
        queue = Queue(name=f"q{number}", queues=(queue,))
    return QueueTree(organizations=(queue,))


U = Limit(users=("u",), max_applications=5)

# A tree, and what has to be said of it: all of it.
WRONG = {
    "no queues": (QueueTree(), ["root: has no queues, so no job could run; add one"]),
    "guaranteed above the maximum": (
        tree(tier(guaranteed=amount("9"), maximum=amount("8"))),
        ["root.o.p.tier2: guaranteed.cpu is 9, more than the maximum of 8; lower it"],
    ),
    "a maximum above the parent's": (
        tree(tier(maximum=amount("9")), project={"maximum": amount("8500m")}),
        ["root.o.p.tier2: maximum.cpu is 9, more than the maximum of root.o.p, 8500m; lower it"],
    ),
    "a maximum above that of the parent's parent": (
        tree(tier(maximum=amount(memory="2Ti")), organization={"maximum": amount("8", "1Ti")}),
        ["root.o.p.tier2: maximum.memory is 2Ti, more than the maximum of root.o, 1Ti; lower it"],
    ),
    "children over their parent": (
        tree(
            tier(1, guaranteed=amount("5")),
            tier(2, guaranteed=amount("4")),
            project={"guaranteed": amount("8")},
        ),
        ["root.o.p: guaranteed.cpu is 8, less than its queues are guaranteed in total, 9; raise it"],
    ),
    "children over the maximum of their parent's parent": (
        tree(
            tier(1, guaranteed=amount("5")),
            tier(2, guaranteed=amount("4")),
            organization={"maximum": amount("8")},
        ),
        ["root.o: maximum.cpu is 8, less than its queues are guaranteed in total, 9; raise it"],
    ),
    "nothing promised": (
        tree(tier(guaranteed=amount("0"))),
        ["root.o.p.tier2: guaranteed.cpu is 0; make it more than zero, or remove it"],
    ),
    "less than nothing": (
        tree(tier(maximum=Resources(memory=-1))),
        ["root.o.p.tier2: maximum.memory is -1; make it more than zero, or remove it"],
    ),
    "no jobs at all": (
        tree(project={"max_applications": 0}),
        ["root.o.p: max_applications is 0, so no job could run; allow at least one, or remove it"],
    ),
    "more jobs than the parent": (
        tree(tier(max_applications=9), organization={"max_applications": 8}),
        ["root.o.p.tier2: max_applications is 9, more than the 8 of root.o; lower it, or raise the other"],
    ),
    "jobs of other tiers than the first that nothing bounds, below a bound": (
        tree(tier(1), tier(2), tier(3, max_applications=2), organization={"max_applications": 8}),
        [
            "root.o: max_applications is 8, but its queues of tiers 2 and 3 may run as many jobs as come, so "
            "that none of tier 1 would start; give those at most 7 in total, or remove it here"
        ],
    ),
    "jobs of other tiers that fill a bound": (
        tree(
            tier(1), tier(2, max_applications=5), tier(3, max_applications=3), project={"max_applications": 8}
        ),
        ["root.o.p: max_applications is 8, but its queues of tiers 2 and 3 may run 8 jobs, so that none of"],
    ),
    "a bound in a bound, of which only the inner one is too low": (
        tree(tier(1), tier(3), project={"max_applications": 4}, organization={"max_applications": 9}),
        ["root.o.p: max_applications is 4, but its queues of tiers 2 and 3 may run as many jobs as come, so"],
    ),
    "jobs of other tiers of a user that nothing bounds, below a limit": (
        tree(tier(1), tier(2), tier(3), organization={"limits": (Limit(users=("*",), max_applications=5),)}),
        [
            "root.o: limits.0.max_applications is 5, but user '*' may run as many jobs as come in queues of "
            "tiers 2 and 3, so that none of tier 1 would start; allow at most 4 in total there, or set "
            "limits there only"
        ],
    ),
    "jobs of other tiers of a user that fill a limit": (
        tree(
            tier(1),
            tier(2, max_applications=9, limits=(replace(U, max_applications=3),)),
            tier(3, max_applications=2),
            project={"limits": (U,)},
        ),
        ["root.o.p: limits.0.max_applications is 5, but user 'u' may run 5 jobs in queues of tiers 2 and 3"],
    ),
    "a user of whom only a queue further down knows": (
        tree(
            tier(1),
            tier(
                3,
                limits=(Limit(users=("*",), max_applications=4), replace(U, max_applications=5)),
            ),
            project={"limits": (Limit(users=("*",), max_applications=5),)},
        ),
        ["root.o.p: limits.0.max_applications is 5, but user 'u' may run 5 jobs in queues of tiers 2 and 3"],
    ),
    "what a group may have in other tiers fills a limit": (
        tree(
            tier(1, guaranteed=amount("1")),
            tier(2, maximum=amount("3", "9Gi"), limits=(Limit(groups=("g",), maximum=amount("2")),)),
            tier(3, maximum=amount("2", "1Gi")),
            organization={"limits": (Limit(groups=("g",), maximum=amount("4", "16Gi")),)},
        ),
        [
            "root.o: limits.0.maximum.cpu is 4, but group 'g' may have 4 in queues of tiers 2 and 3, so that "
            "nothing would be left to tier 1, for which nothing is preempted then; allow less in total "
            "there, or set limits there only"
        ],
    ),
    "what a user may have in other tiers that nothing bounds": (
        tree(tier(1), tier(3), project={"limits": (Limit(users=("u",), maximum=amount("4")),)}),
        ["root.o.p: limits.0.maximum.cpu is 4, but user 'u' may have all of it in queues of tiers 2 and 3"],
    ),
    "a limit in a limit, of which only the inner one is too low": (
        tree(tier(1), tier(3), project={"limits": (U,)}, organization={"limits": (U,)}),
        ["root.o.p: limits.0.max_applications is 5, but user 'u' may run as many jobs as come in queues of"],
    ),
    "a name that is there twice": (
        QueueTree(organizations=tree().organizations * 2),
        ["root.o: is listed 2 times, upper and lower case being the same; rename or merge them"],
    ),
    "a name that is there in upper case, too": (
        tree(replace(tier(), name="TIER2"), tier()),
        [
            "root.o.p.TIER2: has a name with illegal characters; use lower case, digits, dashes",
            "root.o.p.tier2: is listed 2 times, upper and lower case being the same; rename or merge them",
            "root.o.p.TIER2: is not a tier; the tiers are tier1, tier2, tier3",
        ],
    ),
    "a name with a dot": (
        QueueTree(organizations=(replace(tree().organizations[0], name="a.b"),)),
        ["root.a.b: has a name with illegal characters; use lower case"],
    ),
    "a name that no label holds": (
        QueueTree(organizations=(replace(tree().organizations[0], name="o" * 60),)),
        [f"root.{'o' * 60}.p.tier2: has 73 characters, but a job's label holds 63; shorten the names"],
    ),
    "a fourth tier": (
        tree(replace(tier(), name="tier4")),
        ["root.o.p.tier4: is not a tier; the tiers are tier1, tier2, tier3"],
    ),
    "a tier without a policy": (
        tree(Queue(name="tier1")),
        ["root.o.p.tier1: policy is missing; every tier has one"],
    ),
    "a tier that waits for nothing": (
        tree(replace(tier(), policy=replace(POLICIES[2], delay_seconds=0))),
        ["root.o.p.tier2: policy.delay_seconds is 0; it must be above zero"],
    ),
    "a project without tiers": (
        QueueTree(organizations=(Queue(name="o", queues=(Queue(name="p"),)),)),
        ["root.o.p: has no tier; add one, or remove it"],
    ),
    "a hundred levels": (
        nested(100),
        ["root.q98.q97.q96: has queues below it, but queues are only organization, project, tier; remove"],
    ),
    "a limit of nobody": (
        tree(tier(limits=(Limit(max_applications=1),))),
        ["root.o.p.tier2: limits.0 names no users or groups; name some, or '*' for all others"],
    ),
    "a limit of nothing": (
        tree(tier(limits=(Limit(users=("u",)),))),
        ["root.o.p.tier2: limits.0 limits nothing; set max_applications, maximum or both"],
    ),
    "somebody limited twice": (
        tree(tier(limits=(U, U))),
        ["root.o.p.tier2: limits list user 'u' 2 times; merge them"],
    ),
    "somebody that cannot be": (
        tree(tier(limits=(Limit(groups=("a b", "c"), max_applications=1),))),
        ["root.o.p.tier2: limits name 'a b', which cannot be a group of YuniKorn"],
    ),
    "all groups and none by name": (
        tree(tier(limits=(Limit(groups=("*",), max_applications=1),))),
        ["root.o.p.tier2: limits have '*' as their only group; name a group"],
    ),
    "a limit above the queue": (
        tree(
            tier(limits=(replace(U, maximum=amount("9")),)),
            project={"maximum": amount("8"), "max_applications": 4},
        ),
        [
            "root.o.p.tier2: limits.0.max_applications is 5, more than the 4 of root.o.p; lower it",
            "root.o.p.tier2: limits.0.maximum.cpu is 9, more than the maximum of root.o.p, 8; lower it",
        ],
    ),
    "a limit above that of everybody further up": (
        tree(tier(limits=(U,)), organization={"limits": (Limit(users=("*",), max_applications=4),)}),
        ["root.o.p.tier2: limits.0.max_applications is 5, more than the 4 of user '*' in root.o; lower it"],
    ),
    "a limit that forgets how many jobs": (
        tree(tier(limits=(Limit(users=("u",), maximum=amount("1")),)), project={"limits": (U,)}),
        ["root.o.p.tier2: limits.0 has no max_applications for user 'u', but user 'u' in root.o.p has at"],
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_told_once_with_what_to_do(what):
    tree, sentences = WRONG[what]

    messages = [str(problem) for problem in problems(tree)]

    assert len(messages) == len(sentences), messages
    assert all(map(str.__contains__, messages, sentences)), messages


@pytest.mark.parametrize(
    "valid",
    [
        tree(tier(2), tier(3), organization={"max_applications": 8}),
        tree(tier(1), organization={"max_applications": 8}),
        tree(tier(1), tier(3, max_applications=7), organization={"max_applications": 8}),
        tree(tier(1), tier(2, max_applications=7), tier(3, max_applications=9)),
        tree(tier(2), tier(3), organization={"limits": (U,)}),
        tree(tier(1, limits=(U,)), tier(3, limits=(U,))),
        tree(
            tier(1),
            tier(3, limits=(replace(U, max_applications=4, maximum=amount("3")),)),
            organization={"limits": (replace(U, maximum=amount("4")),)},
        ),
        tree(tier(1), tier(3, max_applications=4), organization={"limits": (U,)}),
        tree(
            tier(1),
            tier(3, maximum=amount("3")),
            organization={"limits": (Limit(users=("*",), maximum=amount("4")),)},
        ),
    ],
    ids=[
        "no tier 1",
        "only tier 1",
        "a bound that leaves room",
        "no bound above",
        "a limit and no tier 1",
        "limits of tiers",
        "a limit that leaves room",
        "jobs of a queue that leave room in a limit",
        "a maximum of a queue that leaves room in a limit",
    ],
)
def test_a_bound_that_leaves_room_for_tier_1_is_no_problem(valid):
    assert list(problems(valid)) == []


def test_what_the_parent_says_nothing_of_is_not_held_to_it():
    valid = tree(
        tier(1, guaranteed=amount("5", "9Gi")),
        tier(
            2, guaranteed=amount("4", "9Gi"), maximum=amount(memory="99Gi"), max_applications=3, limits=(U,)
        ),
        organization={"guaranteed": amount("9"), "maximum": amount("20")},
    )

    assert [str(problem) for problem in problems(valid) if "limits" not in problem.at] == []


def generated(random):
    """A tree of which anything may be wrong, or nothing."""

    def some(of, least=1):
        return amount(
            cpu=str(random.randrange(least, of)) if random.random() < 0.8 else None,
            memory=f"{random.randrange(least, of)}Gi" if random.random() < 0.8 else None,
        )

    def maybe(value):
        return value if random.random() < 0.5 else None

    def limits(of):
        return tuple(
            Limit(
                users=tuple(random.sample(("u", "v", "*"), random.randrange(3))),
                groups=tuple(random.sample(("g", "h", "*"), random.randrange(3))),
                max_applications=maybe(random.randrange(1, of)),
                maximum=maybe(some(of)),
            )
            for _ in range(random.choice((0, 0, 0, 1, 1, 2)))
        )

    def bounds(of):
        return {
            "guaranteed": maybe(some(of)),
            "maximum": maybe(some(10 * of)),
            "max_applications": maybe(random.randrange(1, of)),
            "limits": limits(of),
        }

    def tiers():
        return tuple(
            tier(number, **bounds(10)) for number in random.sample((1, 2, 3), random.randrange(1, 3))
        )

    def projects():
        return tuple(
            Queue(name=name, queues=tiers(), **bounds(40)) for name in "pq"[: random.randrange(1, 3)]
        )

    return QueueTree(organizations=(Queue(name="o", queues=projects(), **bounds(160)),))


def test_a_tree_without_problems_is_one_that_yunikorn_takes(tmp_path):
    checker = tools.path("queueconfigchecker")
    trees = (generated(Random(seed)) for seed in range(1500))
    valid = list(islice((tree for tree in trees if not any(problems(tree))), 100))
    assert len(valid) == 100

    def check(tree, number):
        file = tmp_path / f"{number}.yaml"
        file.write_text(queues_yaml(tree))
        checked = subprocess.run([checker, file], capture_output=True, text=True)
        return checked.stdout + checked.stderr + file.read_text() if checked.returncode else None

    with ThreadPoolExecutor(4) as threads:
        assert [message for message in threads.map(check, valid, range(len(valid))) if message] == []
