import json

import pytest

from recovery.locks import lock_folder, lock_of

WRITTEN = {"pid": 12, "username": "me", "hostname": "here", "timestamp": "2026-11-23T06:00:00Z"}


@pytest.mark.parametrize(
    "lock, runs, dead",
    [
        (WRITTEN, False, True),
        (WRITTEN, True, False),
        ({**WRITTEN, "hostname": "elsewhere"}, False, False),
        ({}, False, True),
    ],
)
def test_a_lock_is_dead_only_if_its_process_is_gone_from_this_host(lock, runs, dead):
    assert lock_of(json.dumps(lock).encode()).dead("here", lambda pid: runs) is dead


def test_a_lock_says_who_holds_it_since_when():
    assert (
        str(lock_of(json.dumps(WRITTEN).encode())) == "process 12 of me on here, since 2026-11-23T06:00:00Z"
    )
    assert str(lock_of(b'{"pid": 1')) == "an unknown process"


def test_locks_of_a_stack_are_where_pulumi_keeps_them():
    assert lock_folder("moka", "prod.shared") == ".pulumi/locks/organization/moka/prod.shared"
