"""The allocator: makes a plan of what was used every night, and shows the report of yesterday."""
