"""What `gn.nn` is made of: activations, layers, losses, convolutions and pools."""
