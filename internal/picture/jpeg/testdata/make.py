"""Makes pillow.json: JPEG files of all kinds, and a checksum of the pixels that Pillow makes of each.

pip install pillow numpy simplejpeg; python make.py
"""
import base64, io, itertools, json, zlib
import numpy as np
import simplejpeg
from PIL import Image

cases = []
rng = np.random.default_rng(11)


def pixels(width, height, channels):
    y, x = np.mgrid[0:height, 0:width]
    waves = [128 + 110 * np.sin((x * (k + 1) + y * (5 - 2 * k)) / 9) for k in range(channels)]
    return np.clip(np.stack(waves, -1) + rng.normal(0, 12, (height, width, channels)), 0, 255).astype(np.uint8)


def add(name, content):
    image = Image.open(io.BytesIO(content))
    image = image if image.mode == "L" else image.convert("RGB")
    cases.append({"name": name, "jpeg": base64.b64encode(content).decode(), "width": image.width,
                  "height": image.height, "channels": len(image.getbands()), "crc": zlib.crc32(image.tobytes())})


def pillow(image, **options):
    b = io.BytesIO()
    image.save(b, "JPEG", **options)
    return b.getvalue()


def segments(content):
    """The segments of a file, and the data of its only scan."""
    at, found = 2, {}
    while True:
        marker, length = content[at + 1], int.from_bytes(content[at + 2:at + 4], "big")
        found.setdefault(marker, b"")
        found[marker] += content[at:at + 2 + length]
        at += 2 + length
        if marker == 0xda:
            return found, content[at:-2]


def scan_by_scan(width, height, h, v):
    """A sequential file with a scan for each component, made of grey files of one quality."""
    file = b"\xff\xd8"
    sizes = [(width, height)] + 2 * [(-(-width // h), -(-height // v))]
    for i, size in enumerate(sizes):
        s, data = segments(pillow(Image.fromarray(pixels(*size, 1)[..., 0]), quality=80))
        if i == 0:
            file += s[0xdb] + s[0xc4] + bytes([0xff, 0xc0, 0, 17, 8]) + height.to_bytes(2, "big") + \
                width.to_bytes(2, "big") + bytes([3, 1, h << 4 | v, 0, 2, 0x11, 0, 3, 0x11, 0])
        file += bytes([0xff, 0xda, 0, 8, 1, i + 1, 0, 0, 63, 0]) + data
    return file + b"\xff\xd9"


sizes = [(1, 1), (2, 3), (5, 7), (17, 9), (23, 19), (32, 16), (40, 33)]
for (width, height), mode in itertools.product(sizes, ["444", "422", "420", "440", "411"]):
    content = simplejpeg.encode_jpeg(pixels(width, height, 3), 70, "RGB", mode)
    add(f"{mode} of {width} by {height}", content)
for i, (width, height) in enumerate(sizes):
    colour = Image.fromarray(pixels(width, height, 3))
    grey = Image.fromarray(pixels(width, height, 1)[..., 0])
    for progressive in [False, True]:
        kind = "progressive" if progressive else "sequential"
        add(f"{kind} {width} by {height}", pillow(colour, quality=50 + 8 * i, subsampling=i % 3, progressive=progressive))
        add(f"{kind} grey {width} by {height}", pillow(grey, quality=75, progressive=progressive))
colour, cmyk = Image.fromarray(pixels(50, 35, 3)), Image.fromarray(pixels(21, 18, 4), "CMYK")
for progressive in [False, True]:
    for n in [1, 3]:
        add(f"restarts {n} {progressive}", pillow(colour, quality=70, restart_marker_blocks=n, progressive=progressive))
    add(f"best table {progressive}", pillow(colour, quality=100, subsampling=0, optimize=True, progressive=progressive))
    add(f"coarse {progressive}", pillow(colour, quality=1, progressive=progressive))
    add(f"cmyk {progressive}", pillow(cmyk, quality=80, progressive=progressive))
    add(f"rgb {progressive}", pillow(colour, quality=80, keep_rgb=True, progressive=progressive))
for h, v in [(1, 1), (2, 1), (2, 2), (1, 2), (4, 1), (4, 2)]:
    add(f"scan by scan {h} by {v}", scan_by_scan(37, 26, h, v))
adobe = bytearray(pillow(cmyk, quality=80))
adobe[adobe.index(b"Adobe") + 11] = 2
add("ycck", bytes(adobe))
with open("pillow.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
