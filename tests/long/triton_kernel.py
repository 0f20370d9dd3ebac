"""Kernels of a Python file, compiled by Triton for a GPU that is not there."""
import ast
import dataclasses
import os

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

SUPPORTED_POINTERS = {"f32": "*fp32", "bf16": "*bf16", "f16": "*fp16", "i32": "*i32", "i64": "*i64"}


@dataclasses.dataclass
class Kernel:
    """What a launch needs of a compiled kernel."""
    ptx: str
    entry: str
    block: list  # threads in x, y, z
    dynamic_shared_bytes: int
    parameters: list  # names of the Python arguments that became parameters, in order


def load_functions(path, names, given=None):
    """The @triton.jit functions `names` of the file `path`, by name, at their own lines. Nothing else of the file is
    executed, so that it may import what is not installed; autotuning and heuristics are left out, their values are the
    caller's to choose. `given`: functions that these call."""
    with open(path) as file:
        tree = ast.parse(file.read())
    wanted = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name in names}
    # A function that stands twice, in the branches of an if, is the last one: the plain form comes in the else.
    missing = set(names) - set(wanted)
    if missing:
        raise LookupError(f"{path} has no {', '.join(sorted(missing))}")
    for node in wanted.values():
        node.decorator_list = [d for d in node.decorator_list if ast.unparse(d).startswith("triton.jit")]
    tree.body = list(wanted.values())
    namespace = {"__name__": os.path.splitext(os.path.basename(path))[0], "triton": triton, "tl": tl, **(given or {})}
    exec(compile(tree, path, "exec"), namespace)
    return {name: namespace[name] for name in names}


def load_attention_kernels(sources, names):
    """Kernels of flash-linear-attention's attn/parallel.py by name; `sources`: its folder of ops."""
    helpers = load_functions(os.path.join(sources, "utils", "op.py"), ["unflatten_program_id", "exp2", "log2"])
    return load_functions(os.path.join(sources, "attn", "parallel.py"), names, helpers)


def compile_kernel(function, arguments, num_warps=4, num_stages=2, capability=80):
    """Compiles for the values of one launch, specialised as Triton's JIT does it: None, the integer 1 and constexpr
    arguments vanish; pointers and multiples of 16 are told to be such. `arguments`: by name, a pointer as "*f32", an
    int (i32), a float (fp32), a bool or None."""
    signature, constants, attributes = {}, {}, {}
    for number, parameter in enumerate(function.params):
        value = arguments[parameter.name]
        special = not parameter.do_not_specialize
        if parameter.is_constexpr or value is None or (special and type(value) is int and value == 1):
            signature[parameter.name] = "constexpr"
            constants[(number,)] = value
            continue
        if isinstance(value, str):
            signature[parameter.name] = SUPPORTED_POINTERS[value[1:]]
        else:
            signature[parameter.name] = "fp32" if isinstance(value, float) else "i32"
        if isinstance(value, str) or (special and type(value) is int and value % 16 == 0):
            attributes[(number,)] = [["tt.divisibility", 16]]
    source = ASTSource(fn=function, signature=signature, constexprs=constants, attrs=attributes)
    compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32),
                              options={"num_warps": num_warps, "num_stages": num_stages})
    return Kernel(ptx=compiled.asm["ptx"], entry=compiled.metadata.name, block=[32 * num_warps, 1, 1],
                  dynamic_shared_bytes=compiled.metadata.shared,
                  parameters=[name for name, kind in signature.items() if kind != "constexpr"])
