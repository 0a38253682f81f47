from commands import schema
from localcloud.cloud import REPOSITORY


def test_every_generated_file_is_written(moka, monkeypatch, tmp_path):
    files = {tmp_path / "a.json": "{}\n", tmp_path / "b.md": "# b\n"}
    monkeypatch.setattr(schema, "files", lambda: files)

    assert moka("schema").status == 0

    assert {path: path.read_text() for path in tmp_path.iterdir()} == files


def test_the_picture_of_the_documentation_is_up_to_date():
    path = REPOSITORY / "docs" / "local.svg"

    assert path.read_text() == schema.files()[path], "run `make schema`"
