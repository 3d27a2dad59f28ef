"""Programs of signals and sound as JAX wants them."""

import jax.numpy as jnp


def envelope(x):
    n = x.shape[1]
    spectrum = jnp.fft.fft(x, axis=1)
    gain = jnp.zeros(n).at[0].set(1.0).at[n // 2].set(1.0).at[1 : n // 2].set(2.0)
    analytic = jnp.fft.ifft(spectrum * gain, axis=1)
    step = analytic[:, 1:] * jnp.conj(analytic[:, :-1])
    return jnp.abs(analytic), jnp.arctan2(step.imag, step.real)


def multichannel_delay(x):
    out = x.at[2000:].add(0.5 * x[:-2000, ::-1])
    return jnp.tanh(out.at[5000:].add(0.25 * x[:-5000]))
