"""What `make` reads here."""

from localcloud.cloud import REPOSITORY

FILES = ("deploy.mk", "Makefile")
"""What is done with environments, and with this repository, as `make help` lists them."""

TEXT = "\n".join((REPOSITORY / name).read_text() for name in FILES)
