"""Compiled functions: what makes, traces, differentiates, batches and repeats them."""
