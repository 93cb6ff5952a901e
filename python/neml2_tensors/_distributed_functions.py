# SPDX-License-Identifier: MIT
"""Functions of a tensor that all processes have, or that is divided among them, with their derivatives. Gather and Part are each other's
derivatives, and so are Sum and Expand. In their argument x the divided dimension is the first one."""

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd.function import once_differentiable

from ._processes import Processes, tree_sum

ACCUMULATED = {torch.float16: torch.float32, torch.bfloat16: torch.float32}  # sums are accumulated in a dtype with more digits


def divided(n: int, size: int) -> list[int]:
    return [n // size + (k < n % size) for k in range(size)]


def slice_of(counts: list[int], rank: int) -> slice:
    begin = sum(counts[:rank])
    return slice(begin, begin + counts[rank])


def add(p: Processes, x: torch.Tensor, counts: list[int]) -> torch.Tensor:
    if not x.is_floating_point() and not x.is_complex():
        x = x.to(torch.int64)
    return differentiated(Sum, x.to(ACCUMULATED.get(x.dtype, x.dtype)), p, counts).to(x.dtype)


def differentiated(function: Any, x: torch.Tensor, p: Processes, counts: list[int], *more: Any) -> torch.Tensor:
    return function.apply(x, p, counts, *more)  # type: ignore[no-any-return]


def _agree_on(p: Processes, function: str, counts: list[int]) -> Processes:
    """Checks that all processes are computing the derivative of the same function."""
    q = p.named(f"backward of {p.name}")
    q.agree(f"{function}, parts of {counts} entries")
    return q


class Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, p: Processes, counts: list[int]) -> torch.Tensor:
        ctx.p, ctx.counts = p, counts
        return p.gather(x, counts)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return differentiated(Part, gradients[0], ctx.p, ctx.counts), None, None


class Part(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, p: Processes, counts: list[int]) -> torch.Tensor:
        ctx.p, ctx.counts = p, counts
        return x[slice_of(counts, p.rank)]

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (g,) = gradients
        p = _agree_on(ctx.p, f"gradient {_shape(g)}", ctx.counts)
        return differentiated(Gather, g, p, ctx.counts), None, None


class Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, p: Processes, counts: list[int]) -> torch.Tensor:
        ctx.p, ctx.counts = p, counts
        return tree_sum(p, x, counts)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return differentiated(Expand, gradients[0], ctx.p, ctx.counts), None, None


class Expand(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, p: Processes, counts: list[int]) -> torch.Tensor:
        ctx.p, ctx.counts = p, counts
        return x.expand(counts[p.rank], *x.shape)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (g,) = gradients
        p = _agree_on(ctx.p, f"gradient {_shape(g)}", ctx.counts)
        return add(p, g, ctx.counts), None, None


class Extremum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, p: Processes, counts: list[int], of: Callable[..., torch.Tensor]) -> torch.Tensor:
        found = [int(n > 0) for n in counts]
        mine = of(x, 0).unsqueeze(0) if len(x) else x
        result = of(p.gather(mine, found), 0)
        if ctx.needs_input_grad[0]:
            equal = x == result
            number = p.gather(equal.sum(0).unsqueeze(0), [1] * p.size).sum(0)
            ctx.save_for_backward(equal, number)
        ctx.p, ctx.counts = p, counts
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        equal, number = ctx.saved_tensors
        each = differentiated(Expand, gradients[0], ctx.p, ctx.counts)
        return each * equal / number, None, None, None


class ScatterFrom(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, p: Processes, counts: list[int], source: int) -> torch.Tensor:
        ctx.p, ctx.counts, ctx.source, ctx.empty = p, counts, source, x.new_empty((0, *x.shape[1:]))
        part = x.new_empty((counts[p.rank], *x.shape[1:]))
        return p.scatter(x if p.rank == source else None, part, counts, source)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        (g,) = gradients
        p = _agree_on(ctx.p, f"gradient {_shape(g)}", ctx.counts)
        whole = p.gather_to(g, ctx.counts, ctx.source)
        return ctx.empty if whole is None else whole, None, None, None


def _shape(g: torch.Tensor) -> str:
    """A text with the shape and dtype of a part, except its number of entries."""
    return f"({', '.join(['n', *map(str, g.shape[1:])])}) {str(g.dtype).removeprefix('torch.')}"
