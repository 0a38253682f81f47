from commands import schema


def test_every_generated_file_is_written(moka, monkeypatch, tmp_path):
    files = {tmp_path / "a.json": "{}\n", tmp_path / "b.md": "# b\n"}
    monkeypatch.setattr(schema, "generated_files", lambda: files)

    assert moka("schema").status == 0

    assert {path: path.read_text() for path in tmp_path.iterdir()} == files
