from tests.unit.commands.conftest import moka

__all__ = ["moka"]
