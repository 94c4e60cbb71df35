# Makes the files of this folder: python3 make.py, with pyarrow 26.0.1.
import datetime
import decimal

import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc

n = 7
none = lambda values: [None if i == 3 else v for i, v in enumerate(values)]
utc = datetime.timezone.utc
when = [datetime.datetime(2026, 1, 1 + i, 10, 30, i, 123456) for i in range(n)]
columns = {
    "b": pa.array(none([i % 2 == 0 for i in range(n)])),
    "i8": pa.array([-i for i in range(n)], pa.int8()),
    "u8": pa.array([250 + i % 6 for i in range(n)], pa.uint8()),
    "i16": pa.array([-300 * i for i in range(n)], pa.int16()),
    "u16": pa.array([65535 - i for i in range(n)], pa.uint16()),
    "i32": pa.array(none([-70000 * i for i in range(n)]), pa.int32()),
    "u32": pa.array([4294967295 - i for i in range(n)], pa.uint32()),
    "i64": pa.array([-(1 << 40) * i for i in range(n)], pa.int64()),
    "u64": pa.array([1 << 40 for i in range(n)], pa.uint64()),
    "f16": pa.array([0.5 * i for i in range(n)], pa.float16()),
    "f32": pa.array([0.1 * i for i in range(n)], pa.float32()),
    "f64": pa.array(none([0.1 * i for i in range(n)])),
    "d128": pa.array([decimal.Decimal("-12345.67") * i for i in range(n)], pa.decimal128(12, 2)),
    "d256": pa.array([decimal.Decimal("1e30") * i for i in range(n)], pa.decimal256(40, 0)),
    "date": pa.array(none([t.date() for t in when])),
    "date64": pa.array([t.date() for t in when], pa.date64()),
    "s": pa.array([t.replace(microsecond=0) for t in when], pa.timestamp("s")),
    "us": pa.array(when, pa.timestamp("us")),
    "ns": pa.array([t.replace(tzinfo=utc) for t in when], pa.timestamp("ns", tz="Europe/Berlin")),
    "time": pa.array([t.time() for t in when], pa.time64("us")),
    "time32": pa.array([t.time().replace(microsecond=0) for t in when], pa.time32("s")),
    "duration": pa.array([datetime.timedelta(seconds=i) for i in range(n)], pa.duration("ms")),
    "text": pa.array(none(["größer", "", "a,b", "-", 'q"', "long text that does not fit into a view", "x"])),
    "large": pa.array([str(i) for i in range(n)], pa.large_string()),
    "view": pa.array(none(["short", "", "longer than twelve bytes", "-", "twelve bytes", "thirteen byte", "x"]),
                     pa.string_view()),
    "bytes": pa.array(none([bytes([i, 255]) for i in range(n)])),
    "fixed": pa.array([bytes([i, 1, 2]) for i in range(n)], pa.binary(3)),
    "kind": pa.array(none(["red", "green", "red", "-", "blue", "red", "green"])).dictionary_encode(),
    "level": pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, None, 1, 0, 1], pa.int8()), pa.array([1.5, None])),
    "list": pa.array(none([[i, i + 0.5] for i in range(n)]), pa.list_(pa.float32())),
    "ragged": pa.array([[1.0] * i for i in range(n)], pa.large_list(pa.float64())),
    "grid": pa.array([[[i, 2], [3, None]] for i in range(n)], pa.list_(pa.list_(pa.int32(), 2))),
    "null": pa.nulls(n),
    "struct": pa.array([{"x": i, "y": str(i)} for i in range(n)]),
    "map": pa.array([[("a", i)] for i in range(n)], pa.map_(pa.string(), pa.int32())),
    "union": pa.UnionArray.from_dense(pa.array([0, 1, 0, 1, 0, 1, 0], pa.int8()),
                                      pa.array([0, 0, 1, 1, 2, 2, 3], pa.int32()),
                                      [pa.array([1, 2, 3, 4]), pa.array(["a", "b", "c"])]),
    "texts": pa.array([["a", "b"] for _ in range(n)]),
    "last": pa.array([10 * i for i in range(n)], pa.int64()),
}
table = pa.table(columns)
batches = table.to_batches(max_chunksize=4)
for name, codec in {"plain": None, "lz4": "lz4", "zstd": "zstd"}.items():
    options = pa.ipc.IpcWriteOptions(compression=codec, emit_dictionary_deltas=True)
    with pa.ipc.new_file(name + ".arrow", table.schema, options=options) as w:
        for b in batches:
            w.write_batch(b)
with pa.ipc.new_stream("stream.arrows", table.schema) as w:
    for b in batches:
        w.write_batch(b)
schema = pa.schema([("kind", pa.dictionary(pa.int32(), pa.string())), ("x", pa.float64())])
grown = [pa.array(values).dictionary_encode() for values in (["a", "b"], ["a", "b", "c", "a"], ["z", "a"])]
with pa.ipc.new_stream("deltas.arrows", schema, options=pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)) as w:
    for k in grown:  # the second dictionary adds to the first one, the third one replaces it
        w.write_batch(pa.record_batch([k, pa.array([float(i) for i in range(len(k))])], schema=schema))
pa.feather.write_feather(table.select(["i32", "text", "kind", "last"]), "v2.feather")

with open("want.txt", "w") as f:
    for name in table.column_names:
        values = []
        for v in table.column(name).to_pylist():
            if isinstance(v, datetime.datetime):
                v = round((v.replace(tzinfo=v.tzinfo or utc) - datetime.datetime(1970, 1, 1, tzinfo=utc)) /
                          datetime.timedelta(microseconds=1)) // 1000
            elif isinstance(v, datetime.date):
                v = (v - datetime.date(1970, 1, 1)).days * 86400000
            elif isinstance(v, datetime.time):
                us = ((v.hour * 60 + v.minute) * 60 + v.second) * 1000000 + v.microsecond
                v = us if name == "time" else us // 1000000
            elif isinstance(v, datetime.timedelta):
                v = round(v.total_seconds() * 1000)
            elif isinstance(v, bytes):
                v = v.hex()
            elif isinstance(v, decimal.Decimal):
                v = float(v)
            values.append(str(v))
        f.write(name + ": " + "|".join(values) + "\n")
