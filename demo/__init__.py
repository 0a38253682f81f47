"""What `make demo` shows on the laptop: a history that is made up, a plan of it in force, and a report."""
