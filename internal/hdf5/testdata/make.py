"""Writes the files of this directory: python make.py. Needs h5py and numpy."""
import json, os
import h5py, numpy as np

os.chdir(os.path.dirname(os.path.abspath(__file__)))
r = np.random.default_rng(7)
values = {}

def note(f, name):
    def visit(path, o):
        if isinstance(o, h5py.Dataset):
            values.setdefault(name, {})[path] = {"shape": o.shape, "data": [float(np.float32(x)) for x in np.ravel(o[()])]}
    f.visititems(visit)

def write(name, make, **how):
    with h5py.File(name + ".h5", "w", **how) as f:
        make(f)
        note(f, name)

def types(f):
    for t in ["<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "i1", "<i2", ">i4", "<i8", "u1", ">u2", "<u4", "<u8"]:
        f["t" + t.replace("<", "l").replace(">", "b")] = (r.normal(size=(3, 4)) * 20).astype("i8").astype(t) if t[-2] in "iu" and t[-2] == "i" else np.abs(r.normal(size=(2, 3)) * 9).astype(t)
    f["scalar"] = np.float32(2.5)
    f["truth"] = np.array([True, False, True])
    f["empty"] = np.zeros((0, 3), "f4")
    f["odd"] = np.array([np.inf, -np.inf, 6e-8, -0.0, 65504], "f2")

def chunks(f):
    x = r.normal(size=(7, 10)).astype("f4")
    f.create_dataset("plain", data=x, chunks=(3, 4))
    f.create_dataset("gzip", data=x, chunks=(3, 4), compression="gzip")
    f.create_dataset("all", data=x.astype("f8"), chunks=(4, 4), compression="gzip", shuffle=True, fletcher32=True)
    f.create_dataset("one", data=x, chunks=(7, 10), compression="gzip", shuffle=True)
    f.create_dataset("line", data=np.arange(100, dtype="i4"), chunks=(9,), fletcher32=True)
    f.create_dataset("cube", data=r.normal(size=(3, 4, 5)).astype("f2"), chunks=(2, 3, 2), shuffle=True)
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.COMPACT)
    h5py.h5d.create(f.id, b"compact", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((2, 3)), plist).write(
        h5py.h5s.ALL, h5py.h5s.ALL, np.arange(6, dtype="f4").reshape(2, 3))

def groups(f):
    for i in range(160):
        f.create_dataset("many/member%d" % i, data=np.float32(i))
    f["a/b/c"] = np.arange(3, dtype="f4")

def texts(f):
    g = f.create_group("g")
    for i in range(40):
        g.attrs["n%d" % i] = "value %d" % i
    g.attrs["long"] = "x" * 5000
    g.attrs["list"] = ["eins", "zwei", "drei – ü"]
    g.attrs["fixed"] = np.array([b"ab", b"abcd"])
    g.attrs["none"] = np.array([])
    g.attrs["one"] = np.bytes_(b"single")
    f["x"] = np.float32(1)

def few(f):
    for i in range(8):
        f["m%d" % i] = np.float32(i)

write("block-latest", few, userblock_size=512, libver="latest")
write("types", types)
write("chunks", chunks)
write("groups", groups)
write("texts", texts)
write("types-latest", types, libver="latest")
write("chunks-latest", chunks, libver="latest")
write("groups-latest", groups, libver="latest")
write("texts-latest", texts, libver="latest")
write("block", types, userblock_size=1024)
with h5py.File("refused.h5", "w") as f:
    f["here"] = np.arange(3, dtype="f4")
    f["soft"] = h5py.SoftLink("/here")
    f["external"] = h5py.ExternalLink("other.h5", "/x")
    f.create_dataset("outside", shape=(3,), dtype="f4", external=[("other.bin", 0, 12)])
    layout = h5py.VirtualLayout(shape=(3,), dtype="f4")
    layout[:] = h5py.VirtualSource("other.h5", "x", shape=(3,))
    f.create_virtual_dataset("virtual", layout)
    f["type"] = np.dtype("f4")
    f.create_dataset("committed", data=np.arange(3, dtype="f4"), dtype=f["type"])
    f.create_dataset("lzf", data=np.arange(9, dtype="f4"), chunks=(3,), compression="lzf")
    f["compound"] = np.zeros(2, [("a", "f4"), ("b", "i4")])
    f.create_dataset("nothing", shape=(1 << 30, 1 << 9), dtype="f4")
    f.create_dataset("holes", shape=(10,), dtype="f4", chunks=(5,))[:5] = 1
with h5py.File("grows.h5", "w", libver="latest") as f:
    f.create_dataset("x", data=np.arange(9, dtype="f4"), chunks=(3,), maxshape=(None,))
for name in values:
    for path in list(values[name]):
        d = values[name][path]["data"]
        if path.startswith("many/") and int(path[11:]) % 50:
            del values[name][path]
        else:
            values[name][path]["data"] = [repr(x) for x in d]
json.dump(values, open("values.json", "w"), indent=0, separators=(",", ":"))
