"""Client of Archer: `Archer(url, credentials).submit(job)`."""

from archer.client import Archer
from archer.credentials import Credentials, IamCredentials, TokenCredentials
from archer.problem import Problem, Unreachable

__all__ = ["Archer", "Credentials", "IamCredentials", "Problem", "TokenCredentials", "Unreachable"]
