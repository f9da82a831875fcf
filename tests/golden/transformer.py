#!/usr/bin/env python3
"""Writes transformer.txt: a small encoder-decoder, Post-LN and Pre-LN, computed from the equations of Vaswani et al.
2017 with nothing but Python floats. Gradients come from a tape of scalars (reverse mode, one rule for each elementary
operation), so no derivative of a layer is written down anywhere; a central difference checks the tape.
Made with Python 3.11.

Each line is an initialiser of the struct in tests/unit/model/golden.cpp:
    {"placement", "what", index, value},
Run it in this folder:  python3 transformer.py > transformer.txt
"""
import math

D, FF, HEADS, LAYERS, V = 8, 12, 2, 2, 11
BEGIN, END = 1, 2
PAIRS = [([3, 4, 5, 2], [6, 7]), ([8, 2], [9, 10, 3, 3]), ([5, 6, 7, 8, 9, 2], [])]
SMOOTHING, RATE, BETA1, BETA2, EPSILON, CLIP = 0.1, 0.01, 0.9, 0.98, 1e-8, 1.0

TAPE = []


class S:
    """A number with its derivative, and the numbers it came from with the partial derivatives."""
    __slots__ = ("v", "d", "parents")

    def __init__(self, v, parents=()):
        self.v, self.d, self.parents = v, 0.0, parents
        TAPE.append(self)



def add(*xs):
    return S(sum(x.v for x in xs), [(x, 1.0) for x in xs])


def sub(a, b):
    return S(a.v - b.v, [(a, 1.0), (b, -1.0)])


def mul(a, b):
    return S(a.v * b.v, [(a, b.v), (b, a.v)])


def times(c, a):
    return S(c * a.v, [(a, c)])


def div(a, b):
    return S(a.v / b.v, [(a, 1 / b.v), (b, -a.v / b.v**2)])


def dot(a, b):
    return S(sum(x.v * y.v for x, y in zip(a, b)), [(x, y.v) for x, y in zip(a, b)] + [(y, x.v) for x, y in zip(a, b)])


def exp(a):
    e = math.exp(a.v)
    return S(e, [(a, e)])


def log(a):
    return S(math.log(a.v), [(a, 1 / a.v)])


def sqrt(a):
    r = math.sqrt(a.v)
    return S(r, [(a, 0.5 / r)])


def relu(a):
    return S(max(a.v, 0.0), [(a, 1.0 if a.v > 0 else 0.0)])


def backward(loss):
    for x in TAPE:
        x.d = 0.0
    loss.d = 1.0
    for x in reversed(TAPE):
        for parent, partial in x.parents:
            parent.d += x.d * partial


def start(name, count):
    """Multiples of 1/256, so that both programs begin with the same bits. Gains are around 1."""
    seed = sum((i + 1) * ord(c) for i, c in enumerate(name))
    shift = 1 if name.endswith(".gain") else 0
    return [shift + ((seed + 37 * i + 5 * i * i) % 101 - 50) / 256 for i in range(count)]


def parameter_shapes(pre):
    shapes = {"embedding.weight": (V, D)}

    def linear(name, out, width):
        shapes[name + ".weight"], shapes[name + ".bias"] = (out, width), (out, 1)

    def norm(name):
        shapes[name + ".gain"], shapes[name + ".bias"] = (D, 1), (D, 1)

    for stack, attentions in (("encoder", ["self_attention"]), ("decoder", ["self_attention", "cross_attention"])):
        for layer in range(LAYERS):
            for attention in attentions:
                for part in ("query", "key", "value", "output"):
                    linear(f"{stack}.{layer}.{attention}.{part}", D, D)
                norm(f"{stack}.{layer}.{attention}.norm")
            linear(f"{stack}.{layer}.ffn.up", FF, D)
            linear(f"{stack}.{layer}.ffn.down", D, FF)
            norm(f"{stack}.{layer}.ffn.norm")
        if pre:
            norm(stack + ".norm")
    return shapes


class Model:
    def __init__(self, pre, weights):
        self.pre = pre
        self.p = {name: [S(x) for x in values] for name, values in weights.items()}

    def linear(self, x, name):
        w, b = self.p[name + ".weight"], self.p[name + ".bias"]
        return [[add(dot(row, w[o * len(row):(o + 1) * len(row)]), b[o]) for o in range(len(b))] for row in x]

    def norm(self, x, name):
        gain, bias = self.p[name + ".gain"], self.p[name + ".bias"]
        out = []
        for row in x:
            mean = times(1 / D, add(*row))
            centred = [sub(v, mean) for v in row]
            deviation = sqrt(add(times(1 / D, dot(centred, centred)), S(1e-5)))
            out.append([add(mul(div(c, deviation), g), b) for c, g, b in zip(centred, gain, bias)])
        return out

    def attention(self, x, memory, name, causal):
        q, k, v = self.linear(x, name + ".query"), self.linear(memory, name + ".key"), self.linear(memory, name + ".value")
        width, rows = D // HEADS, []
        for i in range(len(q)):
            row = []
            for h in range(0, D, width):
                keys = range(i + 1) if causal else range(len(k))
                weights = [exp(times(1 / math.sqrt(width), dot(q[i][h:h + width], k[t][h:h + width]))) for t in keys]
                total = add(*weights)
                weights = [div(w, total) for w in weights]
                row += [dot(weights, [v[t][c] for t in keys]) for c in range(h, h + width)]
            rows.append(row)
        return self.linear(rows, name + ".output")

    def sublayer(self, x, name, f):
        plus = lambda a, b: [[add(u, w) for u, w in zip(r, s)] for r, s in zip(a, b)]
        if self.pre:
            return plus(x, f(self.norm(x, name + ".norm")))
        return self.norm(plus(x, f(x)), name + ".norm")

    def ffn(self, x, name):
        return self.linear([[relu(v) for v in row] for row in self.linear(x, name + ".up")], name + ".down")

    def embed(self, tokens):
        out = []
        for position, token in enumerate(tokens, 1):
            code = []
            for c in range(D):
                angle = position * math.exp(-(c % (D // 2)) / (D // 2 - 1) * math.log(10000))
                code.append(math.sin(angle) if c < D // 2 else math.cos(angle))
            row = self.p["embedding.weight"][token * D:(token + 1) * D]
            out.append([add(times(math.sqrt(D), e), S(c)) for e, c in zip(row, code)])
        return out

    def log_probabilities(self, source, target_in):
        x = self.embed(source)
        for l in range(LAYERS):
            n = f"encoder.{l}."
            x = self.sublayer(x, n + "self_attention", lambda y: self.attention(y, y, n + "self_attention", False))
            x = self.sublayer(x, n + "ffn", lambda y: self.ffn(y, n + "ffn"))
        memory = self.norm(x, "encoder.norm") if self.pre else x
        y = self.embed(target_in)
        for l in range(LAYERS):
            n = f"decoder.{l}."
            y = self.sublayer(y, n + "self_attention", lambda z: self.attention(z, z, n + "self_attention", True))
            y = self.sublayer(y, n + "cross_attention", lambda z: self.attention(z, memory, n + "cross_attention", False))
            y = self.sublayer(y, n + "ffn", lambda z: self.ffn(z, n + "ffn"))
        if self.pre:
            y = self.norm(y, "decoder.norm")
        table = self.p["embedding.weight"]
        out = []
        for row in y:
            z = [dot(row, table[v * D:(v + 1) * D]) for v in range(V)]
            total = log(add(*[exp(a) for a in z]))
            out.append([sub(a, total) for a in z])
        return out

    def mean_loss(self):
        """Label smoothing over the whole vocabulary, the mean over all target symbols; and the log-probabilities."""
        terms, rows = [], []
        for source, target in PAIRS:
            p = self.log_probabilities(source, [BEGIN] + target)
            rows += p
            for row, symbol in zip(p, target + [END]):
                terms.append(times(-(1 - SMOOTHING), row[symbol]))
                terms.append(times(-SMOOTHING / V, add(*row)))
        return times(1 / len(rows), add(*terms)), rows


def loss_of(pre, weights):
    TAPE.clear()
    return Model(pre, weights).mean_loss()[0].v


def check_tape(pre, weights, gradient):
    h, along = 1e-4, 0.0
    moved = []
    for sign in (1, -1):
        moved.append({n: [x + sign * h * math.sin(i + len(n)) for i, x in enumerate(w)] for n, w in weights.items()})
    for n, g in gradient.items():
        along += sum(d * math.sin(i + len(n)) for i, d in enumerate(g))
    quotient = (loss_of(pre, moved[0]) - loss_of(pre, moved[1])) / (2 * h)
    assert abs(quotient - along) < 1e-5 * (1 + abs(along)), (quotient, along)


def run(placement):
    pre = placement == "pre_norm"
    shapes = parameter_shapes(pre)
    weights = {n: start(n, r * c) for n, (r, c) in shapes.items()}
    m = {n: [0.0] * len(w) for n, w in weights.items()}
    v = {n: [0.0] * len(w) for n, w in weights.items()}

    def write(what, values):
        for i, x in enumerate(values):
            print('{"%s", "%s", %d, %r},' % (placement, what, i, x))

    write("parameters", [float(sum(len(w) for w in weights.values()))])
    for step in range(1, 6):
        TAPE.clear()
        model = Model(pre, weights)
        loss, rows = model.mean_loss()
        backward(loss)
        gradient = {n: [x.d for x in p] for n, p in model.p.items()}
        norm = math.sqrt(sum(d * d for g in gradient.values() for d in g))
        if step == 1:
            write("log_probabilities", [x.v for row in rows[:3] for x in row])
            write("embedding.weight", gradient["embedding.weight"][2 * D:4 * D])
            for name in ("encoder.0.self_attention.query.weight", "encoder.1.ffn.down.bias", "encoder.0.ffn.norm.gain",
                         "decoder.1.cross_attention.value.weight", "decoder.0.ffn.up.weight",
                         "decoder.1.self_attention.norm.bias"):
                write(name, gradient[name][:D])
            check_tape(pre, weights, gradient)
        write("loss %d" % step, [loss.v])
        write("norm %d" % step, [norm])
        scale = min(1.0, CLIP / (norm + 1e-6))
        for n in weights:
            for i, d in enumerate(gradient[n]):
                d *= scale
                m[n][i] = BETA1 * m[n][i] + (1 - BETA1) * d
                v[n][i] = BETA2 * v[n][i] + (1 - BETA2) * d * d
                mean, square = m[n][i] / (1 - BETA1**step), v[n][i] / (1 - BETA2**step)
                weights[n][i] -= RATE * mean / (math.sqrt(square) + EPSILON)


for name in ("post_norm", "pre_norm"):
    run(name)
