"""Python sources to syntax trees, by Python's own parser; nothing is executed. read_python.cpp runs it: python3 -I -c.

It is asked over a socket, descriptor 3, again and again: a JSON list of the files' sizes on a line, then their bytes. It
answers with a line, a JSON list: for each file its statements, or {"error": [line, column, message]} where it is no
Python. A node is [kind, line, last line, word, {field: nodes}]: the kind is the name of ast's class, the word is its
identifier, its operators or its constant.
"""
import ast
import json
import sys
import warnings

PARAMETERS = (("posonlyargs", "PositionalOnly"), ("args", "Either"), ("vararg", "AnyPositional"),
              ("kwonlyargs", "KeywordOnly"), ("kwarg", "AnyKeyword"))


def parameters_of(arguments):
    """With their defaults; those of positional ones belong to the last of them."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = dict(zip(map(id, reversed(positional)), reversed(arguments.defaults)))
    defaults.update(zip(map(id, arguments.kwonlyargs), arguments.kw_defaults))
    for field, kind in PARAMETERS:
        value = getattr(arguments, field)
        for one in value if isinstance(value, list) else [value] if value else []:
            yield [kind, one.lineno, one.end_lineno, one.arg, {"default": nodes_of(defaults.get(id(one)))}]


def constant_of(value):
    if isinstance(value, str):
        return "Text", value.encode("utf-8", "replace").decode()
    return ("Number" if type(value) is int else "Constant"), repr(value)


def nodes_of(value):
    if isinstance(value, list):
        return [written for one in value for written in nodes_of(one)]
    return [node_of(value)] if isinstance(value, ast.AST) and not isinstance(value, ast.expr_context) else []


def is_for_type_checkers(node):
    """Of `if TYPE_CHECKING:`, whose statements no run of the program comes to."""
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def node_of(node):
    kind, word, fields = type(node).__name__, "", {}
    if is_for_type_checkers(node):
        node.body = [ast.copy_location(ast.Pass(), node)]
    if kind == "Constant":
        kind, word = constant_of(node.value)
    for name, value in ast.iter_fields(node):
        if type(value) is str:
            if name in ("id", "attr", "name", "arg", "module"):
                word = value
            elif name == "asname":
                fields["as"] = [["Name", node.lineno, node.lineno, value, {}]]
        elif name in ("op", "ops"):
            word = " ".join(type(one).__name__ for one in (value if name == "ops" else [value]))
        elif name == "args" and isinstance(value, ast.arguments):
            fields["parameters"] = list(parameters_of(value))
        elif name == "names" and kind in ("Global", "Nonlocal"):
            word = " ".join(value)
        elif kind == "Dict" and name == "keys":
            fields[name] = [node_of(key) if key else ["Rest", 0, 0, "", {}] for key in value]  # of **mapping
        elif written := nodes_of(value):
            fields[name] = written
    if kind == "ImportFrom":
        word = "." * node.level + word
    return [kind, getattr(node, "lineno", 0), getattr(node, "end_lineno", 0), word, fields]


def read(source):
    reader = f" (read by Python {sys.version.split()[0]})"
    try:
        return nodes_of(ast.parse(source).body)
    except SyntaxError as error:
        return {"error": [error.lineno or 0, error.offset or 0, error.msg + reader]}
    except RecursionError:
        return {"error": [0, 0, "is nested too deeply" + reader]}
    except (ValueError, MemoryError) as error:
        return {"error": [0, 0, (str(error) or "is too much to parse") + reader]}


def main():
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(5000)
    with open(3, "rb", closefd=False) as questions, open(3, "wb") as answers:
        for line in questions:
            answers.write(json.dumps([read(questions.read(size)) for size in json.loads(line)]).encode() + b"\n")
            answers.flush()


main()
