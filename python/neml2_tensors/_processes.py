# SPDX-License-Identifier: MIT
"""The exchanges within a group of processes, by the collective calls of torch.distributed. Each process first sends a description of the
call that it is about to make, so that a difference is an error in all processes. Then the processes exchange numbers."""

import hashlib
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

import torch

dist: Any = torch.distributed

# torch's optimizers import the module below. Its default arguments keep the group that exists at the time of the import. But
# destroy_process_group does not end the threads of a group that is still referenced, and such a thread may abort the process while Python
# ends. Therefore the module is imported here, before any group exists.
if dist.is_available() and not dist.is_initialized():
    import_module("torch.distributed.nn.functional")


class Processes:
    """A group of processes in one call of a function, whose name is in error messages."""

    def __init__(self, name: str, group: Any):
        if not dist.is_available():
            raise RuntimeError(f"{name}: this torch was built without torch.distributed. Install one that has it.")
        if not dist.is_initialized():
            raise RuntimeError(
                f"{name}: there is no group of processes. Call torch.distributed.init_process_group first; torchrun starts processes and "
                "sets the environment variables that it needs."
            )
        self.name, self._group = name, group
        self.rank: int = dist.get_rank(self.group)
        self.size: int = dist.get_world_size(self.group)
        if self.rank < 0:
            raise ValueError(f"{name}: this process is not in the group. Call it only in the processes of the group.")

    @property
    def group(self) -> Any:
        """The group. The group of all processes is not stored here, because autograd's graph would keep it alive after it was destroyed."""
        return dist.group.WORLD if self._group is None else self._group

    def device(self) -> torch.device:
        """The device for tensors that are exchanged and then read on the CPU. It is the CPU if the group can use it, because reading from
        another device waits for that device."""
        return torch.device("cpu") if self.reaches("cpu") else torch.device("cuda", torch.cuda.current_device())

    def reaches(self, kind: str) -> bool:
        """Whether the group exchanges tensors on this kind of device."""
        try:
            return self.group._get_backend(torch.device(kind)) is not None
        except RuntimeError:
            return False

    def named(self, name: str) -> "Processes":
        """The same processes, in a call of another function."""
        return Processes(name, self._group)

    # ---- Agreement ----

    def agree(self, call: str, number: int = 0) -> list[int]:
        """Returns the `number` of each process if all processes make the same call. Otherwise it raises a ValueError in all of them."""
        mine = int.from_bytes(hashlib.sha256(call.encode()).digest()[:7], "big")
        heads = self._heads([mine, len(call.encode()), number])
        if len({tuple(head[:2]) for head in heads}) > 1:
            raise ValueError(self._difference(call, heads))
        return [head[2] for head in heads]

    def refuse(self, error: BaseException) -> None:
        """Tells the other processes, which are waiting, that this process has refused its arguments."""
        text = f"{type(error).__name__}: {error}"
        self._texts(text, self._heads([-1, len(text.encode()), 0]))

    def _heads(self, head: list[int]) -> list[list[int]]:
        t = torch.tensor(head, device=self.device())
        return [h.tolist() for h in self.gather(t, [len(head)] * self.size).reshape(self.size, -1)]

    def _texts(self, text: str, heads: list[list[int]]) -> list[str]:
        sizes = [head[1] for head in heads]
        t = torch.tensor(list(text.encode()), dtype=torch.uint8, device=self.device())
        gathered = bytes(self.gather(t, sizes).tolist())
        ends = [sum(sizes[: k + 1]) for k in range(self.size)]
        return [gathered[end - size : end].decode() for size, end in zip(sizes, ends, strict=True)]

    def _difference(self, call: str, heads: list[list[int]]) -> str:
        texts = self._texts(call, heads)
        refused = [f"process {k} has refused its arguments, {texts[k]}" for k in range(self.size) if heads[k][0] == -1]
        if refused:
            return f"{self.name}: {'; '.join(refused)}"
        who = {text: [k for k in range(self.size) if texts[k] == text] for text in texts}
        calls = (f"{'process' if len(k) == 1 else 'processes'} {_list(k)}: {text}" for text, k in who.items())
        return (
            f"{self.name}: the processes do not make the same call. {'; '.join(calls)}. Expected the same call in all processes; "
            "only the number of entries n may differ."
        )

    # ---- Numbers ----

    def gather(self, part: torch.Tensor, counts: Sequence[int]) -> torch.Tensor:
        """The parts of all processes, one after the other along the first dimension. The part of process k has counts[k] entries."""
        largest, shape = max(counts), part.shape[1:]
        width = largest * shape.numel() * part.element_size()
        if width == 0:
            return part.new_empty((sum(counts), *shape))
        buffer = torch.empty((self.size, width), dtype=torch.uint8, device=part.device)
        with self.waiting():
            dist.all_gather(list(buffer.unbind()), _as_bytes(part, width), group=self.group)
        parts = buffer.view(part.dtype).reshape(self.size, largest, *shape)
        if min(counts) == largest:
            return parts.reshape(-1, *shape)
        return torch.cat([p[:n] for p, n in zip(parts, counts, strict=True)])

    def scatter(self, whole: torch.Tensor | None, part: torch.Tensor, counts: Sequence[int], source: int) -> torch.Tensor:
        """This process's part of the tensor `whole`, which only process number `source` has. It has the shape and dtype of `part`."""
        width = max(counts) * part.shape[1:].numel() * part.element_size()
        if width == 0:
            return part
        buffer = torch.empty(width, dtype=torch.uint8, device=part.device)
        parts = None if whole is None else [_as_bytes(p, width) for p in torch.split(whole, list(counts))]
        with self.waiting():
            dist.scatter(buffer, parts, src=dist.get_global_rank(self.group, source), group=self.group)
        return buffer.view(part.dtype)[: part.numel()].reshape(part.shape)

    def gather_to(self, part: torch.Tensor, counts: Sequence[int], source: int) -> torch.Tensor | None:
        """Like gather, but only process number `source` gets the result."""
        largest, shape = max(counts), part.shape[1:]
        width = largest * shape.numel() * part.element_size()
        buffers = None
        if self.rank == source:
            buffers = list(torch.empty((self.size, width), dtype=torch.uint8, device=part.device).unbind())
        if width > 0:
            with self.waiting():
                root = dist.get_global_rank(self.group, source)
                dist.gather(_as_bytes(part, width), buffers, dst=root, group=self.group)
        if buffers is None:
            return None
        return torch.cat([b.view(part.dtype).reshape(largest, *shape)[:n] for b, n in zip(buffers, counts, strict=True)])

    def share(self, value: Any, source: int) -> Any:
        """Sends an object of process number `source` to all processes. Returns it in each process."""
        objects = [value]
        with self.waiting():
            root = dist.get_global_rank(self.group, source)
            dist.broadcast_object_list(objects, src=root, group=self.group, device=self.device())
        return objects[0]

    def waiting(self) -> "_Waiting":
        return _Waiting(self)


class _Waiting:
    """Adds the usual cause to the message of an error that occurs in an exchange."""

    def __init__(self, processes: Processes):
        self.processes = processes

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, RuntimeError):
            p = self.processes
            raise RuntimeError(
                f"{p.name}: process {p.rank} of {p.size} got no answer. Another process has ended, or did not make this call within the "
                f"time limit of the group; its own output says why. torch says: {error}"
            ) from error


def _list(numbers: Sequence[int]) -> str:
    first = ", ".join(map(str, numbers[:-1]))
    return f"{first} and {numbers[-1]}" if first else str(numbers[-1])


def _as_bytes(t: torch.Tensor, width: int) -> torch.Tensor:
    """The numbers of a tensor as bytes, padded to `width` bytes. The values of the padding are not set."""
    b = t.detach().resolve_conj().resolve_neg().contiguous().reshape(-1).view(torch.uint8)
    if b.numel() == width:
        return b
    padded = torch.empty(width, dtype=torch.uint8, device=t.device)
    padded[: b.numel()] = b
    return padded


# ---- Sums in a fixed order ----
#
# Entries are added in pairs, (0 + 1), (2 + 3), ... These sums are then added in pairs, and so on, level by level. An entry without a
# partner goes to the next level. The order does not depend on the division into processes: each process adds the pairs that lie within its
# part, and exchanges its other entries, at most two per level, which all processes then add.


def tree_sum(p: Processes, part: torch.Tensor, counts: Sequence[int]) -> torch.Tensor:
    """The sum of all parts over their first dimension, bitwise the same for any division into parts. Process k has counts[k] entries."""
    total = sum(counts)
    if total == 0:
        return part.new_zeros(part.shape[1:])
    begins = [sum(counts[:k]) for k in range(p.size)]
    places = [[place for place, *_ in _levels(b, b + n, total)] for b, n in zip(begins, counts, strict=True)]
    left = _left(part, begins[p.rank], total)
    mine = torch.stack(left) if left else part.new_empty((0, *part.shape[1:]))
    nodes = iter(p.gather(mine, [len(places_of_one) for places_of_one in places]).unbind())
    waiting = {place: next(nodes) for places_of_one in places for place in places_of_one}
    level = 0
    while total > 1:
        for i in sorted(i for k, i in waiting if k == level and i % 2 == 0):
            first = waiting.pop((level, i))
            waiting[level + 1, i // 2] = first + waiting.pop((level, i + 1)) if i + 1 < total else first
        level, total = level + 1, (total + 1) // 2
    return waiting[level, 0]


def _levels(begin: int, end: int, total: int) -> Iterator[tuple[tuple[int, int], bool]]:
    """Yields the sums of the part [begin, end) of `total` entries that the processes must exchange. For each it yields the pair (level,
    number), and True if it is the first number of the part at this level, False if it is the last."""
    level = 0
    while begin < end:
        if total == 1:
            yield (level, 0), True
            return
        if begin % 2:
            yield (level, begin), True
            begin += 1
        if begin < end and end % 2 and end < total:
            end -= 1
            yield (level, end), False
        begin, end, total, level = begin // 2, (end + 1) // 2, (total + 1) // 2, level + 1


def _left(part: torch.Tensor, begin: int, total: int) -> list[torch.Tensor]:
    """The sums of a part at the places that _levels yields."""
    left, level = [], 0
    for (k, _), is_first in _levels(begin, begin + len(part), total):
        for _ in range(k - level):
            part = _pairs(part)
        level = k
        left.append(part[0] if is_first else part[-1])
        part = part[1:] if is_first else part[:-1]
    return left


def _pairs(x: torch.Tensor) -> torch.Tensor:
    n = len(x) // 2
    pairs = x[: 2 * n].reshape(n, 2, *x.shape[1:])
    sums = pairs[:, 0] + pairs[:, 1]
    return torch.cat([sums, x[-1:]]) if len(x) % 2 else sums
