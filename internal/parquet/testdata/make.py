"""Writes the Parquet files of this directory with pyarrow, and values.json with what is in them.

    python3 -m venv env && env/bin/pip install pyarrow pandas && env/bin/python make.py

values.json has the rows of each file by column: numbers, texts, null, arrays. NaN and infinities are texts, times are
milliseconds since 1970, and bytes are texts of hexadecimal digits after "0x".
"""
import datetime as dt
import decimal
import json
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

D = decimal.Decimal
UTC = dt.timezone.utc
values = {}


def plain(x):
    if x is None:
        return None
    if isinstance(x, (bool, str)):
        return x
    if isinstance(x, (int, np.integer)):
        return int(x)
    if isinstance(x, (float, np.floating)):
        x = float(x)
        return x if math.isfinite(x) else {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(x)]
    if isinstance(x, D):
        return float(x)
    if isinstance(x, bytes):
        return "0x" + x.hex()
    if isinstance(x, dt.datetime):
        if x.tzinfo is None:
            x = x.replace(tzinfo=UTC)
        return math.floor((x - dt.datetime(1970, 1, 1, tzinfo=UTC)) / dt.timedelta(milliseconds=1))
    if isinstance(x, dt.date):
        return (x - dt.date(1970, 1, 1)).days * 86400000
    if isinstance(x, dt.timedelta):
        return x
    return [plain(y) for y in x]


def write(name, columns, expected=None, **options):
    """columns: name -> (type, values)."""
    table = pa.table({k: pa.array(v, type=t) for k, (t, v) in columns.items()},
                     schema=pa.schema([pa.field(k, t) for k, (t, _) in columns.items()]))
    pq.write_table(table, name, **options)
    values[name] = {k: plain(v) for k, (_, v) in columns.items()}
    for k, v in (expected or {}).items():
        values[name][k] = plain(v)


n = 9
half = np.array([0, 1, -2.5, 65504, None, 0.1, 3, 4, 5], dtype=object)
types = {
    "bool": (pa.bool_(), [True, False, None, True, True, False, None, None, True]),
    "int8": (pa.int8(), [0, -128, 127, None, 4, 5, 6, 7, 8]),
    "int16": (pa.int16(), [0, -32768, 32767, None, 4, 5, 6, 7, 8]),
    "int32": (pa.int32(), [0, -2**31, 2**31 - 1, None, 4, 5, 6, 7, 8]),
    "int64": (pa.int64(), [0, -2**63, 2**63 - 1, None, 4, 5, 6, 7, 8]),
    "uint8": (pa.uint8(), [0, 255, None, 3, 4, 5, 6, 7, 8]),
    "uint16": (pa.uint16(), [0, 65535, None, 3, 4, 5, 6, 7, 8]),
    "uint32": (pa.uint32(), [0, 2**32 - 1, None, 3, 4, 5, 6, 7, 8]),
    "uint64": (pa.uint64(), [0, 2**63 - 1, None, 3, 4, 5, 6, 7, 8]),
    "float16": (pa.float16(), [None if x is None else np.float16(x) for x in half]),
    "float": (pa.float32(), [0.0, 1.5, -2.25, math.nan, math.inf, -math.inf, None, 2.0**-20, 8.0]),
    "double": (pa.float64(), [0.0, 1.1, -2.2, math.nan, math.inf, -math.inf, None, 1e300, 5e-324]),
    "text": (pa.string(), ["", "a", "größe", None, "日本", "x" * 40, "a", "a", "b"]),
    "large": (pa.large_string(), ["", "a", "größe", None, "日本", "x" * 40, "a", "a", "b"]),
    "binary": (pa.binary(), [b"", b"a", b"\x00\xff", None, b"d", b"e", b"f", b"g", b"h"]),
    "fixed": (pa.binary(3), [b"abc", b"\x00\x01\x02", None, b"def", b"ghi", b"jkl", b"mno", b"pqr", b"stu"]),
    "date": (pa.date32(), [dt.date(1970, 1, 1), dt.date(1969, 12, 31), dt.date(2026, 11, 23), None] + [dt.date(2000, 2, 29)] * 5),
    "millis": (pa.timestamp("ms"), [dt.datetime(1970, 1, 1), dt.datetime(1969, 12, 31, 23, 59, 59, 999000), None] + [dt.datetime(2026, 11, 23, 1, 2, 3, 4000)] * 6),
    "micros": (pa.timestamp("us", "UTC"), [dt.datetime(1970, 1, 1, tzinfo=UTC), dt.datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC), None] + [dt.datetime(2026, 11, 23, 1, 2, 3, 456789, tzinfo=UTC)] * 6),
    "nanos": (pa.timestamp("ns"), [dt.datetime(1970, 1, 1), dt.datetime(1969, 12, 31, 23, 59, 59, 999999), None] + [dt.datetime(2026, 11, 23, 1, 2, 3, 456789)] * 6),
    "decimal": (pa.decimal128(9, 2), [D("0.00"), D("-1.25"), D("1234567.89"), None] + [D("3.10")] * 5),
    "decimal38": (pa.decimal128(38, 10), [D("0"), D("-1.25"), D("1234567890123456789.5"), None] + [D("3.1")] * 5),
    "category": (pa.dictionary(pa.int8(), pa.string()), ["red", "green", None, "red", "red", "blue", "green", "red", None]),
    "nothing": (pa.int32(), [None] * n),
}
write("types.parquet", types)
write("types-v2.parquet", types, data_page_version="2.0", compression="zstd", version="2.6")
write("types-plain.parquet", types, use_dictionary=False, compression="none", write_page_checksum=True)
write("types-decimal-int.parquet", {k: types[k] for k in ["decimal"]}, store_decimal_as_integer=True)
write("int96.parquet", {"at": types["nanos"]}, use_deprecated_int96_timestamps=True)

rows = 1200
rng = np.random.default_rng(7)
numbers = {
    "a": (pa.float32(), rng.normal(size=rows).astype(np.float32)),
    "b": (pa.float64(), [None if i % 7 == 3 else float(i) / 8 for i in range(rows)]),
    "c": (pa.int32(), (np.arange(rows) // 500).astype(np.int32)),
    "d": (pa.int64(), np.cumsum(rng.integers(-1000, 1000, rows))),
    "e": (pa.bool_(), [bool(i % 3) for i in range(rows)]),
    "t": (pa.string(), [f"row {i % 50}" for i in range(rows)]),
}
small = dict(row_group_size=500, data_page_size=2048)
for codec in ["none", "snappy", "gzip", "zstd", "lz4", "brotli"]:
    if codec == "zstd":
        write("codec-zstd.parquet", numbers, compression=codec, data_page_version="2.0", **small)
    else:
        some = {k: (t, v[:600]) for k, (t, v) in numbers.items()}
        write(f"codec-{codec}.parquet", some, compression=codec, row_group_size=250, data_page_size=512)

delta = {k: (t, v[:600]) for k, (t, v) in numbers.items()}
delta["u"] = (pa.string(), ["" if i % 5 == 0 else f"prefix/{i // 10}/{i}" for i in range(600)])
delta["f"] = (pa.binary(4), [i.to_bytes(4, "big") for i in range(600)])
delta["h"] = (pa.float16(), [np.float16(i / 4) for i in range(600)])
write("encodings.parquet", delta, use_dictionary=False, data_page_size=1024, compression="snappy", column_encoding={
    "a": "BYTE_STREAM_SPLIT", "b": "BYTE_STREAM_SPLIT", "c": "DELTA_BINARY_PACKED", "d": "DELTA_BINARY_PACKED", "e": "RLE",
    "t": "DELTA_LENGTH_BYTE_ARRAY", "u": "DELTA_BYTE_ARRAY", "f": "DELTA_BYTE_ARRAY", "h": "BYTE_STREAM_SPLIT"}, data_page_version="2.0")

lists = {
    "id": (pa.int32(), list(range(6))),
    "list": (pa.list_(pa.float32()), [[1, 2, 3], None, [], [4], [5, None], [6, 7, 8, 9]]),
    "long": (pa.list_(pa.int64()), [[i] * 2000 for i in range(6)]),
    "fixed": (pa.list_(pa.float64(), 2), [[1, 2], [3, 4], None, [5, 6], [7, 8], [9, 10]]),
    "matrix": (pa.list_(pa.list_(pa.int8())), [[[1, 2], [3, 4]], [[1], [2], [3]], [[5, 6, 7]], None, [], [[1, 2], [3, 4]]]),
    "flags": (pa.list_(pa.bool_()), [[True], [False, True], [], None, [True] * 9, [False]]),
}
write("lists.parquet", lists, expected={
    "list": [[1, 2, 3], None, [], [4], [5, math.nan], [6, 7, 8, 9]],
    "flags": [[1], [0, 1], [], None, [1] * 9, [0]]}, row_group_size=4)

nested = pa.table({
    "id": pa.array([1, 2], pa.int32()),
    "struct": pa.array([{"x": 1, "y": "a"}, None], pa.struct([("x", pa.int32()), ("y", pa.string())])),
    "map": pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int32())),
    "structs": pa.array([[{"x": 1}], []], pa.list_(pa.struct([("x", pa.int32())]))),
    "texts": pa.array([["a"], []], pa.list_(pa.string())),
    "ragged": pa.array([[[1], [2, 3]], []], pa.list_(pa.list_(pa.int32()))),
})
pq.write_table(nested, "nested.parquet")
values["nested.parquet"] = {"id": [1, 2]}

# Spark ML's VectorUDT, as Spark writes it.
udt = pa.struct([pa.field("type", pa.int8(), nullable=False), pa.field("size", pa.int32()),
                 pa.field("indices", pa.list_(pa.field("element", pa.int32(), nullable=False))),
                 pa.field("values", pa.list_(pa.field("element", pa.float64(), nullable=False)))])
vectors = [
    {"type": 1, "size": None, "indices": None, "values": [1.0, 2.0, 3.5]},
    {"type": 0, "size": 3, "indices": [0, 2], "values": [4.0, -1.0]},
    None,
    {"type": 0, "size": 3, "indices": [], "values": []},
    {"type": 1, "size": None, "indices": None, "values": [0.0, 0.0, 9.0]},
]
pq.write_table(pa.table({"label": pa.array([0.0, 1.0, 0.0, 1.0, 1.0]), "features": pa.array(vectors, udt)}),
               "vectors.parquet", compression="snappy", use_compliant_nested_type=True)
values["vectors.parquet"] = {"label": [0, 1, 0, 1, 1],
                             "features": [[1, 2, 3.5], [4, 0, -1], None, [0, 0, 0], [0, 0, 9]]}

frame = pd.DataFrame({"x": [1.0, None, 3.0], "name": ["a", None, "c"], "when": pd.to_datetime(["2020-01-01", None, "2021-06-05 07:08:09.123456"], format="ISO8601")})
frame.to_parquet("pandas.parquet")
values["pandas.parquet"] = {"x": [1, None, 3], "name": ["a", None, "c"],
                            "when": [plain(dt.datetime(2020, 1, 1)), None, plain(dt.datetime(2021, 6, 5, 7, 8, 9, 123456))]}

write("empty.parquet", {"x": (pa.float32(), []), "y": (pa.string(), [])})

with open("values.json", "w") as f:
    json.dump(values, f, ensure_ascii=False, separators=(",", ":"))
    f.write("\n")
