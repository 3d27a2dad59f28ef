"""What `gn.scipy.interpolate` is made of."""
