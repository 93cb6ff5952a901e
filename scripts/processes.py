#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a program with 1, 2, ... processes, as torchrun starts them, and compares the outputs: processes.py 1,2,4 PROGRAM ARGUMENT...

Fails if the outputs differ, or after a minute."""
import os
import socket
import subprocess
import sys

LIMIT = 60  # seconds


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def printed(command, size):
    """The output of the process of rank 0; the other processes must not fail either."""
    place = {"WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "OMP_NUM_THREADS": "1"}
    processes = [subprocess.Popen(command, env={**os.environ, **place, "RANK": str(rank)}, stdout=subprocess.PIPE, text=True)
                 for rank in range(size)]
    try:
        outputs = [p.communicate(timeout=LIMIT)[0] for p in processes]
    finally:
        for p in processes:
            p.kill()
    if any(p.returncode for p in processes):
        sys.exit(f"the {size} processes ended with the codes {[p.returncode for p in processes]}")
    return outputs[0]


def main():
    sizes, command = [int(n) for n in sys.argv[1].split(",")], sys.argv[2:]
    outputs = {n: printed(command, n) for n in sizes}
    for n, text in outputs.items():
        if text != outputs[sizes[0]] or not text:
            sys.exit(f"{n} processes print\n{text}\nand {sizes[0]}\n{outputs[sizes[0]]}")
    print(f"{', '.join(map(str, sizes))} processes print the same:\n{outputs[sizes[0]]}", end="")


if __name__ == "__main__":
    main()
