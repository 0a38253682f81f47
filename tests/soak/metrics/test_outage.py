"""The store is away, and a scraper is killed meanwhile: what was read until then is there afterwards."""

import time

import psutil

from tests.support.application_load import until
from tests.support.collectors import SECONDS

READINGS = 5
"""Of each target while the store is away, before the kill."""

QUIET = 'yunikorn_queue_resource{queue="root",resource="vcore",state="allocated"}'


def test_what_is_read_while_the_store_is_away_is_kept_even_if_a_scraper_is_killed(laptop):
    store = laptop.processes["prometheus"]
    scrapers = [process for name, process in laptop.processes.items() if "scraper" in name]
    command, environment = started(store)
    store.stop()
    away = time.time()
    time.sleep(READINGS * SECONDS)
    killed = time.time()
    again = [started(scraper) for scraper in scrapers]
    for scraper in scrapers:
        psutil.Process(pid(scraper)).kill()
    for scraper, (argv, env) in zip(scrapers, again, strict=True):
        scraper.stop()
        scraper.start(argv, env)
    store.start(command, environment)
    until(lambda: newest(laptop) > killed + 4 * SECONDS, "what came after is there", 180)

    moments = [moment for moment, _ in samples(laptop) if away < moment < killed]
    # One may have been on its way to the queue at either end.
    assert len(moments) >= READINGS - 2
    assert not laptop.query("prometheus_tsdb_out_of_order_samples_total > 0")


def samples(laptop):
    try:
        [series] = laptop.query(f"{QUIET}[5m]")
    except OSError:
        return []
    return [(float(moment), value) for moment, value in series["values"]]


def newest(laptop):
    return max((moment for moment, _ in samples(laptop)), default=0.0)


def started(process):
    """Command and environment that a process was started with."""
    argv, environment = process._note()["as"]
    return argv, environment


def pid(process):
    return int(process._note()["pid"])
