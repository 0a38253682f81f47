"""Components of AWS resources."""
