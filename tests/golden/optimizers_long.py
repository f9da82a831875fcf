#!/usr/bin/env python3
"""Writes optimizers_long.txt: 100 updates of four small parameters by each optimizer, computed with 50 decimal
digits from the equations of its paper. Uses nothing but Python's decimal module (made with Python 3.11).

Each line is an initialiser of the struct in tests/support/optimizer_golden.hpp:
    {"name", update, {18 weights}},
The weights are those of the parameters one behind the other. Optimizers that evaluate other weights than they
train have these in a second set of lines, under the name with " evaluated" added.
Run it in this folder:  python3 optimizers_long.py > optimizers_long.txt
"""
from decimal import Decimal as D, getcontext

getcontext().prec = 50
ONE, ZERO, HALF = D(1), D(0), D("0.5")

UPDATES = 100
SHOWN = (1, 2, 5, 20, 100)


class Parameter:
    """rows x columns weights w (a flat list), the gradient g and what an optimizer keeps in s."""

    def __init__(self, rows, columns, decays, hidden):
        self.rows, self.columns, self.decays, self.hidden = rows, columns, decays, hidden
        self.w, self.g, self.s = [], [], {}


def parameters():
    """A matrix "up", a matrix "value", an embedding and a bias; the first two decay."""
    out = [Parameter(3, 2, True, True), Parameter(2, 3, True, True), Parameter(2, 2, False, False),
           Parameter(2, 1, False, False)]
    i = 0
    for p in out:
        for _ in range(p.rows * p.columns):
            p.w.append(D((29 * i) % 97 - 48) / 32)
            i += 1
    return out


def gradients(ps, t):
    """Of a quadratic with noise; all constants are exact in binary."""
    i = 0
    for p in ps:
        p.g = []
        for w in p.w:
            p.g.append(D(1 + i % 3) / 4 * (w - D((13 * i) % 7 - 3) / 2) + (D((7 * t + 5 * i) % 11) - 5) / 16)
            i += 1


def rate(lr, t):
    return lr * min(ONE, D(t) / 5)


def power(x, y):
    return (x.ln() * y).exp() if x > 0 else ZERO


def sign(x):
    return ONE if x > 0 else -ONE if x < 0 else ZERO


def length(v):
    return sum(x * x for x in v).sqrt()


class Weight:
    """What an element-wise rule keeps of one weight."""


def elementwise(rule):
    """Makes a rule w = f(w, g, state, t, lr, decays, settings...) an optimizer of parameters."""

    def step(ps, t, lr, run, **settings):
        for p in ps:
            states = p.s.setdefault("each", [Weight() for _ in p.w])
            p.w = [rule(w, g, s, t, lr, p.decays, **settings) for w, g, s in zip(p.w, p.g, states)]

    return step


def mean(s, name, beta, x):
    value = beta * getattr(s, name, ZERO) + (1 - beta) * x
    setattr(s, name, value)
    return value


# ---- Adam and its relatives


def adam_direction(w, g, s, t, b1=D("0.9"), b2=D("0.999"), eps=D("1e-8")):
    m, v = mean(s, "m", b1, g), mean(s, "v", b2, g * g)
    return m / (1 - b1**t) / ((v / (1 - b2**t)).sqrt() + eps)


@elementwise
def adamw(w, g, s, t, lr, decays, decay=D("0.01"), **numbers):
    """Loshchilov, Hutter 2019, algorithm 2."""
    return w * (1 - lr * (decay if decays else 0)) - lr * adam_direction(w, g, s, t, **numbers)


@elementwise
def nadamw(w, g, s, t, lr, decays, b1=D("0.9"), b2=D("0.999"), eps=D("1e-8"), decay=D("0.01")):
    """Dahl et al. 2023: the mean once more with the same gradient."""
    m, v = mean(s, "m", b1, g), mean(s, "v", b2, g * g)
    ahead = (b1 * m + (1 - b1) * g) / (1 - b1**t)
    return w * (1 - lr * (decay if decays else 0)) - lr * ahead / ((v / (1 - b2**t)).sqrt() + eps)


@elementwise
def adabelief(w, g, s, t, lr, decays, b1=D("0.9"), b2=D("0.999"), eps=D("1e-16"), decay=ZERO, rectified=True):
    """Zhuang et al. 2020, algorithm 2, with the rectification of Liu et al. 2020 as its authors combine them."""
    w = w * (1 - lr * (decay if decays else 0))
    m = mean(s, "m", b1, g)
    s.v = b2 * getattr(s, "v", ZERO) + (1 - b2) * (g - m) ** 2 + eps
    m = m / (1 - b1**t)
    if not rectified:
        return w - lr * m / ((s.v / (1 - b2**t)).sqrt() + eps)
    last = 2 / (1 - b2) - 1
    rho = last - 2 * t * b2**t / (1 - b2**t)
    if rho < 5:
        return w - lr * m
    r = ((rho - 4) * (rho - 2) * last / ((last - 4) * (last - 2) * rho)).sqrt()
    return w - lr * r * (1 - b2**t).sqrt() * m / (s.v.sqrt() + eps)


@elementwise
def lion(w, g, s, t, lr, decays, b1=D("0.9"), b2=D("0.99"), decay=ZERO):
    """Chen et al. 2023, program 1."""
    direction = b1 * getattr(s, "m", ZERO) + (1 - b1) * g
    mean(s, "m", b2, g)
    return w * (1 - lr * (decay if decays else 0)) - lr * sign(direction)


@elementwise
def adan(w, g, s, t, lr, decays, b1=D("0.98"), b2=D("0.92"), b3=D("0.99"), eps=D("1e-8"), decay=ZERO):
    """Xie et al. 2022, algorithm 1, the betas as weights of the past."""
    h = g - getattr(s, "g", g)
    s.g = g
    m, d, n = mean(s, "m", b1, g), mean(s, "d", b2, h), mean(s, "n", b3, (g + b2 * h) ** 2)
    step = (m / (1 - b1**t) + b2 * d / (1 - b2**t)) / ((n / (1 - b3**t)).sqrt() + eps)
    return (w - lr * step) / (1 + lr * (decay if decays else 0))


@elementwise
def adopt(w, g, s, t, lr, decays, b1=D("0.9"), b2=D("0.9999"), eps=D("1e-6"), decay=ZERO, clips=True):
    """Taniguchi et al. 2024, algorithm 2 (algorithm 1 without clipping); its update 0 is update 1 here."""
    if t == 1:
        s.v = g * g
        return w
    bound = D(t - 1).sqrt().sqrt()
    n = g / max(s.v.sqrt(), eps)
    m = mean(s, "m", b1, min(max(n, -bound), bound) if clips else n)
    mean(s, "v", b2, g * g)
    return w * (1 - lr * (decay if decays else 0)) - lr * m


def sophia_g(ps, t, lr, run, b1=D("0.965"), b2=D("0.99"), rho=D("0.04"), decay=D("0.1"), every=10):
    """Liu et al. 2023, algorithm 3, with made-up gradients for sampled labels."""
    i = 0
    for p in ps:
        n = len(p.w)
        m, h = p.s.setdefault("m", [ZERO] * n), p.s.setdefault("h", [ZERO] * n)
        for k in range(n):
            sampled = (D((3 * t + 5 * (i + k)) % 7) - 3) / 4
            if (t - 1) % every == 0:
                h[k] = b2 * h[k] + (1 - b2) * sampled**2
            m[k] = b1 * m[k] + (1 - b1) * p.g[k]
            p.w[k] = p.w[k] * (1 - lr * (decay if p.decays else 0))
            p.w[k] -= lr * sign(m[k]) * min(ONE, abs(m[k]) / (rho * h[k] + D("1e-15")))
        i += n


# ---- Steps that depend on a whole parameter


def lamb(ps, t, lr, run, decay=D("0.01"), longest=None, largest=None, eps=D("1e-6")):
    """You et al. 2020, algorithm 2."""
    for p in ps:
        states = p.s.setdefault("each", [Weight() for _ in p.w])
        u = [adam_direction(w, g, s, t, eps=eps) + (decay if p.decays else 0) * w
             for w, g, s in zip(p.w, p.g, states)]
        size = length(p.w) if longest is None else min(length(p.w), longest)
        ratio = size / length(u) if size > 0 and length(u) > 0 else ONE
        if largest is not None:
            ratio = min(ratio, largest)
        p.w = [w - lr * ratio * d for w, d in zip(p.w, u)]


def lars(ps, t, lr, run, momentum=D("0.9"), trust=D("0.001"), decay=D("0.0005")):
    """You, Gitman, Ginsburg 2017, algorithm 1."""
    for p in ps:
        b = decay if p.decays else ZERO
        size, slope = length(p.w), length(p.g)
        local = trust * size / (slope + b * size) if size > 0 and slope > 0 else ONE
        v = p.s.setdefault("v", [ZERO] * len(p.w))
        p.s["v"] = [momentum * x + lr * local * (g + b * w) for x, g, w in zip(v, p.g, p.w)]
        p.w = [w - x for w, x in zip(p.w, p.s["v"])]


def cautious_adamw(ps, t, lr, run, decay=D("0.01")):
    """Liang et al. 2024, algorithm 1, around AdamW."""
    for p in ps:
        states = p.s.setdefault("each", [Weight() for _ in p.w])
        u = [adam_direction(w, g, s, t) for w, g, s in zip(p.w, p.g, states)]
        mask = [ONE if d * g > 0 else ZERO for d, g in zip(u, p.g)]
        scale = 1 / max(sum(mask) / len(mask), D("1e-3"))
        p.w = [w * (1 - lr * (decay if p.decays else 0)) - lr * d * m * scale for w, d, m in zip(p.w, u, mask)]


# ---- Numbers of the run, views


def schedule_free(ps, t, lr, run, direction, b1=D("0.9"), decay=ZERO, r=ZERO):
    """Defazio et al. 2024, algorithm 1: gradients at y, steps in z, average x."""
    run["largest"] = max(run.get("largest", ZERO), lr)
    weight = power(D(t), r) * run["largest"] ** 2
    run["sum"] = run.get("sum", ZERO) + weight
    c = weight / run["sum"]
    for p in ps:
        x, z = p.s.setdefault("x", list(p.w)), p.s.setdefault("z", list(p.w))
        states = p.s.setdefault("each", [Weight() for _ in p.w])
        for k, s in enumerate(states):
            z[k] -= lr * (direction(p.g[k], s, t) + (decay if p.decays else 0) * p.w[k])
            x[k] = (1 - c) * x[k] + c * z[k]
            p.w[k] = (1 - b1) * z[k] + b1 * x[k]
        p.evaluated = x


def schedule_free_sgd(ps, t, lr, run, **settings):
    schedule_free(ps, t, lr, run, lambda g, s, t: g, **settings)


def schedule_free_adamw(ps, t, lr, run, b2=D("0.999"), eps=D("1e-8"), **settings):
    schedule_free(ps, t, lr, run, lambda g, s, t: g / ((mean(s, "v", b2, g * g) / (1 - b2**t)).sqrt() + eps),
                  **settings)


def lookahead_sgd(ps, t, lr, run, every=5, share=HALF, momentum=D("0.9")):
    """Zhang et al. 2019, algorithm 1, around gradient descent with momentum."""
    for p in ps:
        slow = p.s.setdefault("slow", list(p.w))
        p.s["b"] = p.g if t == 1 else [momentum * b + g for b, g in zip(p.s["b"], p.g)]
        p.w = [w - lr * b for w, b in zip(p.w, p.s["b"])]
        if t % every == 0:
            p.s["slow"] = slow = [a + share * (w - a) for a, w in zip(slow, p.w)]
            p.w = list(slow)
        p.evaluated = slow


def prodigy(ps, t, lr, run, b1=D("0.9"), b2=D("0.999"), eps=D("1e-8"), decay=ZERO, d0=D("1e-6"), coefficient=ONE,
            growth=None, correct=False):
    """Mishchenko, Defazio 2023, algorithm 4, as its authors' reference program has it."""
    b3 = b2.sqrt()
    d = run.get("d", d0)
    largest = run.get("largest", d0)
    rate = d * lr * ((1 - b2**t).sqrt() / (1 - b1**t) if correct else 1)
    numerator, denominator = b3 * run.get("numerator", ZERO), ZERO
    for p in ps:
        first = p.s.setdefault("w0", list(p.w))
        n = len(p.w)
        m, v, s = (p.s.setdefault(name, [ZERO] * n) for name in "mvs")
        for k, g in enumerate(p.g):
            numerator += d / d0 * rate * g * (first[k] - p.w[k])
            m[k] = b1 * m[k] + (1 - b1) * d * g
            v[k] = b2 * v[k] + (1 - b2) * (d * g) ** 2
            s[k] = b3 * s[k] + d / d0 * rate * g
            denominator += abs(s[k])
    estimate = coefficient * numerator / denominator
    following = max(d, estimate) if d == d0 else d
    largest = max(largest, estimate)
    following = min(largest, following * growth) if growth is not None else largest
    for p in ps:
        m, v = p.s["m"], p.s["v"]
        p.w = [w * (1 - rate * (decay if p.decays else 0)) - rate * m[k] / (v[k].sqrt() + following * eps)
               for k, w in enumerate(p.w)]
    run.update(d=following, largest=largest, numerator=numerator)


# ---- Whole matrices, as lists of rows


def matrix(flat, rows, columns):
    return [flat[r * columns:(r + 1) * columns] for r in range(rows)]


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def transposed(a):
    return [list(row) for row in zip(*a)]


def combined(*terms):
    """The sum of factor times matrix over pairs."""
    first = terms[0][1]
    return [[sum(f * m[r][c] for f, m in terms) for c in range(len(first[0]))] for r in range(len(first))]


def flat(a):
    return [x for row in a for x in row]


def muon(ps, t, lr, run, momentum=D("0.95"), nesterov=True, decay=D("0.01"), by_shape=False, rest_rate=ONE):
    """Jordan et al. 2024, the scale of Liu et al. 2025 unless by_shape; AdamW for all but hidden matrices."""
    adamw([p for p in ps if not p.hidden], t, lr * rest_rate, run)
    for p in ps:
        if not p.hidden:
            continue
        b = p.s.setdefault("b", [ZERO] * len(p.w))
        p.s["b"] = b = [momentum * x + (1 - momentum) * g for x, g in zip(b, p.g)]
        u = [(1 - momentum) * g + momentum * x for g, x in zip(p.g, b)] if nesterov else b
        size = length(u) + D("1e-7")
        x = matrix([v / size for v in u], p.rows, p.columns)
        for _ in range(5):
            square = product(x, transposed(x))
            x = combined((D("3.4445"), x), (D("-4.775"), product(square, x)),
                         (D("2.0315"), product(square, product(square, x))))
        scale = D("0.2") * D(max(p.rows, p.columns)).sqrt()
        if by_shape:
            scale = max(ONE, D(p.rows) / p.columns).sqrt()
        p.w = [w * (1 - lr * decay) - lr * scale * d for w, d in zip(p.w, flat(x))]


def identity(n, factor=ONE):
    return [[factor if r == c else ZERO for c in range(n)] for r in range(n)]


def eigen(a):
    """Eigenvalues, falling, and eigenvectors in rows, of a symmetric matrix: Jacobi's rotations."""
    n = len(a)
    a, v = [list(row) for row in a], identity(n)
    for _ in range(20):
        for p in range(n):
            for q in range(p + 1, n):
                if abs(a[p][q]) < D("1e-60"):
                    continue
                theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
                t = (ONE if theta >= 0 else -ONE) / (abs(theta) + (theta * theta + 1).sqrt())
                c = 1 / (t * t + 1).sqrt()
                rotation = identity(n)
                rotation[p][p], rotation[q][q], rotation[p][q], rotation[q][p] = c, c, t * c, -t * c
                a = product(transposed(rotation), product(a, rotation))
                v = product(v, rotation)
    values = [a[i][i] for i in range(n)]
    order = sorted(range(n), key=lambda i: -values[i])
    return [values[i] for i in order], [transposed(v)[i] for i in order]


def orthonormal(rows):
    out = []
    for row in rows:
        for o in out:
            dot = sum(x * y for x, y in zip(row, o))
            row = [x - dot * y for x, y in zip(row, o)]
        size = length(row)
        out.append([x / size for x in row])
    return out


def shampoo(ps, t, lr, run, beta=ONE, momentum=D("0.9"), epsilon=D("1e-4"), decay=ZERO, graft=True,
            b2=D("0.999"), every=10, longest=2048):
    """Gupta, Koren, Singer 2018, algorithm 1, with a mean of steps and the length of Adam's (Anil et al. 2020)."""
    adamw([p for p in ps if not p.hidden], t, lr, run)
    for p in ps:
        if not p.hidden:
            continue
        g = matrix(p.g, p.rows, p.columns)
        sides = [(n, k) for n, k in ((p.rows, "L"), (p.columns, "R")) if n <= longest]
        for n, key in sides:
            square = product(g, transposed(g)) if key == "L" else product(transposed(g), g)
            share = ONE if beta == 1 else 1 - beta
            p.s[key] = combined((beta, p.s.get(key, identity(n, epsilon))), (share, square))
            if (t - 1) % every == 0:
                values, vectors = eigen(p.s[key])
                roots = [max(x, epsilon).sqrt() for x in values]
                if len(sides) == 2:
                    roots = [x.sqrt() for x in roots]
                p.s["root " + key] = product(transposed(vectors),
                                             [[x / r for x in row] for row, r in zip(vectors, roots)])
        step = g
        if "root L" in p.s:
            step = product(p.s["root L"], step)
        if "root R" in p.s:
            step = product(step, p.s["root R"])
        step = flat(step)
        if graft:
            v = p.s.setdefault("v", [ZERO] * len(p.w))
            p.s["v"] = v = [b2 * x + (1 - b2) * y * y for x, y in zip(v, p.g)]
            like = [y / ((x / (1 - b2**t)).sqrt() + D("1e-8")) for x, y in zip(v, p.g)]
            step = [x * length(like) / length(step) for x in step]
        b = p.s.setdefault("b", [ZERO] * len(p.w))
        p.s["b"] = [momentum * x + (1 - momentum) * y for x, y in zip(b, step)]
        p.w = [w * (1 - lr * decay) - lr * x for w, x in zip(p.w, p.s["b"])]


def soap(ps, t, lr, run, b1=D("0.95"), b2=D("0.95"), eps=D("1e-8"), beta=D("0.95"), decay=D("0.01"), every=10,
         longest=2048):
    """Vyas et al. 2024, algorithm 3; update 1 only sets the bases."""
    adamw([p for p in ps if not p.hidden], t, lr, run)
    for p in ps:
        if not p.hidden:
            continue
        g = matrix(p.g, p.rows, p.columns)
        zero = [[ZERO] * p.columns for _ in range(p.rows)]
        left, right = p.s.get("left", identity(p.rows)), p.s.get("right", identity(p.columns))
        if t > 1:
            turned = product(left, product(g, transposed(right)))
            p.s["m"] = m = combined((b1, p.s.get("m", zero)), (1 - b1, turned))
            p.s["v"] = v = combined((b2, p.s.get("v", zero)), (1 - b2, [[x * x for x in row] for row in turned]))
            rate = (1 - b2 ** (t - 1)).sqrt() / (1 - b1 ** (t - 1))
            step = [[rate * x / (y.sqrt() + eps) for x, y in zip(a, b)] for a, b in zip(m, v)]
            step = flat(product(transposed(left), product(step, right)))
            p.w = [(w - lr * x) * (1 - lr * decay) for w, x in zip(p.w, step)]
        refresh = t > 1 and (t - 1) % every == 0
        if refresh:
            p.s["m"] = product(transposed(left), product(p.s["m"], right))
        for key, side, n in (("left", left, p.rows), ("right", right, p.columns)):
            if n > longest:
                continue
            square = product(g, transposed(g)) if key == "left" else product(transposed(g), g)
            moment = p.s["of " + key] = combined((beta, p.s.get("of " + key, identity(n, ZERO))), (1 - beta, square))
            if t == 1:
                p.s[key] = eigen(moment)[1]
            elif refresh:
                power_step = product(side, moment)
                values = [sum(x * y for x, y in zip(a, b)) for a, b in zip(power_step, side)]
                order = sorted(range(n), key=lambda i: -values[i])
                p.s[key] = orthonormal([power_step[i] for i in order])
                v = p.s["v"]
                p.s["v"] = [v[i] for i in order] if key == "left" else [[row[i] for i in order] for row in v]
        if refresh:
            left, right = p.s.get("left", identity(p.rows)), p.s.get("right", identity(p.columns))
            p.s["m"] = product(left, product(p.s["m"], transposed(right)))


CASES = {
    "nadamw": (nadamw, "0.01", dict(decay=D("0.5"))),
    "adabelief": (adabelief, "0.01", dict(decay=D("0.5"))),
    "adabelief plain": (adabelief, "0.01", dict(rectified=False)),
    "lion": (lion, "0.01", dict(decay=D("0.5"))),
    "adan": (adan, "0.01", dict(decay=D("0.5"))),
    "adopt": (adopt, "0.01", dict(decay=D("0.5"))),
    "adopt unclipped": (adopt, "0.01", dict(clips=False)),
    "sophia_g": (sophia_g, "0.01", {}),
    "lamb": (lamb, "0.01", {}),
    "lamb limits": (lamb, "0.05", dict(longest=D(2), largest=HALF)),
    "lars": (lars, "8", {}),
    "cautious adamw": (cautious_adamw, "0.01", dict(decay=D("0.5"))),
    "schedule_free_sgd": (schedule_free_sgd, "0.1", dict(decay=D("0.25"))),
    "schedule_free_adamw": (schedule_free_adamw, "0.02", dict(decay=D("0.25"), r=D(2))),
    "lookahead sgd": (lookahead_sgd, "0.05", {}),
    "prodigy": (prodigy, "1", dict(decay=D("0.01"))),
    "prodigy settings": (prodigy, "1", dict(d0=D("0.001"), coefficient=D("0.5"), growth=D("1.25"), correct=True)),
    "muon": (muon, "0.02", dict(decay=D("0.5"))),
    "muon by shape": (muon, "0.02", dict(nesterov=False, by_shape=True, rest_rate=D("0.25"))),
    "shampoo": (shampoo, "0.02", dict(decay=D("0.5"))),
    "shampoo plain": (shampoo, "0.1", dict(graft=False, momentum=ZERO, every=1)),
    "shampoo means": (shampoo, "0.02", dict(beta=D("0.9"), every=3, longest=2)),
    "soap": (soap, "0.02", dict(decay=D("0.5"))),
    "soap one side": (soap, "0.02", dict(every=1, longest=2)),
}


def show(name, t, weights):
    print('{"%s", %d, {%s}},' % (name, t, ", ".join(repr(float(w)) for w in weights)))


if __name__ == "__main__":
    for name, (step, lr, settings) in CASES.items():
        ps, run = parameters(), {}
        for t in range(1, UPDATES + 1):
            gradients(ps, t)
            step(ps, t, rate(D(lr), t), run, **settings)
            if t in SHOWN:
                show(name, t, [w for p in ps for w in p.w])
                if hasattr(ps[0], "evaluated"):
                    show(name + " evaluated", t, [w for p in ps for w in p.evaluated])
