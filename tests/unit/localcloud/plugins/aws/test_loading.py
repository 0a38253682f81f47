import subprocess
import sys


def test_the_plugin_loads_nothing_that_is_slow_before_it_needs_it():
    program = (
        "import sys, localcloud.plugins.aws.provider, localcloud.plugins.aws.tables as tables\n"
        "tables.all_rows()\n"
        "slow = ('botocore', 'boto3', 'moto', 'cfnlint', 'pulumi_aws')\n"
        "print([name for name in sys.modules if name.split('.')[0] in slow])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
