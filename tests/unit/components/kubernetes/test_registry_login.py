import base64
import json
import stat

import pytest

from moka.components.kubernetes.registry_login import write_login

HOST = "444455556666.dkr.ecr.us-east-1.amazonaws.com"


def test_a_login_is_written_as_docker_keeps_it_for_its_owner_only(tmp_path):
    authorization = base64.b64encode(b"AWS:secret").decode()

    path = write_login(HOST, authorization, tmp_path / "login")

    file = tmp_path / "login" / f"{HOST}.json"
    assert path == str(file)
    assert json.loads(file.read_text()) == {"auths": {HOST: {"auth": authorization}}}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("first", ["old", None])
def test_another_token_is_at_the_same_path(tmp_path, first):
    paths = {write_login(HOST, token, tmp_path) for token in filter(None, (first, "new"))}

    assert len(paths) == 1
    assert json.loads((tmp_path / f"{HOST}.json").read_text())["auths"][HOST] == {"auth": "new"}
