"""Linear algebra: products, factors, systems and functions of matrices."""
