"""The command line: a subcommand a file."""
