"""A settings file that the program refuses."""

import runpy
from collections.abc import Callable
from pathlib import Path

import pulumi
import pytest

from stacks.settings import reading
from tests.support.wrong_settings import Changes, changed


@pytest.fixture
def refusal(deploy, tmp_path, monkeypatch) -> Callable[[Changes | bytes], str]:
    """Run the program with a wrong settings file, or changes that make one -> its message.

    No resource may be registered. The file is that of an environment named `wrong`; in the message, that
    name is `local` again.
    """

    def refuse(content: Changes | bytes) -> str:
        text = content if isinstance(content, bytes) else changed(content)
        (tmp_path / "wrong.yaml").write_bytes(text.replace(b"environment: local", b"environment: wrong"))
        monkeypatch.setattr(reading, "FOLDER", tmp_path)
        pulumi.runtime.set_all_config({"moka:environment": "wrong"})
        messages = []

        def program() -> None:
            try:
                runpy.run_path(str(Path(reading.__file__).parents[2] / "__main__.py"))
            except pulumi.RunError as error:
                messages.append(str(error))

        assert deploy(program).resources == []
        [message] = messages
        assert all(line.startswith("stacks/wrong.yaml") for line in message.splitlines())
        assert "Traceback" not in message
        return message.replace("'wrong'", "'local'")

    return refuse
