#!/usr/bin/env python3
"""Writes optimizers_torch.txt: the runs of optimizers_long.py by PyTorch's optimizers, in double precision
(made with PyTorch 2.15.0). The problem is written down there.
Run it in this folder:  python3 optimizers_torch.py > optimizers_torch.txt
"""
import torch
from torch import optim

from optimizers_long import SHOWN, UPDATES, parameters, show

torch.set_default_dtype(torch.float64)

CASES = {
    "torch sgd": (optim.SGD, 0.05, {}, "weight_decay", 0.25),
    "torch sgd damping": (optim.SGD, 0.05, dict(momentum=0.9, dampening=0.5), "weight_decay", 0.25),
    "torch sgd nesterov": (optim.SGD, 0.05, dict(momentum=0.9, nesterov=True), "weight_decay", 0.25),
    "torch adam": (optim.Adam, 0.01, {}, "weight_decay", 0.25),
    "torch amsgrad": (optim.Adam, 0.01, dict(amsgrad=True, betas=(0.9, 0.9)), "weight_decay", 0.25),
    "torch adamw": (optim.AdamW, 0.01, dict(betas=(0.9, 0.98), eps=1e-9), "weight_decay", 0.5),
    "torch amsgrad decoupled": (optim.AdamW, 0.01, dict(amsgrad=True, betas=(0.9, 0.9)), "weight_decay", 0.5),
    "torch nadam": (optim.NAdam, 0.01, {}, "weight_decay", 0.25),
    "torch nadam decoupled": (optim.NAdam, 0.01, dict(decoupled_weight_decay=True, momentum_decay=0.01),
                              "weight_decay", 0.5),
    "torch radam": (optim.RAdam, 0.01, dict(decoupled_weight_decay=True), "weight_decay", 0.5),
    "torch adafactor": (optim.Adafactor, 0.01, {}, "weight_decay", 0.5),
}

for name, (kind, lr, settings, decay_name, decay) in CASES.items():
    described = parameters()
    weights = [torch.tensor([float(w) for w in p.w]).reshape(p.rows, p.columns).squeeze(-1).requires_grad_()
               for p in described]
    groups = [dict(params=[w for w, p in zip(weights, described) if p.decays], **{decay_name: decay}),
              dict(params=[w for w, p in zip(weights, described) if not p.decays], **{decay_name: 0.0})]
    job = kind(groups, lr=lr, **settings)
    for t in range(1, UPDATES + 1):
        for group in job.param_groups:
            group["lr"] = lr * min(1.0, t / 5)
        i = 0
        for w in weights:
            n = w.numel()
            index = torch.arange(i, i + n)
            flat = w.detach().flatten()
            g = (1 + index % 3) / 4 * (flat - ((13 * index) % 7 - 3) / 2) + ((7 * t + 5 * index) % 11 - 5) / 16
            w.grad = g.reshape(w.shape)
            i += n
        job.step()
        if t in SHOWN:
            show(name, t, [x for w in weights for x in w.detach().flatten().tolist()])
