from random import Random

from moka.queues import Resources
from moka.queues.shares import by_weight, percent, remainder


def of_all(shares, name):
    return sum(share.get(name) or 0 for share in shares.values())


def test_shares_add_up_to_what_is_shared_and_are_as_the_weights():
    steps = {"cpu": 1000, "memory": 2**30, "gpu": 1}
    for random in map(Random, range(200)):
        pool = Resources(
            cpu=random.choice([random.randrange(1, 10**7), random.randrange(1, 10**4) * 1000]),
            memory=random.randrange(1, 2**50),
            gpu=random.randrange(1, 100),
        )
        weights = {f"q{number}": random.randrange(1, 50) for number in range(random.randrange(1, 40))}

        shares = by_weight(pool, weights)

        for name, amount in pool.amounts():
            assert of_all(shares, name) == amount
            for who, weight in weights.items():
                exact = amount * weight / sum(weights.values())
                assert abs((shares[who].get(name) or 0) - exact) < 2 * steps[name]


def test_large_shares_are_whole_cores_and_gibibytes():
    shares = by_weight(Resources.of(cpu="1000", memory="1000Gi"), {"a": 1, "b": 1, "c": 1})

    assert [share.cpu for share in shares.values()] == [334_000, 333_000, 333_000]
    assert [share.memory for share in shares.values()] == [334 * 2**30, 333 * 2**30, 333 * 2**30]


def test_small_shares_are_as_fine_as_kubernetes_counts():
    shares = by_weight(Resources.of(cpu="10", memory="10Gi"), {"a": 1, "b": 2})

    assert [share.cpu for share in shares.values()] == [3333, 6667]
    assert [share.memory for share in shares.values()] == [3413 * 2**20, 6827 * 2**20]


def test_equal_weights_differ_by_name_only_and_not_by_order():
    pool = Resources.of(cpu="1000", memory="1000Gi")

    assert by_weight(pool, {"a": 1, "b": 1, "c": 1}) == by_weight(pool, {"c": 1, "b": 1, "a": 1})


def test_of_too_few_gpus_some_get_none():
    shares = by_weight(Resources(gpu=2), {"a": 1, "b": 5, "c": 5})

    assert [share.gpu for share in shares.values()] == [None, 1, 1]


def test_what_was_taken_is_not_shared_again():
    remaining = remainder(
        Resources.of(cpu="100", memory="1Ti"), [Resources.of(cpu="60"), Resources.of("50", "1Gi")]
    )

    assert (remaining.cpu, remaining.memory) == (-10_000, 1023 * 2**30)
    assert by_weight(remaining, {"a": 1})["a"] == Resources(memory=1023 * 2**30)


def test_a_percentage_is_never_more_than_that():
    assert percent(Resources.of(cpu="999", memory="999Gi"), 50) == Resources.of(cpu="499", memory="499Gi")
    assert percent(Resources.of(cpu="9", memory="9Gi"), 50) == Resources.of(cpu="4500m", memory="4608Mi")
