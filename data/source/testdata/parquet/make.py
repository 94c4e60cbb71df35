"""Writes the Parquet files of this directory with pyarrow.

    python3 -m venv env && env/bin/pip install pyarrow && env/bin/python make.py
"""
import pyarrow as pa
import pyarrow.parquet as pq

n = 12
pq.write_table(pa.table({
    "id": pa.array([f"k{i}" for i in range(n)]),
    "a": pa.array([i / 2 for i in range(n)], pa.float64()),
    "v": pa.array([[i, -i, 0.5] for i in range(n)], pa.list_(pa.float32())),
    "whole": pa.array(range(n), pa.int32()),
    "kind": pa.array([["red", "green", "blue"][i % 3] for i in range(n)]),
    "price": pa.array([10.0 * i for i in range(n)], pa.float64()),
}), "mixed.parquet", row_group_size=5)

nested = pa.table({"x": pa.array([1.0, 2.0]), "s": pa.array([{"y": 1}, None], pa.struct([("y", pa.int32())])),
                   "gap": pa.array([None, 1.0]), "label": pa.array([0, 1])})
pq.write_table(nested, "nested.parquet")

for year, month, rows in [(2025, "jan", [1.0, 2.0]), (2025, "a b", [3.0]), (2026, "jan", [4.0, 5.0])]:
    import os
    d = f"parts/year={year}/month={month.replace(' ', '%20')}"
    os.makedirs(d, exist_ok=True)
    pq.write_table(pa.table({"x": rows, "y": [2 * r for r in rows]}), d + "/part-0.parquet")
os.makedirs("parts", exist_ok=True)
open("parts/_SUCCESS", "w").close()
