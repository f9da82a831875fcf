#!/usr/bin/env python3
"""Writes optimizers.txt: trajectories of three weights over 12 updates, computed with 50 decimal digits from the
equations named in each function. Uses nothing but Python's decimal module (made with Python 3.11).

Each line is an initialiser of the struct in tests/support/optimizer_golden.hpp:
    {"name", update, {weight 0, weight 1, weight 2}},
Run it in this folder:  python3 optimizers.py > optimizers.txt
"""
from decimal import Decimal as D, getcontext

getcontext().prec = 50

START = [D("0.5"), D("-1.25"), D("2")]
STEPS = 12


def gradient(i, t):
    """Exact in binary, of both signs, and once zero: (((7 t + 5 i) mod 11) - 5) / 8."""
    return (D((7 * t + 5 * i) % 11) - 5) / 8


def plain_sgd(w, g, s, t, lr, l2=D(0)):
    return w - lr * (g + l2 * w)


def sgd(w, g, s, t, lr, mu=D(0), damping=D(0), nesterov=False, l2=D(0)):
    """Sutskever et al. 2013 in the form b <- mu b + (1 - damping) g; the first b is g."""
    g = g + l2 * w
    s["b"] = g if t == 1 or mu == 0 else mu * s["b"] + (1 - damping) * g
    return w - lr * (g + mu * s["b"] if nesterov else s["b"])


def averages(g, s, beta1, beta2):
    s["m"] = beta1 * s.get("m", D(0)) + (1 - beta1) * g
    s["v"] = beta2 * s.get("v", D(0)) + (1 - beta2) * g * g


def adam(w, g, s, t, lr, beta1=D("0.9"), beta2=D("0.999"), eps=D("1e-8"), l2=D(0), decay=D(0), inside=False,
         correct=True):
    """Kingma, Ba 2015, algorithm 1; `inside`: the form at the end of section 2; decay: Loshchilov, Hutter 2019."""
    w = w - lr * decay * w
    averages(g + l2 * w, s, beta1, beta2)
    c1, c2 = (1 - beta1**t, 1 - beta2**t) if correct else (D(1), D(1))
    if inside:
        return w - lr * c2.sqrt() / c1 * s["m"] / (s["v"].sqrt() + eps)
    return w - lr * (s["m"] / c1) / ((s["v"] / c2).sqrt() + eps)


def radam(w, g, s, t, lr, beta1=D("0.9"), beta2=D("0.999"), eps=D("1e-8"), decay=D(0), threshold=5, early=True):
    """Liu et al. 2020, algorithm 2, with epsilon added to the uncorrected root."""
    w = w - lr * decay * w
    averages(g, s, beta1, beta2)
    mean = s["m"] / (1 - beta1**t)
    last = 2 / (1 - beta2) - 1
    rho = last - 2 * t * beta2**t / (1 - beta2**t)
    if rho > threshold:
        r = ((rho - 4) * (rho - 2) * last / ((last - 4) * (last - 2) * rho)).sqrt()
        return w - lr * r * mean * (1 - beta2**t).sqrt() / (s["v"].sqrt() + eps)
    return w - lr * mean if early else w


CASES = {
    "plain_sgd": (plain_sgd, "0.1", {}),
    "plain_sgd l2": (plain_sgd, "0.1", dict(l2=D("0.25"))),
    "sgd": (sgd, "0.1", {}),
    "sgd momentum": (sgd, "0.1", dict(mu=D("0.9"))),
    "sgd damping": (sgd, "0.1", dict(mu=D("0.9"), damping=D("0.5"), l2=D("0.25"))),
    "sgd nesterov": (sgd, "0.1", dict(mu=D("0.9"), nesterov=True)),
    "adam": (adam, "0.01", {}),
    "adam 2017": (adam, "0.01", dict(beta2=D("0.98"), eps=D("1e-9"))),
    "adam l2": (adam, "0.01", dict(l2=D("0.25"))),
    "adam large epsilon": (adam, "0.01", dict(eps=D("0.5"))),
    "adam large epsilon inside": (adam, "0.01", dict(eps=D("0.5"), inside=True)),
    "adam uncorrected": (adam, "0.01", dict(correct=False)),
    "adamw": (adam, "0.01", dict(decay=D("0.5"))),
    "radam": (radam, "0.01", {}),
    "radam paper": (radam, "0.01", dict(threshold=4, beta2=D("0.98"))),
    "radam waits": (radam, "0.01", dict(early=False, decay=D("0.5"))),
}

for name, (rule, lr, settings) in CASES.items():
    weights, states = list(START), [{} for _ in START]
    for t in range(1, STEPS + 1):
        weights = [rule(w, gradient(i, t), s, t, D(lr), **settings) for i, (w, s) in enumerate(zip(weights, states))]
        print('{"%s", %d, {%s}},' % (name, t, ", ".join(repr(float(w)) for w in weights)))
