"""What `gn.scipy.ndimage` is made of."""
