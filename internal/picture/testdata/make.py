# Makes the pictures of this folder, and what Pillow makes of them: pip install pillow numpy; python make.py
import json, numpy as np
from PIL import Image

r = np.random.default_rng(7)
y, x = np.mgrid[0:19, 0:23]
a = np.stack([(x * 11) % 256, (y * 13 + x) % 256, r.integers(0, 256, x.shape)], -1).astype(np.uint8)
m = Image.fromarray(a)
m.save("rgb.png")
m.convert("L").save("grey.png")
m.convert("P").save("palette.gif")
m.save("rgb.bmp")
m.save("lossless.webp", lossless=True)
m.save("photo.jpg", quality=95, subsampling=0)
m.convert("L").save("grey.jpg", quality=95)
a4 = np.concatenate([a, np.full(x.shape + (1,), 255, np.uint8)], -1)
Image.fromarray(a4, "RGBA").save("opaque.png")
out = {"rgb": a.flatten().tolist(), "grey": np.asarray(m.convert("L")).flatten().tolist(),
       "jpeg": np.asarray(Image.open("photo.jpg").convert("RGB")).flatten().tolist(),
       "gif": np.asarray(Image.open("palette.gif").convert("RGB")).flatten().tolist()}
for w, h in [(8, 8), (23, 5), (40, 31), (1, 1), (7, 19), (46, 38)]:
    out["%dx%d" % (h, w)] = np.asarray(m.resize((w, h), Image.BILINEAR)).flatten().tolist()
json.dump(out, open("pillow.json", "w"), separators=(",", ":"))
