#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds constructions that readers stumble over in pages, comments, docstrings and messages, and says what to write instead. It also finds
long lines in pages, except in code, tables and the descriptions of pictures.

It looks only for constructions that are hardly ever right. Code, headings and links are left out.
"""
import bisect
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("include", "compat/include", "src", "python", "examples", "tests", "benchmarks", "scripts", "integrations")
UNIT = ("argument|batch|call|class|component|core|device|doubling|dtype|entry|file|function|header|iteration|kernel|module|node|operation|"
        "page|parameter|point|process|program|rank|room|row|section|step|tensor|thread|tile|topic|type")

# Between words of one paragraph there is one space; ¶ separates paragraphs, | separates cells of tables, and ` stands for code.
ADVICE = {
    rf"(?<!on )(?<!in )(?<!at )(?<!by )(?<!of )(?<!for )(?<!from )(?<!with )(a|an|one|each) (?!in |of |is )[\w-]+ an? ({UNIT})": "one ... per ...",
    rf"(one|ns|µs|ms|\d s|seconds|microseconds|minutes) an? ({UNIT})": "per",
    rf"once an? ({UNIT})(?= ?[,.;:)|¶])": "once per",
    "but for": "except",
    "as of": "from, since, as for",
    "(?<!there )(?<!also )(is|are|was|were) no(?! (longer|more|less|better|worse|slower|faster|different))": "is not a",
    "(?<!all )(?<!both )(?<!each )(?<!one )(?<!some )(?<!most )of (which|whom)": "begin another sentence, with the noun",
    "be it": "whether it is",
    "where there (is|are) (one|none)": "repeat the noun",
    "(of|for) one's own": "your own",
    "(can|cannot|could|may|to) be had": "is available",
    "(stands|lies) (what|here)": "put the subject first",
    "for want of|whereof|thereof|wherein|as ever|at hand": "a plainer word",
    "(?<=[,;] )else|(?<=¶ )else(?= (a|an|it|the) )": "otherwise",
    r"(?<=[.:;¶] )what \w+": "name it: the operand that, code that",
    "(which|that) (is|was) (so|not so)": "repeat what",
}
PATTERNS = {re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.I): advice for pattern, advice in ADVICE.items()}


def prose(text):
    """The words of a page with their line numbers, without code, comments, headings and targets of links."""
    for pattern, left in ((r"(?s)<!-- (results|kernels).*?<!-- end of|<!--.*?-->", "¶"), (r"(?ms)^ *(```+)\w*$.*?^ *\1$", "¶"),
                          (r"(?<=\n\n)(    .*\n)+", "¶"), (r"(?s)`[^`]*`", "`"), (r"\]\([^)]*\)", "]"),
                          (r"(?m)^#.*$|^$", "¶"), (r"(?m)^ *- ", "¶ "), (r"\|", " | ")):
        text = re.sub(pattern, lambda m: left + "\n" * m[0].count("\n"), text)
    return [(number, word) for number, line in enumerate(text.splitlines(), 1) for word in line.split()]


STRINGS = r'|(?:\b[A-Za-z]+)?(?:R"(\w*)\(.*?\)\2"|""".*?"""|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\')'
LEXICONS = {False: re.compile(r"(?s)(//[^\n]*|/\*.*?\*/)" + STRINGS), True: re.compile(r"(?s)(#[^\n]*)" + STRINGS)}
MARKS = re.compile(r"""(?m)^[ \t]*(?:#+|/\*\*?|//[/<]*|\*(?!/|\S))?[ \t]*|\*/$|^R"\w*\(|^\w*"+|\)?\w*"+$|\\n""")


def words_of_source(text, python):
    """The words of comments in a program, and of strings that are sentences, with their line numbers; ¶ replaces code."""
    end, kept = 0, []
    for m in LEXICONS[python].finditer(text):
        code = text[end:m.start()]
        wanted = m[1] or len(re.findall(r"[a-z]+ (?=[a-z])", m[0])) > 3
        kept += [" ¶ " * bool(code.strip()), "\n" * code.count("\n"), MARKS.sub("", m[0]) if wanted else " ¶ " + "\n" * m[0].count("\n")]
        end = m.end()
    return prose("".join(kept))


LONGEST = 140


def long_lines(text):
    is_code = False
    for number, line in enumerate(text.splitlines(), 1):
        is_code ^= line.lstrip().startswith("```")
        if len(line) > LONGEST and not is_code and not line.lstrip().startswith(("|", "![")):
            yield number, f"{len(line)} characters -> at most {LONGEST}"


def faults(page):
    text = page.read_text(encoding="utf-8")
    yield from long_lines(text) if page.suffix == ".md" else ()
    words = prose(text) if page.suffix == ".md" else words_of_source(text, page.suffix == ".py")
    starts = [0]
    for _, word in words:
        starts.append(starts[-1] + len(word) + 1)
    text = " ".join(word for _, word in words)
    for pattern, advice in PATTERNS.items():
        for m in pattern.finditer(text):
            yield words[bisect.bisect(starts, m.start()) - 1][0], f"{m[0]} -> {advice}"


pages = [*root.glob("*.md"), *root.glob("docs/*.md")]
pages += [p for folder in FOLDERS for p in root.glob(f"{folder}/**/*") if p.suffix in (".h", ".cpp", ".py") and p != pathlib.Path(__file__)]
found = [f"{page.relative_to(root)}:{line}: {fault}" for page in sorted(pages) for line, fault in sorted(faults(page))]
print("\n".join(found))
sys.exit(bool(found))
