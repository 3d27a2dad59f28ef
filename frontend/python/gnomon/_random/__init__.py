"""What `gn.random` is made of: distributions, choices, a generator of another library."""
