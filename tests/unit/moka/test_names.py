import subprocess
import sys
from pathlib import Path

from moka import names

REPOSITORY = Path(__file__).resolve().parents[3]


def test_names_need_the_standard_library_only():
    without_packages = [sys.executable, "-S", "-c", "import moka.names"]

    assert subprocess.run(without_packages, cwd=REPOSITORY).returncode == 0


def test_no_job_runs_in_a_namespace_of_the_platform():
    namespaces = {value for name, value in vars(names).items() if name.endswith("_NAMESPACE")}

    assert namespaces == names.PLATFORM_NAMESPACES
