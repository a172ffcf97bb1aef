"""Runs operations of SciPy for the benchmarks.

Reads a command on each line of standard input, and answers each with a line: `hold`, `begin` and
`run`. Arrays are passed as files in the folder of the first argument.
"""

import sys
import time
from pathlib import Path

import numpy as np
import scipy
import scipy.sparse as sp

folder = Path(sys.argv[1])


def read(name, dtype):
    return np.fromfile(folder / name, dtype)


def matrix(name, shape):
    pos, crd = (read(f"{name}.{field}", np.int32) for field in ("pos", "crd"))
    return sp.csr_array((read(f"{name}.vals", np.float64), crd, pos), shape=shape)


def entries(name, shape):
    rows, columns = (read(f"{name}.{field}", np.int32) for field in ("rows", "columns"))
    return sp.coo_array((read(f"{name}.vals", np.float64), (rows, columns)), shape=shape)


def dense(name, shape):
    return read(name, np.float64).reshape(shape)


def product(a, b):
    c = a @ b
    c.sort_indices()
    return c


KINDS = {"matrix": matrix, "entries": entries, "dense": dense}
OPERATIONS = {
    "spmv": lambda a, x: a @ x,
    "spmm": lambda a, x: a @ x,
    "add": lambda a, b: a + b,
    "multiply": lambda a, b: a.multiply(b),
    "spgemm": product,
    "symmetrize": lambda a: a + a.T,
    "to_csr": lambda a: a.tocsr(),
    "to_csc": lambda a: a.tocsc(),
    "to_dense": lambda a: a.toarray(),
}


def write(result):
    if sp.issparse(result):
        result.indptr.astype(np.int64).tofile(folder / "result.pos")
        result.indices.astype(np.int64).tofile(folder / "result.crd")
        result = result.data
    result.astype(np.float64).tofile(folder / "result.vals")


def answer(line):
    print(line, flush=True)


held = {}
operation, arguments = None, []
answer(scipy.__version__)
for line in sys.stdin:
    command, *words = line.split()
    if command == "hold":
        kind, name, *shape = words
        held[name] = KINDS[kind](name, tuple(map(int, shape)))
        answer("held")
    elif command == "begin":
        operation, arguments = OPERATIONS[words[0]], [held[name] for name in words[1:]]
        result = operation(*arguments)
        write(result)
        answer("sparse" if sp.issparse(result) else "dense")
    elif command == "run":
        start = time.perf_counter_ns()
        result = operation(*arguments)
        answer(time.perf_counter_ns() - start)
        del result
