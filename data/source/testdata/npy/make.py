"""Writes the arrays of this directory with NumPy: the same numbers in every type and order.

    python3 -m venv env && env/bin/pip install numpy && env/bin/python make.py
"""
import numpy as np

x = (np.arange(40) - 7).reshape(5, 2, 4)
for kind in ["f2", "f4", "f8", "i1", "i2", "i4", "i8", ">f2", ">f4", ">f8", ">i4", ">i8"]:
    np.save(f"x-{kind.replace('>', 'big-')}.npy", x.astype(kind))
np.save("x-fortran.npy", np.asfortranarray(x.astype("f8")))
np.save("b.npy", np.array([True, False, True, True, False]))
np.save("y.npy", np.array([0, 2, 1, 2, 0]))
np.save("price.npy", np.array([0.5, 1.5, 2.5, 3.5, 4.5]))
np.save("onehot.npy", np.eye(3)[[0, 2, 1, 2, 0]])
np.savez_compressed("all.npz", x=x.astype("f4"), y=np.array([0, 2, 1, 2, 0]), b=np.array([1, 2, 3, 4, 5], "u2"), x_test=x[:2])
