# SPDX-License-Identifier: MIT
"""Compiles what must not compile, and writes what the compiler says of each program NAME.cpp here to FOLDER/NAME.log:

    compile.py FOLDER COMPILER FLAG...

Nearly all of the time goes into reading the headers. They are precompiled, and programs are compiled twenty in one file, each in a namespace.
A message belongs to the program that it or its chain of instantiations names. A program without a message
is compiled by itself, since an earlier program may have instantiated the same template; so is a program with flags ("// flags: ").
"""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOGETHER = 20
CONTEXT = re.compile(r": (?:In |required (?:from|by) )|^In file included|^ +from |^\S+:\d+:\d+: (?:error|warning|fatal error): ")
ERROR = re.compile(r"^\S+:\d+(?::\d+)?: (?:fatal )?error: ", re.MULTILINE)


def messages(said):
    """The text of each error: where it comes from, the error itself, notes on it."""
    block, complete = [], False
    for line in said.splitlines():
        if complete and CONTEXT.search(line):
            yield "\n".join(block)
            block, complete = [], False
        block.append(line)
        complete = complete or bool(ERROR.match(line))
    if complete:
        yield "\n".join(block)


def of_whom(message):
    """The lines that say where an error comes from: all of them before and with the error, and, as clang has it, the chain of
    instantiations after it. Other notes name candidates, which may be those of another program."""
    lines = message.splitlines()
    error = next(k for k, line in enumerate(lines) if ERROR.match(line))
    return "\n".join(lines[:error + 1] + [line for line in lines[error + 1:] if "note: in instantiation of" in line])


def main(folder, compiler):
    folder.mkdir(parents=True, exist_ok=True)
    programs = sorted(HERE.glob("*.cpp"))
    text = {p: p.read_text(encoding="utf-8") for p in programs}
    headers = dict.fromkeys(["neml2/neml2.h", *(h for t in text.values() for h in re.findall(r'^#include "(neml2/.*)"', t, re.MULTILINE))])
    common = folder / "all.h"
    common.write_text("".join(f'#include "{h}"\n' for h in headers), encoding="utf-8")
    subprocess.run([*compiler, "-x", "c++-header", common, "-o", f"{common}.gch"], check=True)

    def errors(source, flags=()):
        # Colours, or messages in the language of the user, would hide what is looked for.
        return subprocess.run([*compiler, *flags, "-fsyntax-only", "-fdiagnostics-color=never", "-include", common, source], encoding="utf-8",
                              errors="replace", env=os.environ | {"LC_ALL": "C"}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE).stderr

    said = dict.fromkeys(programs, "")
    flags = {p: re.findall(r"^// flags: (.*)", text[p], re.MULTILINE) for p in programs}
    joined = [p for p in programs if not flags[p]]
    for k in range(0, len(joined), TOGETHER):
        some = joined[k:k + TOGETHER]
        source = folder / f"together_{k // TOGETHER}.cpp"
        source.write_text("".join(f'namespace program_{p.stem}\n{{\n#include "{p}"\n}}\n' for p in some), encoding="utf-8")
        for message in messages(errors(source)):
            for p in some:
                if f"{p}:" in of_whom(message):
                    said[p] += message + "\n"
    alone = [p for p in programs if not said[p]]
    for p in alone:
        said[p] = errors(p, " ".join(flags[p]).split())
    for p in programs:
        (folder / f"{p.stem}.log").write_text(said[p], encoding="utf-8")
    print(f"{len(programs)} programs, {len(alone)} of them compiled by themselves: {' '.join(p.stem for p in alone)}")


main(pathlib.Path(sys.argv[1]), sys.argv[2:])
