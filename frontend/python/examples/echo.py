"""A melody in a room that echoes, and the room taken out of the recording again.

    python echo.py [--plot FILE]

A sweep of tones is played first, as rooms are measured (Farina 2000). Where it correlates with what
is heard there are echoes; least squares, with derivatives through Fourier transforms by delays and
strengths, place them to a small part of a sample. Then Wiener's filter (1949) divides the
recording of the melody by what the echoes do, where that is above the noise. Units: s and Hz.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn

RATE = 8000  # samples per second
DELAYS, STRENGTHS = np.array([0.08313, 0.15038, 0.23891]), np.array([0.7, -0.45, 0.3])
NOISE = 0.02  # the standard deviation of a sample
SILENCE = 0.4  # after what is played, until the echoes have gone
# Beethoven's ninth symphony: notes in semitones above C4, and their lengths in beats of 0.25 s.
NOTES = [4, 4, 5, 7, 7, 5, 4, 2, 0, 0, 2, 4, 4, 2, 2]
BEATS = [1.0] * 12 + [1.5, 0.5, 2.0]


def melody() -> np.ndarray:
    """Harmonics that fade, the higher ones sooner, and silence at the end."""
    song = np.zeros(int((0.25 * sum(BEATS) + SILENCE) * RATE))
    for note, beats, start in zip(NOTES, BEATS, 0.25 * (np.cumsum(BEATS) - BEATS)):
        t = np.arange(int(0.25 * beats * RATE)) / RATE
        pitch = 261.63 * 2 ** (note / 12)
        tone = sum(np.exp(-3 * k * t) * np.sin(2 * np.pi * k * pitch * t) / k for k in range(1, 7))
        at = int(start * RATE)
        song[at : at + t.size] += 0.4 * tone * np.minimum(1, (t[-1] - t) / 0.02)
    return song


def response(delays: Any, strengths: Any, count: int) -> Any:
    """What echoes do to the Fourier transform of `count` real samples."""
    angles = -2 * np.pi * gn.fft.rfftfreq(count, 1 / RATE)[:, None] * delays
    return 1 + gn.exp(1j * angles) @ strengths


def hear(sound: Any, delays: Any, strengths: Any) -> Any:
    """A sound in the room; what it ends with must be silence."""
    n = sound.shape[0]
    return gn.fft.irfft(gn.fft.rfft(sound) * response(delays, strengths, n), n=n)


@gn.compiled
def measure(sweep: Any, heard: Any) -> tuple[Any, Any]:
    """The delays and the strengths of three echoes of a sweep."""
    near = gn.scipy.signal.correlate(heard, sweep)[sweep.shape[0] - 1 :] / gn.sum(sweep**2)
    lags, delays, strengths = gn.arange(near.shape[0]) / RATE, gn.zeros(4), gn.zeros(4)
    for k in range(4):  # the first is the sound itself
        at = gn.argmax(gn.abs(near))
        delays[k], strengths[k] = lags[at], near[at]
        near = gn.where(gn.abs(lags - lags[at]) < 0.01, 0.0, near)
    first = gn.concat([delays[1:], strengths[1:]])
    found = gn.scipy.optimize.least_squares(lambda x: hear(sweep, x[:3], x[3:]) - heard, first)
    return found.x[:3], found.x[3:]


@gn.compiled
def wiener(heard: Any, delays: Any, strengths: Any) -> Any:
    """The sound with the least mean square error, if its power is as what was heard tells."""
    n = heard.shape[0]
    spectrum, room = gn.fft.rfft(heard), response(delays, strengths, n)
    noise = NOISE**2 * n
    power = gn.scipy.ndimage.uniform_filter1d(gn.abs(spectrum) ** 2, 9)
    sound = gn.maximum(power - noise, 1e-3 * noise) / (gn.abs(room) ** 2 + 1e-2)
    return gn.fft.irfft(spectrum * gn.conj(room) * sound / (gn.abs(room) ** 2 * sound + noise), n=n)


def signal_to_noise(sound: Any, truth: Any) -> float:
    """In decibels."""
    return 10 * float(gn.log10(gn.sum(truth**2) / gn.sum((sound - truth) ** 2)))


def main(plot: str | None = None) -> dict[str, np.ndarray]:
    """The sweep and the melody, what is heard of both, the echoes, and the restored melody."""
    rng = np.random.default_rng(0)
    t = np.arange(RATE // 2) / RATE
    sweep = np.zeros(t.size + int(SILENCE * RATE))
    tones = gn.scipy.signal.chirp(t, 100, t[-1], 3800)
    sweep[: t.size] = np.hanning(t.size) ** 0.5 * np.asarray(tones)
    played = {"sweep": sweep, "melody": melody()}
    heard = {
        name: np.asarray(hear(sound, DELAYS, STRENGTHS)) + NOISE * rng.standard_normal(sound.size)
        for name, sound in played.items()
    }
    delays, strengths = (np.asarray(each) for each in measure(sweep, heard["sweep"]))
    restored = np.asarray(wiener(heard["melody"], delays, strengths))
    for delay, strength in zip(delays, strengths):
        print(f"echo after {1000 * delay:.4f} ms of strength {strength:.4f}")
    sounds = {"played": played["melody"], "heard": heard["melody"], "restored": restored}
    decibels = [signal_to_noise(sounds[name], sounds["played"]) for name in ("heard", "restored")]
    print(f"signal to noise {decibels[0]:.1f} dB -> {decibels[1]:.1f} dB")

    def draw(axes: Any) -> None:
        titles = "played", f"heard: {decibels[0]:.1f} dB", f"restored: {decibels[1]:.1f} dB"
        for panel, sound, title in zip(axes, sounds.values(), titles):
            f, t, power = (np.asarray(each) for each in gn.scipy.signal.spectrogram(
                sound, RATE, "hann", nperseg=512, noverlap=448))
            shown = panel.pcolormesh(t, f, 10 * np.log10(power + 1e-12), cmap="magma", vmin=-85,
                                     vmax=-25)
            panel.set(xlabel="time in s", ylim=(0, 2600), title=title)
        axes[0].set(ylabel="frequency in Hz")
        axes[0].figure.colorbar(shown, ax=axes, label="power in dB per Hz")

    save_plot(plot, draw, size=(12, 4), panels=(1, 3), sharey=True)
    return dict(sweep=sweep, swept=heard["sweep"], delays=delays, strengths=strengths, **sounds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", default="echo.png")
    main(**vars(parser.parse_args()))
