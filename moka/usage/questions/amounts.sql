-- How much covers which share of the time that each queue is in use: rows of moka/allocation/curve.py.
{curves}
ORDER BY {keys}, percent
