# SPDX-License-Identifier: MIT
"""Formulas inside the transforms of torch.func, and with tangents of forward mode.

There a recorded formula is one operation of PyTorch. Its gradients and its tangents are formulas, too, so derivatives of any order follow
the rules of the library, and each is computed in one pass.
"""

from collections.abc import Sequence
from typing import Any

import torch

Leaves = Sequence[Any]  # tensors and numbers, one for each argument of a formula


class _Evaluated(torch.autograd.Function):
    """Evaluates a recorded formula; its arguments are leaves."""

    @staticmethod
    def forward(recorded: Any, *leaves: Any) -> Any:
        return tuple(recorded.evaluate(leaves))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.recorded, *leaves = inputs
        ctx.numbers = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)

    @staticmethod
    def backward(ctx: Any, *weights: Any) -> Any:
        leaves = _leaves_of(ctx)
        by = [k for k, needed in enumerate(ctx.needs_input_grad[1:]) if needed]
        gradient = ctx.recorded.gradient(by)
        if gradient is None:
            found = torch.func.vjp(_composed(ctx.recorded, leaves, by), *(leaves[k] for k in by))[1](weights)
        else:
            found = _Evaluated.apply(gradient, *leaves, *weights)  # type: ignore[no-untyped-call]
        gradients: list[Any] = [None] * len(leaves)
        for k, g in zip(by, found, strict=True):
            gradients[k] = g.sum_to_size(leaves[k].shape)
        return None, *gradients

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        leaves = _leaves_of(ctx)
        by = [k for k, t in enumerate(tangents[1:]) if t is not None]
        along = [tangents[1 + k] for k in by]
        tangent = ctx.recorded.tangent(by)
        if tangent is None:
            return torch.func.jvp(_composed(ctx.recorded, leaves, by), tuple(leaves[k] for k in by), tuple(along))[1]
        return _Evaluated.apply(tangent, *leaves, *along)  # type: ignore[no-untyped-call]

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], recorded: Any, *leaves: Any) -> Any:
        """Makes the mapped dimension the first batch dimension."""
        ranks = recorded.ranks()
        first = [
            leaf.movedim(d, 0) if d is not None else leaf[None] if isinstance(leaf, torch.Tensor) else leaf
            for leaf, d in zip(leaves, in_dims[1:], strict=True)
        ]
        batch_dims = [t.dim() - n if isinstance(t, torch.Tensor) else 0 for t, n in zip(first, ranks, strict=True)]
        most = max(batch_dims)
        together = [
            t.reshape((t.shape[0], *[1] * (most - n), *t.shape[1:])) if isinstance(t, torch.Tensor) else t
            for t, n in zip(first, batch_dims, strict=True)
        ]
        found = _Evaluated.apply(recorded, *together)  # type: ignore[no-untyped-call]
        return tuple(t.expand((info.batch_size, *t.shape[1:])) for t in found), (0,) * len(found)


def _leaves_of(ctx: Any) -> list[Any]:
    saved = iter(ctx.saved_tensors)
    return [next(saved) if number is None else number for number in ctx.numbers]


def _composed(recorded: Any, leaves: Leaves, by: list[int]) -> Any:
    """A function of the leaves `by` that computes the results by PyTorch's operations. It is for derivatives that formulas do not have."""

    def results(*variables: Any) -> Any:
        own = dict(zip(by, variables, strict=True))
        return tuple(recorded.compose([own.get(k, leaf) for k, leaf in enumerate(leaves)]))

    return results


def evaluated(recorded: Any, leaves: Leaves) -> list[Any]:
    """The results of a recorded formula."""
    return list(_Evaluated.apply(recorded, *leaves))  # type: ignore[no-untyped-call]
