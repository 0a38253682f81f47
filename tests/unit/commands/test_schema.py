from stacks.settings import schema


def test_every_generated_file_is_written(moka, monkeypatch, tmp_path):
    monkeypatch.setattr(schema, "files", lambda: {tmp_path / "a.json": "{}\n", tmp_path / "b.md": "# b\n"})

    assert moka("schema").status == 0

    assert [(path.name, path.read_text()) for path in sorted(tmp_path.iterdir())] == [
        ("a.json", "{}\n"),
        ("b.md", "# b\n"),
    ]
