"""Archer's PostgreSQL: its tables, their changes over time, and every statement that is sent to them."""
