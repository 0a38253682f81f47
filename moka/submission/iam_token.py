"""Tokens of IAM for Archer, of which client and service know the form."""

SCHEME = "AWS-IAM"
"""Of `Authorization`: it is followed by the presigned URL, in base64 without padding."""

AUDIENCE_HEADER = "x-archer-audience"
"""Header that is signed: the environment for which a token is."""
