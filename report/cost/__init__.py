"""What resources cost a month, by a table of prices."""
