"""What `gn.scipy.stats` is made of."""
