"""`moka sbom` writes bills of materials, or says in a sentence why not."""

import json
from pathlib import Path


def test_it_writes_them_and_says_where(moka, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1763856000")

    result = moka("sbom", "--to", str(tmp_path / "bills"))

    assert result.status == 0
    files = result.out.splitlines()
    assert str(tmp_path / "bills" / "platform.cdx.json") in files
    times = {json.loads(Path(file).read_text())["metadata"]["timestamp"] for file in files}
    assert times == {"2025-11-23T00:00:00+00:00"}


def test_a_time_that_is_none_is_refused(moka, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")

    result = moka("sbom", "--to", str(tmp_path / "bills"))

    assert (result.status, result.out) == (2, "")
    assert result.err == (
        "SOURCE_DATE_EPOCH is not a number of seconds since 1970: correct it, or leave it out.\n"
    )


def test_a_folder_that_cannot_be_written_is_told(moka, tmp_path):
    (tmp_path / "file").write_text("")

    result = moka("sbom", "--to", str(tmp_path / "file" / "bills"))

    assert result.status == 2
    assert result.err.startswith(f"Cannot write to {tmp_path / 'file' / 'bills'}: ")
