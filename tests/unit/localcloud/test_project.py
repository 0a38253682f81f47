import pytest

from localcloud.cloud import REPOSITORY
from localcloud.errors import Refusal
from localcloud.project import project_folder, stand_in_modules


@pytest.fixture
def project(tmp_path):
    (tmp_path / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    (tmp_path / "services" / "remover").mkdir(parents=True)
    (tmp_path / "services" / "remover" / "__main__.py").touch()
    (tmp_path / "single.py").touch()
    return tmp_path


def test_a_project_says_which_modules_stand_in_for_its_deployments(project):
    (project / "localcloud.yaml").write_text(
        "stand_ins:\n  remover: {module: services.remover}\n  one: {module: single}\n"
    )

    assert stand_in_modules(project) == {"remover": "services.remover", "one": "single"}


@pytest.mark.parametrize("content", [None, "", "# nothing yet\n", "stand_ins:\n", "stand_ins: {}\n"])
def test_a_project_that_names_none_has_none(project, content):
    if content is not None:
        (project / "localcloud.yaml").write_text(content)

    assert stand_in_modules(project) == {}


@pytest.mark.parametrize(
    ("content", "mistake"),
    [
        ("stand_ins: {remover", "is not YAML"),
        ("remover", "has something else than stand_ins: write `stand_ins: {"),
        ("standins: {}", "has something else than stand_ins"),
        ("stand_ins: [remover]", "has something else than stand_ins"),
        ("stand_ins: {remover: services.remover}", "at stand_ins.remover: write `stand_ins: {"),
        ("stand_ins: {remover: {modul: services.remover}}", "at stand_ins.remover"),
        ("stand_ins: {remover: {module: single, port: 1}}", "at stand_ins.remover"),
        ("stand_ins: {remover: {module: services}}", "stand_ins.remover.module is services, and"),
        ("stand_ins: {remover: {module: services.remove}}", "no such module: correct its name"),
    ],
)
def test_a_wrong_file_is_refused_in_one_sentence_that_names_it(project, content, mistake):
    (project / "localcloud.yaml").write_text(content)

    with pytest.raises(Refusal) as refusal:
        stand_in_modules(project)

    assert str(refusal.value).startswith(str(project / "localcloud.yaml"))
    assert mistake in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_the_project_is_found_from_any_of_its_folders(project, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")

    assert project_folder(project / "services" / "remover") == project
    assert project_folder(project) == project
    assert project_folder(elsewhere) == elsewhere


def test_the_modules_that_this_project_names_are_there():
    assert stand_in_modules(REPOSITORY)
