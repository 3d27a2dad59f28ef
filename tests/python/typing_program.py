"""A program as users write it; mypy checks it strictly, and it runs."""

from __future__ import annotations

import numpy as np
import gnomon as gn


def loss(w: gn.Expr, x: gn.Expr, y: gn.Expr) -> gn.Expr:
    return gn.mean(gn.log1p(gn.exp(-y * (x @ w))))
