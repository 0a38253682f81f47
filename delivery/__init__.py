"""What a CI system does with a change: what it touches, previews, drift, and what is said about them on
GitHub."""
