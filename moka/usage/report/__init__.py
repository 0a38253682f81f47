"""The report of a day: what each cluster used of what it has, which workflows kept to their SLOs, and what to
change.

`Report` (model.py) is the document, `report` (day.py) makes it of answers to questions
(moka/usage/questions), and it is written as JSON, as a page and as metrics. docs/operations/usage-report.md
explains it.
"""
