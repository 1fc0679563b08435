"""What a bot is, as a hash: it changes when the bot's policy does, and at nothing else.

Stored results are found again by it. It is read from the sources of the readable twins, `bots.py` and `planning.py`:
the bot's two functions and everything in those files that they reach, without comments, docstrings, annotations,
names and descriptions. So neither a comment nor a new bot beside it makes another one of it. Tests hold the kernel to
the twins, move by move: what is true of a twin is true of the compiled form. What a seat is shown, how cards are
shuffled and what the rules make of a move is for the engine's version (`summary.ENGINE`) and the edition's numbers.
"""

import ast
import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

SOURCES = ("bots", "planning")
COUNTED_BY = {".misses": ("missed_bids", "missed_sales")}
"""What a view shows that is worked out move by move, by these functions."""


def bot_hash(bot: str) -> str:
    """The hash of a built-in bot; of another one its name, which holds a hash already (`user_bots`)."""
    return _built_in().get(bot, bot)


@cache
def _built_in() -> dict[str, str]:
    return hashes_of({name: Path(__file__).with_name(f"{name}.py").read_text() for name in SOURCES})


def hashes_of(sources: Mapping[str, str]) -> dict[str, str]:
    """The hash of every bot that these sources, text by name of the module, list."""
    modules = [_Bare().visit(ast.parse(text)) for text in sources.values()]
    policies = {slug: functions for module in modules for slug, functions in _policies(module)}
    definitions = defaultdict[str, list[ast.AST]](list)
    for module in modules:
        for name, node in _definitions(module):
            definitions[name].append(node)
    return {bot: _hash(functions, definitions, policies) for bot, functions in policies.items()}


def _hash(functions: list[str], definitions: Mapping[str, list[ast.AST]], policies: Mapping[str, list[str]]) -> str:
    reached, due = dict[str, list[str]](), list(functions)
    while due:
        name = due.pop()
        if name not in reached:
            nodes = definitions.get(name, [])
            reached[name] = [ast.unparse(node) for node in nodes]
            due += [other for node in nodes for other in _used(node, policies)] + list(COUNTED_BY.get(name, ()))
    text = repr((functions, sorted((name, code) for name, code in reached.items() if code)))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _policies(module: ast.Module) -> Iterator[tuple[str, list[str]]]:
    """The functions of each bot: the last two arguments of every `Bot(slug, names, description, bid, sell)`."""
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Name("Bot"), args=[ast.Constant(str(slug)), _, _, *functions]):
                yield slug, [ast.unparse(function) for function in functions]


def _definitions(module: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Functions and constants by name, methods and fields by name after a point, what makes an object by its class's.

    The list of all bots is none of them: whom a bot plays on with, it names.
    """
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            for member in node.body:
                for name in _names(member):
                    yield node.name if name == "__init__" else f".{name}", member
        else:
            for name in _names(node):
                if name != "BOTS":
                    yield name, node


def _names(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef():
            return [node.name]
        case ast.Assign():
            return [part.id for part in ast.walk(node) if isinstance(part, ast.Name) and _is_bound(part)]
    return []


def _is_bound(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _used(node: ast.AST, policies: Mapping[str, list[str]]) -> Iterator[str]:
    """The names of definitions that a definition uses, bots that it names included."""
    parts = list(ast.walk(node))
    local = {part.arg for part in parts if isinstance(part, ast.arg)}
    local |= {part.id for part in parts if isinstance(part, ast.Name) and _is_bound(part)}
    for part in parts:
        match part:
            case ast.Name(name) if name not in local:
                yield name
            case ast.Attribute(ast.Name(module), name) if module in SOURCES:
                yield name
            case ast.Attribute(_, name):
                yield f".{name}"
            case ast.Constant(str(slug)):
                yield from policies.get(slug, ())


class _Bare(ast.NodeTransformer):
    """Takes away what decides nothing: docstrings and annotations."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        return node.value and ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else node
