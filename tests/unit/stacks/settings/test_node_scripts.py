import pytest

from stacks.settings import node_scripts

GOOD = "#!/bin/bash\nmkdir -p /mnt/fuse\n"


@pytest.fixture
def said(tmp_path, monkeypatch):
    """What is said of a group's scripts: contents -> sentences."""
    monkeypatch.setattr(node_scripts, "FOLDER", tmp_path)

    def say(*contents):
        names = [f"{index}.sh" for index, _ in enumerate(contents)]
        for name, content in zip(names, contents, strict=True):
            (tmp_path / name).write_text(content)
        return [f"{index}: {says}" for index, says in node_scripts.mistakes(names)]

    return say


def test_scripts_that_run_and_fit_are_taken(said):
    assert said(GOOD, GOOD) == []


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("mkdir /mnt/fuse\n", "does not begin with #! and its shell"),
        ("#!/bin/bash\necho ¡hola!\n", "has letters that are not ASCII"),
        ("#!/bin/bash\r\ntrue\r\n", "has the line ends of Windows"),
        (f"{GOOD}# {'AKIA' + 'Q3EGRZ' + 'TYX4JK7WPL'}\n", "has an access key of AWS in plain"),
        (f"{GOOD}export FUSE_PASSWORD='correct-horse'\n", "has what FUSE_PASSWORD calls a secret in plain"),
    ],
)
def test_a_script_that_would_not_run_or_tells_a_secret_is_refused(said, content, says):
    [sentence] = said(GOOD, content)

    assert sentence.startswith(f"1: is '1.sh', which {says}")
    assert "correct-horse" not in sentence


def test_a_secret_that_a_script_fetches_is_none_in_plain(said):
    fetched = (
        "TOKEN=$(aws secretsmanager get-secret-value --secret-id fuse --query SecretString --output text)"
    )

    assert said(f"{GOOD}{fetched}\nexport API_KEY=$TOKEN\n") == []


def test_scripts_that_user_data_have_no_room_for_are_refused(said):
    half = GOOD + "#" * (node_scripts.MAX_BYTES // 2 - len(GOOD))

    assert said(half, half) == []
    [sentence] = said(half, half + "#")
    assert sentence.startswith(f"1: makes {node_scripts.MAX_BYTES + 1} bytes of scripts, but the 16 KiB")


def test_what_ec2_takes_has_room_for_the_longest_scripts_and_what_nodeadm_is_told(said):
    from moka.components.aws.node_user_data import ClusterDetails, Registration, node_user_data
    from moka.machines.node_roles import kubelet_config

    long = {f"example.com/{number:043}": "v" * 63 for number in range(10)}
    text = node_user_data(
        kubelet_config("executor"),
        local_disks=True,
        scripts=[GOOD + "#" * (node_scripts.MAX_BYTES - len(GOOD))],
        # A certificate authority of EKS has about 1,500 characters of base64.
        cluster=ClusterDetails(
            name="c" * 100,
            apiServerEndpoint="https://" + "e" * 80,
            certificateAuthority="A" * 1600,
            cidr="10.0.0.0/16",
        ),
        registration=Registration(labels=long, taints=["moka.dev/role=executor:NoSchedule"]),
    )

    assert len(text) <= 16_384
