"""Functions of arrays: making them, moving and finding elements, sums, sorts, statistics."""
