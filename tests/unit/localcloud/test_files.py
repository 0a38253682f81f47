import resource

import pytest

from localcloud.files import write_private


def test_what_does_not_fit_on_the_disk_leaves_what_was_there_and_nothing_else(tmp_path):
    file = tmp_path / "token"
    write_private(file, "old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            write_private(file, "new" * 10)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert list(tmp_path.iterdir()) == [file]
    assert file.read_text() == "old"
