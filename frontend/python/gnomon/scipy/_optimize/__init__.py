"""What `gn.scipy.optimize` is made of."""
