"""What was used: records of applications and of amounts in use over time, and how they are made and asked."""
