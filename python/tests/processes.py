# SPDX-License-Identifier: MIT
"""Groups of processes that run test functions together."""

import datetime
import multiprocessing
import pickle
import tempfile
import traceback
from pathlib import Path

LIMIT = 100  # seconds for one function in all processes


def work(rank, size, store, seconds, pipe):
    """The loop of each process: it runs the functions that it is sent, and sends back their results or exceptions."""
    import torch
    import torch.distributed as dist

    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    limit = datetime.timedelta(seconds=seconds)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=size, timeout=limit)
    groups = {n: dist.new_group(range(n), timeout=limit) for n in range(1, size + 1)}
    while (task := pipe.recv()) is not None:
        function, n, arguments = task
        torch.manual_seed(0)
        try:
            outcome = function(groups[n], *arguments)
        except Exception as error:
            outcome = Raised(type(error).__name__, str(error), traceback.format_exc())
        pipe.send(pickle.dumps(outcome))


class Raised:
    def __init__(self, kind, message, trace):
        self.kind, self.message, self.trace = kind, message, trace

    def __repr__(self):
        return self.trace


class Processes:
    """size processes; the first n run a function together."""

    def __init__(self, size, seconds=60):
        context = multiprocessing.get_context("spawn")
        self.folder = tempfile.TemporaryDirectory()
        store = Path(self.folder.name) / "store"
        self.pipes, self.all = [], []
        for rank in range(size):
            here, there = context.Pipe()
            process = context.Process(target=work, args=(rank, size, store, seconds, there), daemon=True)
            process.start()
            there.close()
            self.pipes.append(here)
            self.all.append(process)

    def start(self, n, function, *arguments):
        for pipe in self.pipes[:n]:
            pipe.send((function, n, arguments))

    def outcome(self, rank):
        """The result of one process, or its exception as Raised; an EOFError if the process has ended."""
        assert self.pipes[rank].poll(LIMIT), f"process {rank} has not answered in {LIMIT} s"
        return pickle.loads(self.pipes[rank].recv())

    def outcomes(self, n, function, *arguments):
        self.start(n, function, *arguments)
        return [self.outcome(rank) for rank in range(n)]

    def __call__(self, n, function, *arguments):
        """The results of the function in each of n processes; none may raise."""
        outcomes = self.outcomes(n, function, *arguments)
        for outcome in outcomes:
            assert not isinstance(outcome, Raised), outcome.trace
        return outcomes

    def end(self):
        for process in self.all:
            process.kill()
        for process in self.all:
            process.join()
        self.folder.cleanup()
