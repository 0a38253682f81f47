"""What IAM decides: who may do what."""
