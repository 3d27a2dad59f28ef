"""What `gn.scipy.signal` is made of."""
