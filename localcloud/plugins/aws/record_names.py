"""Names of records in DNS."""


def absolute(name: str) -> str:
    """A name with the dot at its end, in lower case, whether `*` is itself or, as in answers, its octal code.

    Source: https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DomainNameFormat.html
    """
    plain = name.rstrip(".").lower().replace("\\052", "*")
    return f"{plain}."
