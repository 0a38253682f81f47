"""Whether an environment does on AWS what it does on the laptop: up, looked at from outside, down."""
