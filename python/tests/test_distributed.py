# SPDX-License-Identifier: MIT
"""Batches over several processes: each function is run by 1 to 4 of them, and compared with the whole batch in one."""

import dataclasses
import datetime
import os
import re
import signal
import subprocess
import sys
import time

import pytest
import torch
from processes import Processes, Raised
from support import SMALL, random

from neml2 import distributed as many
from neml2 import math
from neml2.tensors import R2, SR2, LabeledAxis, LabeledVector, Rot, Scalar, Tensor

SIZES = (1, 2, 3, 4)
DIVISIONS = {  # divisions of 13 entries
    1: [[13]],
    2: [[7, 6], [13, 0], [0, 13], [1, 12], [8, 5]],
    3: [[5, 4, 4], [0, 13, 0], [3, 0, 10]],
    4: [[4, 3, 3, 3], [0, 0, 13, 0], [1, 2, 4, 6], [8, 4, 1, 0]],
}
TEN_SECONDS = datetime.timedelta(seconds=10)
AXIS = LabeledAxis().add("a", Scalar).add("sub/s", SR2).setup_layout()


@pytest.fixture(scope="module")
def processes():
    all_of_them = Processes(4)
    yield all_of_them
    all_of_them.end()


def mine(whole, counts, group, d=0):
    """The part of this process."""
    return torch.split(whole, counts, d)[group.rank()]


def same(outcomes, expected, **tolerance):
    for outcome in outcomes:
        torch.testing.assert_close(outcome, expected, equal_nan=True, **tolerance)


def bitwise(outcomes):
    first = outcomes[0]
    for outcome in outcomes:
        for a, b in zip(outcome, first, strict=True):
            assert a.dtype == b.dtype and a.shape == b.shape
            assert a.numpy().tobytes() == b.numpy().tobytes()


# ---- Parts ----


def scatter_and_gather_all(group, n):
    """For all types: the part, and the whole batch again."""
    found = []
    for cls in SMALL:
        for d in (0, 1, -1):
            whole = random(cls, n, 3) if d == 0 else random(cls, 3, n)
            part = many.scatter_batch(whole, d, group)
            again = many.gather_batch(part, d, group)
            assert type(part) is type(again) is cls and again.batch.shape == whole.batch.shape
            assert torch.equal(again.torch(), whole.torch())
            assert torch.equal(part.torch(), whole.batch.slice(d, *astuple(many.batch_part(n, group))).torch())
            found.append(part.batch.shape[d])
    return found


def astuple(s):
    return s.start, s.stop


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("n", [0, 1, 8, 11])
def test_each_process_has_its_part_and_all_have_what_was_gathered(processes, size, n):
    lengths = [set(found) for found in processes(size, scatter_and_gather_all, n)]
    assert all(len(each) == 1 for each in lengths)
    counts = [each.pop() for each in lengths]
    assert sum(counts) == n and max(counts) - min(counts) <= 1 and counts == sorted(counts, reverse=True)


def gather_parts(group, counts, dtype):
    whole = (100 * torch.rand(sum(counts), 2, 6) - 50).to(dtype)
    return many.gather_batch(SR2(mine(whole, counts, group)), group=group).torch(), whole


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int16, torch.bool], ids=str)
def test_parts_of_any_length_and_dtype_are_gathered(processes, dtype):
    for size, divisions in DIVISIONS.items():
        for counts in divisions:
            for gathered, whole in processes(size, gather_parts, counts, dtype):
                assert gathered.dtype == dtype and torch.equal(gathered, whole)


@dataclasses.dataclass
class State:
    stress: SR2
    alpha: Scalar
    step: int
    name: str


class Stress(SR2):
    pass


def of_groups(group, source):
    state = State(Stress(torch.rand(5, 6)), Scalar(torch.rand(5)), 3, "steel")
    labeled = LabeledVector(torch.rand(5, 7), AXIS)
    general = Tensor(torch.rand(5, 2, 4), 1)
    whole = (state, [general, 0.5], {"v": labeled})
    given = whole if source is None or group.rank() == source else None
    part = many.scatter_batch(given, group=group, source=source)
    again = many.gather_batch(part, group=group)
    expected = many.batch_part(5, group)
    for found, index in ((part, expected), (again, slice(None))):
        (s, (t, number), of_labels) = found
        assert type(s) is State and type(s.stress) is Stress and (s.step, s.name, number) == (3, "steel", 0.5)
        assert torch.equal(s.stress.torch(), state.stress.torch()[index]) and torch.equal(s.alpha.torch(), state.alpha.torch()[index])
        assert type(t) is Tensor and t.batch.dim() == 1 and torch.equal(t.torch(), general.torch()[index])
        v = of_labels["v"]
        assert type(v) is LabeledVector and v.axes() == (AXIS,) and torch.equal(v.torch(), labeled.torch()[index])
    return True


@pytest.mark.parametrize("size", SIZES)
def test_groups_labels_and_derived_classes_go_through(processes, size):
    for source in (None, *range(size)):
        processes(size, of_groups, source)


def of_one_process(group, source, d):
    x = torch.rand(*((7, 2) if d == 0 else (2, 7)), 3, 3, requires_grad=True)
    part = many.scatter_batch(R2(x) if group.rank() == source else None, d, group, source=source)
    assert torch.equal(part.torch(), many.scatter_batch(R2(x.detach()), d, group).torch())
    many.batch_sum(math.inner(part, part), d, group).torch().sum().backward()
    if group.rank() == source:
        torch.testing.assert_close(x.grad, 2 * x.detach())
    else:
        assert x.grad is None and part.requires_grad


@pytest.mark.parametrize("d", [0, 1])
def test_one_process_may_have_the_batch_and_gets_its_gradient(processes, d):
    for size in (1, 2, 4):
        for source in range(size):
            processes(size, of_one_process, source, d)


# ---- Reductions ----


def reduced(group, counts, dtype):
    whole = (100 * torch.rand(sum(counts), 2, 6) - 50).to(dtype)
    part = SR2(mine(whole, counts, group))
    functions = [many.batch_sum, many.batch_max, many.batch_min]
    if dtype.is_floating_point:
        functions.append(many.batch_mean)
    results = [f(part, 0, group) for f in functions]
    assert all(type(r) is SR2 and r.batch.shape == (2,) for r in results)
    return [r.torch() for r in results]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.int64, torch.int32], ids=str)
def test_reductions_are_those_of_the_whole_and_the_same_bits_for_any_division(processes, dtype):
    found = [r for size, divisions in DIVISIONS.items() for counts in divisions for r in processes(size, reduced, counts, dtype)]
    bitwise(found)
    torch.manual_seed(0)
    whole = SR2((100 * torch.rand(13, 2, 6) - 50).to(dtype))
    expected = [math.batch_sum(whole).torch(), math.batch_max(whole).torch(), math.batch_min(whole).torch()]
    if dtype.is_floating_point:
        expected.append(math.batch_mean(whole).torch())
    same(found[:1], expected)


def many_divisions(group, cases):
    """Sums of `cases` batches, each divided at random, and computed by one process."""
    generator = torch.Generator().manual_seed(1)
    for _ in range(cases):
        counts = torch.randint(0, int(torch.randint(1, 200, (), generator=generator)), (group.size(),), generator=generator).tolist()
        whole = torch.randn(sum(counts), generator=generator)
        found = many.batch_sum(Scalar(mine(whole, counts, group)), 0, group).torch()
        assert found.item() == pairwise(whole.tolist()), counts
    return True


def pairwise(x):
    """The sum of entries added in pairs, then of these sums in pairs, and so on."""
    while len(x) > 1:
        x = [sum(x[i : i + 2][1:], x[i]) for i in range(0, len(x), 2)]
    return x[0] if x else 0.0


@pytest.mark.parametrize("size", SIZES)
def test_sums_add_by_pairs_of_the_whole_batch_however_it_is_divided(processes, size):
    processes(size, many_divisions, 100)


def counted(group):
    flags = torch.arange(7) % 3 == 0
    part = many.scatter_batch(Scalar(flags), 0, group)
    total = many.batch_sum(part, 0, group).torch()
    assert total.dtype == torch.int64
    return int(total)


def of_nothing(group):
    none = SR2(torch.zeros(0, 6))
    return many.batch_sum(none, 0, group).torch(), many.batch_mean(none, 0, group).torch(), many.gather_batch(none, 0, group).torch()


def not_a_number(group):
    x = torch.tensor([1.0, float("nan"), 3.0, -1.0])
    part = many.scatter_batch(Scalar(x), 0, group)
    return [f(part, 0, group).torch() for f in (many.batch_sum, many.batch_mean, many.batch_max, many.batch_min)]


def test_truth_values_are_counted_nothing_is_zero_and_nan_spreads(processes):
    for size in SIZES:
        assert processes(size, counted) == [3] * size
        same(processes(size, of_nothing), (torch.zeros(6), torch.full((6,), torch.nan), torch.zeros(0, 6)))
        same(processes(size, not_a_number), [torch.tensor(torch.nan)] * 4)


# ---- Gradients ----


DEFAULT = {size: [len(x) for x in torch.arange(13).tensor_split(size)] for size in SIZES}
TIES = [1.0, 2.0, 2.0, 0.5, 2.0, 1.0, 0.5, 2.0, 1.5, 1.0, 0.5, 0.5, 1.0]


def gradients(group, counts):
    """A loss that uses all functions, its gradients, and the gradients of a loss of these: by tensors that all processes have, and by parts.
    Without a group it is computed for the whole batch, with functions of math."""
    n = sum(counts)
    generator = torch.Generator().manual_seed(2)
    whole, shared = (torch.rand(*shape, 6, generator=generator).requires_grad_() for shape in ((n,), ()))  # all have these
    x, ties = torch.rand(n, 2, 6, generator=generator), torch.tensor(TIES[:n])
    if group is None:
        add, mean, largest, smallest = math.batch_sum, math.batch_mean, math.batch_max, math.batch_min
        own, common, gathered = SR2(whole), SR2(shared.expand(n, 6)), Scalar
    else:
        x, ties = (mine(t, counts, group) for t in (x, ties))
        add, mean, largest, smallest, gathered = (
            lambda t, f=f: f(t if isinstance(t, Scalar) else Scalar(t), 0, group)
            for f in (many.batch_sum, many.batch_mean, many.batch_max, many.batch_min, many.gather_batch)
        )
        common = many.expand_batch(SR2(shared), len(x), 0, group)
        own = many.scatter_batch(SR2(whole), 0, group) if counts == DEFAULT[group.size()] else SR2(mine(whole, counts, group))
    x, ties = (t.clone().requires_grad_() for t in (x, ties))
    a = SR2(x)
    energy = math.inner(a, a) * math.exp(0.1 * math.norm(own + common)).batch.unsqueeze(1)
    everywhere = gathered(energy).torch()
    loss = add(energy).torch().square().sum() + mean(energy * energy).torch().sum()
    loss = loss + (3.0 * largest(Scalar(ties)) + 7.0 * smallest(Scalar(ties))).torch()
    loss = loss + (everywhere * torch.arange(1.0, n + 1)[:, None]).sum()
    first = torch.autograd.grad(loss, (whole, shared, x, ties), create_graph=True)
    squares = first[1].square().sum() + add(math.inner(SR2(first[2]), SR2(first[2]))).torch().sum()
    second = torch.autograd.grad(squares, (whole, shared, x))
    return [t.detach() for t in (loss, first[1], second[1], first[0], second[0])], [t.detach() for t in (first[2], first[3], second[2])]


@pytest.mark.parametrize("size", SIZES)
def test_gradients_are_those_of_the_whole_batch(processes, size):
    expected, expected_of_parts = gradients(None, [13])
    (one, of_one_part), *_ = processes(1, gradients, [13])
    for counts in [DEFAULT[size], *DIVISIONS[size]]:
        found = processes(size, gradients, counts)
        of_all = 5 if counts == DEFAULT[size] else 3  # omits the gradients of scattered tensors, which are on the default device
        bitwise([one[:of_all], *(everywhere[:of_all] for everywhere, _ in found)])
        same([found[0][0][:of_all]], expected[:of_all], rtol=1e-13, atol=1e-13)
        parts = [torch.cat(parts) for parts in zip(*(parts for _, parts in found))]
        bitwise([of_one_part, parts])
        same([parts], expected_of_parts, rtol=1e-13, atol=1e-13)


def of_few(group):
    """Runs all functions with more processes than entries."""
    return gradients(group, [len(x) for x in torch.arange(2).tensor_split(group.size())])[0][:2]


def test_gradients_are_right_where_processes_have_no_entry(processes):
    expected = gradients(None, [2])[0][:2]
    for size in SIZES:
        found = processes(size, of_few)
        bitwise(found)
        same(found, expected, rtol=1e-13, atol=1e-13)


# ---- Errors ----


def messages(outcomes, kind="ValueError"):
    assert all(isinstance(o, Raised) and o.kind == kind for o in outcomes), outcomes
    return [o.message for o in outcomes]


def differing(group, case):
    first = group.rank() == 0
    x = torch.rand(4, 2, 6)
    a = SR2(x)
    if case == "type":
        return many.batch_sum(a if first else Tensor(x, 2), 0, group)
    if case == "dtype":
        return many.gather_batch(a if first else SR2(x.float()), 0, group)
    if case == "shape":
        return many.gather_batch(SR2(x[:, :1]) if first else a, 0, group)
    if case == "dimension":
        return many.batch_max(a, 0 if first else 1, group)
    if case == "function":
        return many.batch_max(a, 0, group) if first else many.batch_min(a, 0, group)
    if case == "grad":
        return many.batch_sum(a.requires_grad_(first), 0, group)
    if case == "group":
        return many.gather_batch((a, 1.0) if first else (a, 2.0), 0, group)
    if case == "order":
        parts = {"a": a, "b": 2 * a}
        return many.batch_sum(parts if first else dict(reversed(parts.items())), 0, group)
    if case == "container":
        return many.batch_sum((a,) if first else [a], 0, group)
    if case == "axis":
        other = LabeledAxis().add("b", 7).setup_layout()
        return many.gather_batch(LabeledVector(torch.rand(4, 7), AXIS if first else other), 0, group)
    if case == "whole":
        return many.scatter_batch(a if first else SR2(x[1:]), 0, group)
    return many.scatter_batch(a, 0, group, source=int(first))


CASES = {
    "type": ["SR2 (n, 2; 6)", "Tensor (n, 2; 6)"],
    "dtype": ["float64", "float32"],
    "shape": ["SR2 (n, 1; 6)", "SR2 (n, 2; 6)"],
    "dimension": ["SR2 (n, 2; 6) float64 on cpu along dimension 0", "SR2 (4, n; 6) float64 on cpu along dimension 1"],
    "function": ["process 0: batch_max of", "process 1: batch_min of"],
    "grad": ["on cpu that requires grad along", "on cpu along"],
    "group": ["1.0", "2.0"],
    "order": ["['a']", "['b']"],
    "container": ["a tuple with", "a list with"],
    "axis": ["sub", "with the axis"],
    "whole": ["batches of 4, 3 entries along dimension 0"],
    "source": ["from process 1", "from process 0"],
}


@pytest.mark.parametrize("case", CASES)
def test_what_differs_is_the_same_error_in_all_processes(processes, case):
    said = messages(processes.outcomes(2, differing, case))
    assert said[0].split(":", 1)[1] == said[1].split(":", 1)[1]
    assert all(part in said[0] for part in CASES[case]), said[0]
    assert processes(4, counted) == [3] * 4  # and the processes continue


REFUSED = [
    ("batch_sum", IndexError, r"The dimension 2 is out of range for SR2 \(4; 6\): expected one in \[-1, 1\)"),
    ("batch_mean", ValueError, r"not defined for dtype int64 \(Scalar \(4;\)\). Expected a floating type"),
    ("batch_max", ValueError, r"not defined for dtype bool"),
    ("gather_batch", TypeError, r"expected tensors of this library or groups of them, not Tensor. For a tensor of torch, say"),
    ("batch_min", ValueError, r"undefined tensor: an operand of type SR2"),
    ("scatter_batch", IndexError, r"SR2 \(; 6\) has no batch dimension. Add one"),
    ("expand_batch", ValueError, r"-1 entries. Expected 0 or more"),
]


def refused(group, function, one):
    x = torch.rand(4, 6)
    good = SR2(x)
    bad = {
        "batch_sum": (good, 2),
        "batch_mean": (Scalar(torch.arange(4)),),
        "batch_max": (Scalar(torch.arange(4) > 1),),
        "gather_batch": (x,),
        "batch_min": (SR2(),),
        "scatter_batch": (SR2(x[0]),),
        "expand_batch": (good, -1),
    }[function]
    arguments = bad if group.rank() == one else (good, 3) if function == "expand_batch" else (good,)
    return getattr(many, function)(*arguments, group=group)


@pytest.mark.parametrize("function, kind, pattern", REFUSED, ids=[r[0] for r in REFUSED])
def test_what_one_process_refuses_is_an_error_in_the_others(processes, function, kind, pattern):
    for one in (0, 1):
        outcomes = processes.outcomes(2, refused, function, one)
        (own,) = messages([outcomes[one]], kind.__name__)
        (other,) = messages([outcomes[1 - one]])
        assert own.startswith(f"{function}: ") and re.search(pattern, own), own
        assert other.startswith(f"{function}: process {one} has refused its arguments, {kind.__name__}: ") and re.search(pattern, other)


def different_backward(group):
    """One process asks for a gradient of something else."""
    theta = torch.tensor(2.0, requires_grad=True)
    a, b = (many.expand_batch(s, 3, 0, group) for s in (Scalar(theta), Rot(theta.expand(3))))
    used = a if group.rank() == 0 else b
    used.torch().sum().backward()


def test_gradients_of_different_graphs_are_an_error(processes):
    said = messages(processes.outcomes(2, different_backward))
    assert all("backward of expand_batch: the processes do not make the same call" in s for s in said), said
    assert all("(n) float64" in s and "(n, 3) float64" in s for s in said)


def outside(group):
    import torch.distributed as dist

    pair = dist.new_group([0, 1], timeout=TEN_SECONDS)
    if group.rank() == 2:
        many.batch_sum(Scalar(torch.rand(2)), 0, pair)


def of_no_source(group):
    return many.scatter_batch(Scalar(torch.rand(2)), 0, group, source=2)


def test_a_process_outside_of_the_group_and_a_source_that_is_not_there_are_refused(processes):
    (said,) = messages([processes.outcomes(4, outside)[2]])
    assert said == "batch_sum: this process is not in the group. Call it only in the processes of the group."
    assert all("the source is 2, and the group has 2 processes" in s for s in messages(processes.outcomes(2, of_no_source)))


def of_a_class_that_others_lack(group):
    @dataclasses.dataclass
    class Local:
        stress: SR2

    return many.scatter_batch(Local(SR2(torch.rand(4, 6))) if group.rank() == 0 else None, 0, group, source=0)


def test_a_class_that_the_others_cannot_make_is_an_error_in_all_processes(processes):
    said = processes.outcomes(2, of_a_class_that_others_lack)
    assert all(isinstance(s, Raised) and "Local" in s.message for s in said), said
    assert processes(4, counted) == [3] * 4


def of_a_conjugate(group):
    x = torch.complex(torch.arange(3.0), torch.arange(3.0) + group.rank())
    return many.gather_batch(Tensor(x.conj() if group.rank() == 0 else x, 1), 0, group).torch()


def test_conjugates_that_are_not_computed_yet_are_gathered(processes):
    expected = torch.cat([torch.complex(torch.arange(3.0), -torch.arange(3.0)), torch.complex(torch.arange(3.0), torch.arange(3.0) + 1)])
    assert all(torch.equal(x, expected) for x in processes(2, of_a_conjugate))


def test_without_processes_it_says_how_to_get_them(monkeypatch):
    for call in (lambda: many.batch_part(3), lambda: many.batch_sum(SR2.zeros(2)), lambda: many.scatter_batch(None, source=0)):
        with pytest.raises(RuntimeError, match="Call torch.distributed.init_process_group first; torchrun starts"):
            call()
    monkeypatch.setattr(torch.distributed, "is_available", lambda: False)
    with pytest.raises(RuntimeError, match="this torch was built without torch.distributed"):
        many.gather_batch(SR2.zeros(2))


END = """
import weakref, torch
from neml2 import distributed
from neml2.tensors import Scalar
torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
group = weakref.ref(torch.distributed.group.WORLD)
torch.optim.LBFGS([torch.zeros(2)])
x = torch.ones(3, requires_grad=True)
total = distributed.batch_sum(distributed.expand_batch(Scalar(x.sum()), 4))
total.torch().backward()
torch.distributed.destroy_process_group()
print(group())
"""


def test_a_destroyed_group_has_ended_also_after_an_optimizer():
    """Otherwise the group's threads would still run while Python ends, which may abort the process."""
    ended = subprocess.run([sys.executable, "-c", END], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "None\n"), ended.stderr


# ---- Processes that end, or do not come ----


def sum_after(group, what):
    """One process ends, or sleeps, before all add."""
    many.batch_sum(Scalar(torch.rand(3)), 0, group)
    if group.rank() == 1:
        if what == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(1000)
    return many.batch_sum(Scalar(torch.rand(3)), 0, group)


@pytest.mark.parametrize("what", ["killed", "sleeps"])
def test_a_process_that_ends_or_hangs_is_an_error_in_the_others_within_the_time_limit(what):
    limit = 30 if what == "killed" else 6
    few = Processes(3, seconds=limit)
    try:
        few(3, counted)  # all processes have started
        begin = time.monotonic()
        few.start(3, sum_after, what)
        for rank in (0, 2):
            outcome = few.outcome(rank)
            (said,) = messages([outcome], "RuntimeError")
            assert said.startswith(f"batch_sum: process {rank} of 3 got no answer. Another process has ended, or did not make this call within")
        waited = time.monotonic() - begin
        assert waited < limit if what == "killed" else limit - 1 < waited < limit + 20
    finally:
        few.end()
