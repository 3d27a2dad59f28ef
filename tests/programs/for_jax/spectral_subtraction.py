"""`spectral_subtraction` as JAX wants it."""

import jax.numpy as jnp

STATIC = (1, 2, 3)


def spectral_subtraction(signal, length, hop, quiet_frames, strength, floor):
    window = 0.5 - 0.5 * jnp.cos(2 * jnp.pi * jnp.arange(length) / length)
    starts = jnp.arange(0, len(signal) - length + 1, hop)
    index = starts[:, None] + jnp.arange(length)
    spectra = jnp.fft.rfft(signal[index] * window)
    magnitude = jnp.abs(spectra)
    noise = magnitude[:quiet_frames].mean(axis=0)
    gain = jnp.maximum(1 - strength * noise / (magnitude + 1e-12), floor)
    frames = window * jnp.fft.irfft(gain * spectra, length)
    cleaned = jnp.zeros_like(signal).at[index].add(frames)
    norm = jnp.zeros_like(signal).at[index].add(window**2)
    covered = norm > 1e-3
    return (jnp.where(covered, cleaned / jnp.where(covered, norm, 1.0), 0.0),)
