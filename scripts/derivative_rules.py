# SPDX-License-Identifier: MIT
"""Lists the fused functions without a derivative rule. Their definitions evaluate a leaf by its name alone.

A rule names the type of its operation, `add_gradient_rule<tensors::Rotate, ...>`. An operation that has only a name for messages,
`engine::evaluate_leaf<R4>("drotate", ...)`, has no rule, and no separate kernel on a device either.
"""
import re

from headers import INCLUDE
from vocabulary import kind, parameters, without_comments

DEFINED = re.compile(r"(?ms)^(?:(\w+)::)?(\w+)\(([^;{}]*)\)(?: const)?\n\{\n(.*?)^\}")
BY_NAME = re.compile(r"engine::evaluate_leaf<[^;]*?>\(\s*(?:\"|core::Operation\()")


def functions_without_rules():
    """Their classes, names and the kinds of their arguments."""
    out = set()
    for header in [*INCLUDE.glob("tensors/*.h"), *INCLUDE.glob("math/*.h")]:
        for scope, name, args, body in DEFINED.findall(without_comments(header)):
            if BY_NAME.search(body):
                out.add((scope or "", name, *(kind(p) for p in parameters(f"({args})"))))
    return out


WITHOUT_RULES = functions_without_rules()


def has_no_rule(f):
    return (f.scope if f.is_class else "", f.name, *(kind(a.type) for a in f.args)) in WITHOUT_RULES
