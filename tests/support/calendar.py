"""The day that it is in tests, whatever day it is: for the ends of versions' support and of exceptions."""

import datetime

TODAY = datetime.date(2026, 11, 22)
