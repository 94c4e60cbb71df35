package parquet

import (
	"bytes"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// frame compresses in a frame that has a window of its own size.
func frame(t *testing.T, b []byte, window int, checksum bool) []byte {
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window),
		zstd.WithEncoderCRC(checksum), zstd.WithSingleSegment(false))
	if err == nil {
		_, err = w.Write(b)
	}
	if err == nil {
		err = w.Flush() // without the size in the header
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestNarrow: frames with windows that are larger than their page are read as others, also several in a page, and take
// the memory of the page.
func TestNarrow(t *testing.T) {
	var text []byte
	for i := range 300_000 {
		text = append(text, byte(i*i>>9), byte(i>>5))
	}
	small := text[:1000]
	skipped := append(le.AppendUint32(le.AppendUint32(nil, 0x184d2a53), 5), 1, 2, 3, 4, 5)
	for _, in := range [][]byte{
		frame(t, text, 128<<20, false), frame(t, text, 256<<20, true), frame(t, small, 64<<20, true),
		slices.Concat(frame(t, small, 1<<20, true), skipped, frame(t, text, 64<<20, true), frame(t, small, 32<<20, false)),
	} {
		d, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := d.DecodeAll(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		before := bytes.Clone(in)
		var got []byte
		if n := taken(func() { got, err = (&codecs{}).decompress(codecZstd, in, len(want)) }); n > 20<<20 {
			t.Errorf("a page of %d bytes takes %d MB", len(want), n>>20)
		}
		if err != nil || !bytes.Equal(got, want) || !bytes.Equal(in, before) {
			t.Errorf("%d bytes, and not %d: %v", len(got), len(want), err)
		}
		for n := range min(len(in), 100) {
			if _, err := (&codecs{}).decompress(codecZstd, in[:n], len(want)); err == nil {
				t.Errorf("the first %d bytes are read", n)
			}
		}
	}
}
