"""Where a service has to be besides its folder."""

import pytest

from localcloud.cloud import REPOSITORY
from localcloud.project import stand_in_modules
from stacks.settings.services import SIDECARS, Services

SERVICES = {path.parent.name for path in REPOSITORY.glob("services/*/__main__.py")}


def test_the_settings_name_every_service():
    assert Services.model_fields.keys() == SERVICES


# Containers of drivers do not run on the laptop.
@pytest.mark.parametrize("service", sorted(SERVICES - SIDECARS))
def test_on_the_laptop_it_runs_in_place_of_its_deployment(service):
    assert stand_in_modules(REPOSITORY)[service.replace("_", "-")] == f"services.{service}"
