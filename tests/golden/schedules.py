#!/usr/bin/env python3
"""Writes schedules.txt: learning rates of the first updates under each schedule, computed with 50 decimal digits.
Uses nothing but Python's decimal module (made with Python 3.11).

The schedules here are little machines that go from one update to the next, as those of PyTorch do, where that is
possible: the library's own ones are functions of the number of the update. Sources are named at each.

Each line is an initialiser of the struct in tests/support/schedule_golden.hpp:
    {"name", update, rate},
Run it in this folder:  python3 schedules.py > schedules.txt
"""
from decimal import Decimal as D, getcontext

getcontext().prec = 50
PI = D("3.14159265358979323846264338327950288419716939937510582")


def cos(x):
    """Taylor's series; x in [0, pi]."""
    term, total, n = D(1), D(1), 0
    while abs(term) > D("1e-55"):
        n += 2
        term *= -x * x / (n * (n - 1))
        total += term
    return total


def rises(first, last, updates):
    """Rates of a linear warm-up by constant increments: update 1 is one step above `first`."""
    rate = first
    for _ in range(updates):
        rate += (last - first) / updates
        yield rate


def warm(updates, initial, lr, after):
    """A warm-up, then the rates of `after`, which starts at its highest rate. The last update of the warm-up has that
    one too; without warm-up, the first update has it."""
    if updates > 1:
        yield from list(rises(initial, lr, updates))[:-1]
    yield from after


def forever(rate):
    while True:
        yield rate


def linear(lr, end, updates):
    """PyTorch's LinearLR: the factor changes by the same amount each update. `updates` after the first."""
    rate = lr
    for _ in range(updates):
        yield rate
        rate -= (lr - end) / updates
    yield from forever(end)


def polynomial(lr, end, updates, power):
    """PyTorch's PolynomialLR, update by update: what is left shrinks by ((1 - t/T) / (1 - (t-1)/T))^p."""
    left = D(1)
    for t in range(updates):
        yield end + (lr - end) * left
        left *= ((updates - t - 1) / D(updates - t)) ** power if t + 1 < updates else 0
    yield from forever(end)


def cosine(lr, least, updates):
    """PyTorch's CosineAnnealingLR, update by update: (1 + cos(pi (t+1)/T)) / (1 + cos(pi t/T)) times what is left."""
    rate = lr
    for t in range(updates):
        yield rate
        rate = least + (rate - least) * (1 + cos(PI * (t + 1) / updates)) / (1 + cos(PI * t / updates))
    yield from forever(least)


def restarts(lr, least, first, longer, smaller, k=1):
    """PyTorch's CosineAnnealingWarmRestarts: two counters; with the peak and exponent of timm's CosineLRScheduler."""
    since, length, peak = D(0), D(first), lr
    while True:
        yield least + (peak - least) * (1 + cos(PI * (since / length) ** k)) / 2
        since += 1
        if since >= length:
            since, length, peak = since - length, length * longer, peak * smaller


def inverse_root(lr, first):
    """fairseq's inverse_sqrt: a constant divided by the root of the number of the update, from update `first` on."""
    constant, t = lr * D(first).sqrt(), first
    while True:
        yield constant / D(t).sqrt()
        t += 1


def noam(width, warmup):
    """Vaswani et al. 2017, eq. 3, written as it stands there."""
    t = 1
    while True:
        yield D(width) ** D("-0.5") * min(D(t) ** D("-0.5"), t * D(warmup) ** D("-1.5"))
        t += 1


def tfixup(lr, steps):
    """T-Fixup: lr steps^0.5 (steps + t)^-0.5."""
    factor, t = lr * D(steps).sqrt(), 1
    while True:
        yield factor * D(steps + t) ** D("-0.5")
        t += 1


def power_law(lr, first, b):
    """lr (t / first)^b from update `first` on, update by update."""
    rate, t = lr, first
    while True:
        yield rate
        rate *= (D(t + 1) / t) ** b
        t += 1


def wsd(lr, end, warmup, total, decay, tail, initial=D(0)):
    """Hu et al. 2024 and Hägele et al. 2024: phases by name; `left` is counted down as OLMo-core's does."""
    for t in range(1, total + 1):
        left = total - t
        if t <= warmup:
            yield initial + (lr - initial) * t / warmup
        elif left >= decay:
            yield lr
        else:
            yield end + (lr - end) * tail(D(decay - left) / decay)
    yield from forever(end + (lr - end) * tail(D(1)))


def tri_stage(lr, warmup, hold, decay, initial, final):
    """fairseq's tri_stage: constant increments, a hold, then a constant factor per update."""
    rate = initial * lr
    for _ in range(warmup):
        rate += (lr - initial * lr) / warmup
        yield rate
    for _ in range(hold):
        yield lr
    rate = lr
    for _ in range(decay):
        rate *= final ** (D(1) / decay)
        yield rate
    yield from forever(final * lr)


def one_cycle(total, rise, start, peak, end):
    """PyTorch's OneCycleLR: two phases that end at updates rise T - 1 and T - 1, counted from 0; both are cosines."""
    phases = [(rise * total - 1, start, peak), (D(total - 1), peak, end)]
    begin = D(0)
    step = 0
    for finish, a, b in phases:
        while step <= finish and step < total:
            share = (step - begin) / (finish - begin)
            yield b + (a - b) / 2 * (cos(PI * share) + 1)
            step += 1
        begin = finish
    yield from forever(end)


def stairs(lr, lower, factor):
    """Multiplied by `factor` when the number of finished updates is in `lower` (a predicate)."""
    rate, done = lr, 0
    while True:
        yield rate
        done += 1
        if lower(done):
            rate *= factor


def cooled(base, total, updates, end):
    """Any schedule with a linear tail: from the last rate before it, by constant decrements."""
    for t in range(1, total - updates + 1):
        rate = next(base)
        yield rate
    drop = (rate - end) / updates
    for _ in range(updates):
        rate -= drop
        yield rate
    yield from forever(end)


def times(a, b):
    """Product of a warm-up and the schedule that it is for."""
    for x, y in zip(a, b):
        yield x * y


H, TENTH = D("0.5"), D("0.1")
schedules = {
    "linear": linear(H, D("0.05"), 19),
    "linear warm": warm(5, TENTH, H, linear(H, D("0.05"), 15)),
    "polynomial 2": warm(5, D(0), H, polynomial(H, D("0.05"), 15, D(2))),
    "polynomial 0.7": polynomial(H, D(0), 19, D("0.7")),
    "cosine": warm(5, TENTH, H, cosine(H, D("0.05"), 15)),
    "cosine bare": cosine(H, D(0), 19),
    "restarts": restarts(H, D("0.05"), 4, 1, D("0.8")),
    "restarts longer": warm(3, D(0), H, restarts(H, D(0), 2, 2, H)),
    "restarts by halves": restarts(H, D("0.05"), 4, D("1.5"), D(1)),
    "restarts k": restarts(H, D("0.05"), 10, 2, D("0.9"), D("1.5")),
    "restarts below the minimum": restarts(H, D("0.3"), 5, 1, D("0.7")),
    "inverse_sqrt": warm(7, TENTH, H, inverse_root(H, 7)),
    "fairseq_inverse_sqrt": inverse_root(H, 1),
    "noam": noam(4, 9),
    "tfixup_inverse_sqrt": tfixup(H, 10),
    "power_law": warm(7, TENTH, H, power_law(H, 7, D("-0.8"))),
    "power_law tail": cooled(warm(7, D(0), H, power_law(H, 7, D("-0.51"))), 30, 10, D("0.01")),
    "wsd linear": wsd(H, D("0.05"), 6, 30, 10, lambda u: 1 - u, TENTH),
    "wsd sqrt": wsd(H, D(0), 0, 30, 12, lambda u: 1 - u.sqrt()),
    "wsd exponential": wsd(H, D("0.05"), 6, 30, 10, lambda u: D(2) ** (-4 * u)),
    "tri_stage": tri_stage(H, 6, 8, 12, D("0.2"), D("0.05")),
    "one_cycle": one_cycle(20, D("0.3"), H / 25, H, H / 25 / 10000),
    "one_cycle momentum": one_cycle(20, D("0.3"), D("0.95"), D("0.85"), D("0.95")),
    "one_cycle between": one_cycle(23, D("0.4"), H / 10, H, H / 10 / 100),
    "step_decay": stairs(H, lambda done: done in (6, 20), D("0.3")),
    "epoch_decay": stairs(H, lambda done: done % 5 == 0 and done // 5 + 1 in (3, 6), TENTH),
    "staircase": stairs(H, lambda done: done % 7 == 0, D("0.9")),
    "warmup": times(warm(6, D(0), D(1), forever(D(1))), linear(H, D("0.05"), 19)),
}
# A cycle whose peak is not above the minimum has the minimum as its rate.
schedules["restarts below the minimum"] = (max(r, D("0.3")) for r in schedules["restarts below the minimum"])

for name, rates in schedules.items():
    for update in range(1, 41):
        print(f'{{"{name}", {update}, {float(next(rates)):.17g}}},')
