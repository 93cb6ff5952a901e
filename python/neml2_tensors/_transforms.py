# SPDX-License-Identifier: MIT
"""Formulas inside the transforms of torch.func, and with tangents of forward mode.

There a recorded formula is one operation of PyTorch. Its gradients and its tangents are formulas, too, so derivatives of any order follow
the rules of the library, and each is computed in one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.autograd.forward_ad as forward_ad

Leaves = Sequence[Any]  # tensors and numbers, one for each argument of a formula


class _Formula:
    """A recorded formula as a function of its leaves, and a function that composes its results from PyTorch's operations, for derivatives that
    formulas do not have."""

    def __init__(self, recorded: Any, compose: Callable[[Leaves], Leaves]):
        self.recorded = recorded
        self._compose = compose

    def __call__(self, *leaves: Any) -> tuple[Any, ...]:
        return _Evaluated.apply(self, *leaves)  # type: ignore[no-untyped-call, no-any-return]

    def gradient(self, by: list[int]) -> Callable[..., tuple[Any, ...]]:
        """The gradients by these arguments, per point, as a function of the arguments and of the weights of the results."""

        def compose(leaves: Leaves) -> tuple[Any, ...]:
            *function, weights = self._composed(leaves, self.recorded.result_ranks(), by)
            return torch.func.vjp(*function)[1](weights)  # type: ignore[no-any-return]

        return self._derivative(self.recorded.gradient(by), compose)

    def tangent(self, by: list[int]) -> Callable[..., tuple[Any, ...]]:
        """The tangents of the results as a function of the arguments and of the tangents of these arguments."""

        def compose(leaves: Leaves) -> tuple[Any, ...]:
            ranks = self.recorded.ranks()
            function, *variables, along = self._composed(leaves, [ranks[k] for k in by], by)
            return torch.func.jvp(function, tuple(variables), along)[1]  # type: ignore[no-any-return]

        return self._derivative(self.recorded.tangent(by), compose)

    @staticmethod
    def _derivative(recorded: Any, compose: Callable[[Leaves], Leaves]) -> Callable[..., tuple[Any, ...]]:
        if recorded is None:
            return lambda *leaves: tuple(compose(leaves))
        return _Formula(recorded, compose if recorded.is_last() else recorded.compose)

    def _composed(self, leaves: Leaves, ranks: list[int], by: list[int]) -> tuple[Any, ...]:
        """The composed results as a function of the leaves `by`, then these leaves and all additional leaves, which have these numbers of base
        dimensions. All of them are expanded to the batch, so that each point has its own derivatives."""
        own_ranks = self.recorded.ranks()
        own, more = leaves[: len(own_ranks)], leaves[len(own_ranks) :]
        bases = [t.shape[t.dim() - n :] if isinstance(t, torch.Tensor) else None for t, n in zip(leaves, [*own_ranks, *ranks], strict=True)]
        batches = [t.shape[: t.dim() - len(b)] for t, b in zip(leaves, bases, strict=True) if b is not None]
        batch = torch.broadcast_shapes(*batches)  # type: ignore[no-untyped-call]
        wide = [t if b is None else t.expand((*batch, *b)).contiguous() for t, b in zip(leaves, bases, strict=True)]

        def results(*variables: Any) -> tuple[Any, ...]:
            chosen = dict(zip(by, variables, strict=True))
            return tuple(self._compose([chosen.get(k, leaf) for k, leaf in enumerate(own)]))

        return results, *(wide[k] for k in by), tuple(wide[len(own) : len(own) + len(more)])


class _Evaluated(torch.autograd.Function):
    """Evaluates a recorded formula; its arguments are leaves."""

    @staticmethod
    def forward(formula: _Formula, *leaves: Any) -> Any:
        return tuple(formula.recorded.evaluate(leaves))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.formula, *leaves = inputs
        ctx.set_materialize_grads(False)  # zeros for a missing tangent would be multiplied by infinite derivatives
        ctx.numbers = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        ctx.shapes = [(t.shape, t.dtype) for t in output]
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)

    @staticmethod
    def backward(ctx: Any, *weights: Any) -> Any:
        leaves = _leaves_of(ctx)
        by = [k for k, needed in enumerate(ctx.needs_input_grad[1:]) if needed]
        like = next(t for t in leaves if isinstance(t, torch.Tensor))
        all_weights = [
            like.new_zeros(shape, dtype=dtype) if w is None else w for w, (shape, dtype) in zip(weights, ctx.shapes, strict=True)
        ]
        found = ctx.formula.gradient(by)(*leaves, *all_weights)
        gradients: list[Any] = [None] * len(leaves)
        for k, g in zip(by, found, strict=True):
            gradients[k] = g.sum_to_size(leaves[k].shape)
        return None, *gradients

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        by = [k for k, t in enumerate(tangents[1:]) if t is not None]
        unpack: Any = forward_ad.unpack_dual
        leaves = [unpack(t, level=0).primal if isinstance(t, torch.Tensor) else t for t in _leaves_of(ctx)]
        with forward_ad._set_fwd_grad_enabled(True):  # torch turns it off here, and outer levels with it
            return ctx.formula.tangent(by)(*leaves, *(tangents[1 + k] for k in by))

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], formula: _Formula, *leaves: Any) -> Any:
        """Makes the mapped dimension the first batch dimension."""
        ranks = formula.recorded.ranks()
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
        found = formula(*together)
        return tuple(t.expand((info.batch_size, *t.shape[1:])) for t in found), (0,) * len(found)


def _leaves_of(ctx: Any) -> list[Any]:
    saved = iter(ctx.saved_tensors)
    return [next(saved) if number is None else number for number in ctx.numbers]


def evaluated(recorded: Any, leaves: Leaves) -> list[Any]:
    """The results of a recorded formula."""
    return list(_Formula(recorded, recorded.compose)(*leaves))
