"""Makes files with the reference implementation of Binsparse (`pip install binsparse`), version 0.1.4."""

import json

import numpy as np
from binsparse import *
from binsparse.container import NPZBinsparseContainer

u8 = lambda *numbers: np.array(numbers, np.uint64)
values = np.array([2.0, 3.0, 4.0, 5.0])
rows, columns = u8(0, 0, 2, 2), u8(1, 3, 0, 3)
common = {"shape": (3, 4), "number_of_stored_values": 4}

save_binsparse(CSRMatrix(**common, pointers_to_1=u8(0, 2, 2, 4), indices_1=columns, values=values), "csr.npz")
by_column = {"pointers_to_1": u8(0, 1, 2, 2, 4), "indices_1": u8(2, 0, 0, 2)}
save_binsparse(CSCMatrix(**common, **by_column, values=values[[2, 0, 1, 3]]), "csc.npz")
save_binsparse(
    DCSRMatrix(**common, indices_0=u8(0, 2), pointers_to_1=u8(0, 2, 4), indices_1=columns, values=values),
    "dcsr.npz",
)
save_binsparse(COORMatrix(**common, indices_0=rows, indices_1=columns, values=values), "coo.npz")
dense = np.zeros((3, 4))
dense[rows.astype(int), columns.astype(int)] = values
save_binsparse(DMATRMatrix((3, 4), 12, values=dense.reshape(-1)), "dense.npz")
save_binsparse(DMATCMatrix((3, 4), 12, values=dense.T.reshape(-1)), "dense_col.npz")
save_binsparse(
    CVECVector((5,), 2, indices_0=u8(1, 4), values=np.array([1 + 2j, 3 - 4j], np.complex64)),
    "vector.npz",
)
ones = np.broadcast_to(np.array([1.0]), (4,))
save_binsparse(CSRMatrix(**common, pointers_to_1=u8(0, 2, 2, 4), indices_1=columns, values=ones), "iso.npz")
csf = SparseLevel(
    1,
    SparseLevel(2, ElementLevel(values[:3]), (u8(1, 1, 2), u8(0, 3, 0)), u8(0, 1, 3)),
    (u8(0, 1),),
)
save_binsparse(CustomTensor((2, 3, 4), 3, level=csf), "custom.npz")
swapped = CustomTensor((4, 2, 3), 3, level=csf, transpose=(1, 2, 0))
save_binsparse(swapped, "transposed.npz")

# The reference implementation has no symmetric matrices.
archive = {}
container = NPZBinsparseContainer(archive)
for name, array in {"pointers_to_1": u8(0, 1, 3), "indices_1": u8(0, 0, 1), "values": values[:3]}.items():
    container.write_buffer(name, array)
header = {"version": "0.1.0", "format": "CSR", "shape": [2, 2], "number_of_stored_values": 3}
container.write_header(header | {"structure": "symmetric_lower"})
np.savez("symmetric.npz", **archive)
