"""Makes the files of this folder with SciPy: the same matrix in every format that it saves."""

import numpy as np
import scipy.sparse as sp

dense = np.array([[0, 2, 0, 3], [0, 0, 0, 0], [4, 0, 0, 5.0]])
csr = sp.csr_array(dense)
for name, array in {
    "csr": csr,
    "csr_matrix": sp.csr_matrix(dense),
    "csc": csr.tocsc(),
    "coo": csr.tocoo(),
    "bsr": csr.tobsr((3, 2)),
    "dia": csr.todia(),
    "integers": csr.astype(np.int16),
    "complex": csr * (1 + 2j),
    "bool": csr.astype(bool),
}.items():
    sp.save_npz(f"{name}.npz", array)
sp.save_npz("stored.npz", csr, compressed=False)

# Unsorted and repeated coordinates, and an array of columns first.
jumbled = sp.csr_array((np.array([3.0, 1, 1, 5, 4]), [3, 1, 1, 3, 0], [0, 3, 3, 5]), shape=(3, 4))
sp.save_npz("jumbled.npz", jumbled)
coords = np.asfortranarray([[0, 1, 1], [0, 2, 2], [3, 0, 1]])
sp.save_npz("order_3.npz", sp.coo_array((np.array([1.0, 2, 3]), coords), shape=(2, 3, 4)))
sp.save_npz("vector.npz", sp.coo_array((np.array([2.0, 3]), (np.array([1, 4]),)), shape=(5,)))
sp.save_npz("vector_csr.npz", sp.csr_array(np.array([0, 2.0, 0, 0, 3])))
