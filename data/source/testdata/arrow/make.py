"""Writes mixed.arrow of this directory with pyarrow: python3 make.py"""
import pyarrow as pa
import pyarrow.ipc

n = 12
table = pa.table({
    "id": pa.array([f"k{i}" for i in range(n)]),
    "a": pa.array([i / 2 for i in range(n)], pa.float64()),
    "v": pa.array([[i, -i, 0.5] for i in range(n)], pa.list_(pa.float32(), 3)),
    "whole": pa.array(range(n), pa.int32()),
    "kind": pa.array([["red", "green", "blue"][i % 3] for i in range(n)]).dictionary_encode(),
    "price": pa.array([10.0 * i for i in range(n)], pa.float64()),
})
with pa.ipc.new_file("mixed.arrow", table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as w:
    w.write_table(table, max_chunksize=5)
