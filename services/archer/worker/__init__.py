"""The worker layer: claims jobs, has the clusters run them, follows them. Any number, side by side."""
