"""Programs of ours that run on the platform, a folder and an image each."""
