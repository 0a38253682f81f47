"""What plugins whose resources are components have in common."""
