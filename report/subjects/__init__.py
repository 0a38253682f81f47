"""What a report is about: a module a subject, each a function from a preview to a section."""
