"""Where the secret of the login is, by its name: people make it, and no value of it passes the program."""

from moka.partition import partition


def secret_arn(region: str, account: str, name: str) -> str:
    """Pattern of the ARN of a secret, for policies: its last six characters are Secrets Manager's.

    https://docs.aws.amazon.com/secretsmanager/latest/userguide/auth-and-access_iam-policies.html
    """
    return f"arn:{partition(region)}:secretsmanager:{region}:{account}:secret:{name}-??????"
