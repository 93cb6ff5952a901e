# SPDX-License-Identifier: MIT
"""Formulas in plain text, as comments and pages have them: found by `split`, typeset by `mathml`.

A_ij B_kl and (A_ij + A_ji) / 2 have indices after an underscore, √(v_i v_i) and A^-1 what they look like. A word of one letter
is in a formula only beside something that says it is one: an index, a Greek letter, an equation.
"""
import html
import re

LETTER = "A-Za-zα-ωΑ-Ω"
START = rf"(?<![{LETTER}\d_'])"
UPRIGHT = "det tr dev sym log exp sin cos tan atan atan2 asin acos sinh cosh tanh sign min max mod epsilon".split()
INDEXED = r"(?:abscissae|ordinates|values|exp_map|log_map|df)(?=_)"
POWER = r"(?:\^\([^()]*\)|\^-?\w+?(?=_|\b)|[²³⁴⁻¹ᵀ]+)"
SUBSCRIPT = r"(?:_(?:\{[^{}]*\}|[a-z][+-]1(?!\w)|[0-9a-zα-ω]{1,8}|[I-N]{1,4}))"
TOKEN = re.compile("|".join([
    r"(?P<other>[=!<>]=|\d+(?:\.\d+)?e-?\d+)",
    r"(?P<derived>∂\w+\([\w, ]*\)_[a-z]+)",  # ∂rotate(x, r)_i
    rf"(?P<upright>(?<![\w.])(?:{'|'.join(UPRIGHT)}){POWER}?(?!\w))",
    rf"(?P<call>{START}[{LETTER}]\d{{0,2}}'?(?=\())",
    rf"(?P<symbol>{START}(?!R[2-8]\b)(?:[{LETTER}]\d{{0,2}}'?|{INDEXED}){POWER}?{SUBSCRIPT}?{POWER}?(?![\w(]))",  # R2 is a type
    r"(?P<number>(?<![\w.])\d+(?:\.\d+)?[α-ω]?(?!\w|\.\d))",
    r"(?P<operator>[-+=*/×·≤≥≠≈±<>()\[\]|⟨⟩√∂ΣΠ∫∞,!])",
    r"(?P<space>\s+)",
    rf"(?P<power>(?<=[)|\]]){POWER})",
    rf"(?P<sub>(?<=\)){SUBSCRIPT})",
    r"(?P<any>\S)"]))
SYMBOL = re.compile(rf"({'|'.join(sorted(UPRIGHT, key=len, reverse=True))}|{INDEXED}|[{LETTER}]\d{{0,2}}'?)"
                    rf"({POWER})?({SUBSCRIPT})?({POWER})?")
SAYS_SO = re.compile(r"_|\^|[²³⁴ᵀ√∂Σα-ωΑ-Ω]|[^=]=[^=]|[\w)|] ?[≤≥≠≈×·<>] ?[\w(|-]|\|")
OPERATORS = "-+=*/×·≤≥≠≈±<>,"
OPENING, CLOSING = "([⟨", ")]⟩"
ARTICLE = ("symbol", "a")


def tokens_of(text):
    return [(m.lastgroup, m[0]) for m in TOKEN.finditer(text)]


# ---- What is a formula ----

def split(text):
    """(whether it is a formula, text) of the parts of a text."""
    parts, run, depth = [], [], 0
    for kind, piece in [*tokens_of(text), ("any", "")]:
        if kind in ("other", "any") or piece == "," and depth == 0:
            parts += parts_of(run)
            parts.append((False, piece))
            run, depth = [], 0
        else:
            run.append((kind, piece))
            depth += (piece in OPENING) - (piece in CLOSING)
    joined = []
    for formula, part in parts:
        if joined and not formula and not joined[-1][0]:
            part = joined.pop()[1] + part
        joined.append((formula, part))
    return [(formula, part) for formula, part in joined if part]


def parts_of(run):
    """A run of tokens that may contain a formula, split into the text before the formula, the formula, and the text after it."""
    begin, end = 0, len(run)

    def kind(at):
        return run[at][0] if begin <= at < end else ""

    def piece(at):
        return run[at][1] if begin <= at < end else ""

    def sign(at):
        return piece(at) in ("-", "±") and kind(at + 1) not in ("", "space")

    while begin < end and (kind(begin) == "space" or piece(begin) in OPERATORS + CLOSING and not sign(begin)):
        begin += 1
    while begin < end and (kind(end - 1) == "space" or piece(end - 1) in OPERATORS + OPENING + "√"):
        end -= 1
    if begin < end and run[begin] == ARTICLE and kind(begin + 1) == "space" and kind(begin + 2) in ("symbol", "number") \
            and not SAYS_SO.search(piece(begin + 2)):
        begin += 2
    if end - begin > 2 and run[end - 1] == ARTICLE and kind(end - 2) == "space" and kind(end - 3) in ("symbol", "number", "power"):
        end -= 2
    while begin < end:  # without brackets at its ends that have no other
        depths, depth = [], 0
        for at in range(begin, end):
            depth += (piece(at) in OPENING) - (piece(at) in CLOSING)
            depths.append(depth)
        if depth > 0 and piece(begin) in OPENING:
            begin += 1
        elif min(depths) < 0 and piece(end - 1) in CLOSING:
            end -= 1
        else:
            balanced = depth == 0 and min(depths) == 0 and sum(t == "|" for _, t in run[begin:end]) % 2 == 0
            break
    texts = ["".join(t for _, t in part) for part in (run[:begin], run[begin:end], run[end:])]
    named = any(k in ("symbol", "call", "derived") or t == "√" or t[-1].isalpha() for k, t in run[begin:end])
    return [(False, texts[0]), (begin < end and balanced and named and bool(SAYS_SO.search(texts[1])), texts[1]), (False, texts[2])]


# ---- What it looks like ----

def mathml(text, after=""):
    """A formula that is long is several, so that a line can break between them; not before what is after it."""
    parts = Formula(" ".join(text.split())).parts()
    if len(text) < 24:
        parts = ["".join(parts)]
    parts = [f'<math xmlns="http://www.w3.org/1998/Math/MathML">{part}</math>' for part in parts]
    parts = [f'<span class="joined">{part}</span>' if part.count("</mi>") > 5 else part for part in parts]  # what may be wider than a phone
    if after:
        parts[-1] = f'<span class="joined">{parts[-1]}{after}</span>'
    return "<wbr>".join(parts)


def script(text):
    """A subscript or an exponent: indices are single letters."""
    tags = ""
    for part in re.findall(r"\d+|[a-z]{3,}|[^\W\d]'?|[^\w\s]", text.strip("(){}") if text[0] in "({" else text):
        if part.isdigit():
            tags += f"<mn>{part}</mn>"
        elif part in UPRIGHT:
            tags += f'<mi mathvariant="normal">{part}</mi>'
        elif part[0].isalpha():
            tags += "".join(f"<mi>{letter}</mi>" for letter in part)
        else:
            tags += f"<mo>{part.replace('-', '−')}</mo>"
    return f"<mrow>{tags}</mrow>"


def with_scripts(base, sub, power):
    tag = "msubsup" if sub and power else "msub" if sub else "msup" if power else ""
    return f"<{tag}>{base}{script(sub) if sub else ''}{script(power) if power else ''}</{tag}>" if tag else base


def exponent(text):
    return (text or "").removeprefix("^").translate(str.maketrans("²³⁴⁻¹ᵀ", "234-1T"))


def symbol(text):
    base, first, sub, second = SYMBOL.fullmatch(text).groups()
    sub, prime = (sub or "").removeprefix("_"), base.endswith("'")
    if len(base.rstrip("'")) > 1 and not base[1].isdigit():
        shown = f'<mi mathvariant="normal">{base}</mi>'
    else:
        sub = "".join(c for c in base[1:] if c.isdigit()) + sub
        shown = f"<mrow><mi>{base[0]}</mi><mo>′</mo></mrow>" if prime else f"<mi>{base[0]}</mi>"
    return with_scripts(shown, sub, exponent(first) or exponent(second))


class Formula:
    """Reads the tokens in order; a root reaches over the brackets or the symbol after it."""

    def __init__(self, text):
        self.tokens, self.at = tokens_of(text), 0

    def parts(self):
        """Factors and terms, each with the sign before it; those in brackets, too, if there are many."""
        out = [""]
        while self.at < len(self.tokens):
            kind, text = self.peek()
            if text in "=<>≤≥≈≠+-" and not self.is_prefix() or kind == "space" and self.is_product():
                out.append("")
            out[-1] += self.bracket() if text == "(" and self.is_long() else self.one()
        return list(filter(None, out))

    def is_product(self):
        """Whether the space here is between factors."""
        (kind, before), (_, after) = self.peek(-1), self.peek(1)
        return kind not in ("", "upright", "number") and after not in ("", *OPERATORS) and before not in OPERATORS

    def is_long(self):
        at = self.at
        size = len(self.inside()) if self.closes() else 0
        scripted = self.peek()[0] in ("power", "sub")
        self.at = at
        return size > 400 and not scripted

    def bracket(self):
        self.at += 1
        return '<mo stretchy="false" lspace="0" rspace="0">(</mo>'

    def peek(self, by=0):
        return self.tokens[self.at + by] if 0 <= self.at + by < len(self.tokens) else ("", "")

    def is_prefix(self):
        """Whether a sign here has nothing before it."""
        before = next((t for k, t in reversed(self.tokens[:self.at]) if k != "space"), "(")
        return before in OPERATORS + OPENING + "√"

    def one(self):
        kind, text = self.peek()
        if text == "(" and self.closes():
            return self.group()
        form = "prefix" if self.is_prefix() else "infix"
        self.at += 1
        if kind == "space":  # products are written with one
            return '<mspace width="0.17em"/>'
        if kind == "number":
            greek = text[-1] if text[-1].isalpha() else ""
            return f"<mn>{text.removesuffix(greek)}</mn>" + (f"<mi>{greek}</mi>" if greek else "")
        if kind in ("symbol", "call", "upright"):
            return symbol(text)
        if kind == "power":
            return with_scripts("<mrow></mrow>", "", exponent(text))
        if kind == "derived":
            name, _, sub = text[1:].rpartition("_")
            return "<mo>∂</mo>" + with_scripts(f"<mtext>{name}</mtext>", sub, "")
        if text == "√" and self.peek()[1]:
            inside = self.inside() if self.peek()[1] == "(" and self.closes() else self.one()
            return f"<msqrt>{inside}</msqrt>"
        attributes = f' form="{form}"' if text in OPERATORS else ' stretchy="false" lspace="0" rspace="0"'
        return f"<mo{attributes}>{html.escape({'-': '−', '*': '∗'}.get(text, text))}</mo>"

    def closes(self):
        """Whether the bracket here has another."""
        depth = 0
        for _, text in self.tokens[self.at:]:
            depth += (text == "(") - (text == ")")
            if depth == 0:
                return True
        return False

    def inside(self):
        """The tokens in the brackets here."""
        self.at += 1
        out = ""
        while self.peek()[1] != ")":
            out += self.one()
        self.at += 1
        return f"<mrow>{out}</mrow>"

    def group(self):
        bracket = '<mo stretchy="false" lspace="0" rspace="0">'
        base = f"<mrow>{bracket}(</mo>{self.inside()}{bracket})</mo></mrow>"
        kind, text = self.peek()
        self.at += kind in ("power", "sub")
        return with_scripts(base, text[1:] if kind == "sub" else "", exponent(text) if kind == "power" else "")
