"""Programs of ours that run on the platform, a package and an image each."""
