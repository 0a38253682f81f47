"""What principals may do, and how two answers to that differ."""
