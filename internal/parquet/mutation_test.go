package parquet

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/mutate"
	"github.com/dl4go/dl4go/pipeline"
)

// apart is a file that was taken apart, so that a part can be damaged without damage to the others.
type apart struct {
	footer *thriftNode
	chunks []*apartChunk
}

// apartChunk is a column of a row group.
type apartChunk struct {
	meta  *thriftNode
	pages []*apartPage
}

type apartPage struct {
	head *thriftNode
	body []byte
}

// takeApart takes a sound file apart.
func takeApart(b []byte) *apart {
	size := int(le.Uint32(b[len(b)-8:]))
	a := &apart{footer: readNode(&compact{b: b[len(b)-8-size : len(b)-8]}, thriftStruct)}
	for _, g := range a.footer.field(4).parts {
		for _, c := range g.field(1).parts {
			meta := c.field(3)
			one := &apartChunk{meta: meta}
			from := meta.field(9).n
			if d := meta.field(11); d != nil && d.n > 0 {
				from = min(from, d.n)
			}
			for rest := b[from : from+meta.field(7).n]; len(rest) > 0; {
				c := &compact{b: rest}
				p := &apartPage{head: readNode(c, thriftStruct)}
				if c.bad || p.head.field(3) == nil { // of a group without rows, which may have no pages
					break
				}
				end := c.at + int(p.head.field(3).n)
				p.body, rest = rest[c.at:end], rest[end:]
				one.pages = append(one.pages, p)
			}
			a.chunks = append(a.chunks, one)
		}
	}
	return a
}

// together puts the parts together. Where fixed is set, sizes and places are those of the parts.
func (a *apart) together(fixed bool) []byte {
	b := []byte(magic)
	for _, c := range a.chunks {
		from := len(b)
		data := from
		for _, p := range c.pages {
			if fixed {
				p.head.set(3, int64(len(p.body)))
			}
			if kind := p.head.field(1); kind != nil && kind.n == pageDictionary && from == data {
				data = -1
			} else if data < 0 {
				data = len(b)
			}
			b = append(p.head.append(b), p.body...)
		}
		if fixed {
			c.meta.set(7, int64(len(b)-from))
			c.meta.set(9, int64(max(data, from)))
			c.meta.set(11, int64(from))
		}
	}
	footer := a.footer.append(nil)
	return append(le.AppendUint32(append(b, footer...), uint32(len(footer))), magic...)
}

// damaged returns a damaged file: one to three changes of its footer, of the headers of pages, of what is in pages,
// also below their compression, of the order of pages, or of any bytes.
func damaged(b []byte, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 6))
	a := takeApart(b)
	anywhere := false
	for range 1 + r.IntN(3) {
		kind := r.IntN(9)
		if len(a.chunks) == 0 {
			kind = 0
		}
		switch kind {
		case 0, 1:
			a.together(true)
			a.footer.damage(r)
		case 8:
			anywhere = true
		default:
			a.chunks[r.IntN(len(a.chunks))].damage(r, kind)
		}
	}
	out := a.together(r.IntN(4) > 0)
	if anywhere {
		out = mutate.Bytes(out, seed)
	}
	return out[:min(len(out), 1<<20)]
}

// damage changes a page, or the order of pages.
func (c *apartChunk) damage(r *rand.Rand, kind int) {
	if len(c.pages) == 0 {
		return
	}
	i, k := r.IntN(len(c.pages)), r.IntN(len(c.pages))
	p := c.pages[i]
	switch kind {
	case 2, 3:
		p.head.damage(r)
	case 4:
		p.replace(mutate.Bytes(p.body, r.Uint64()))
	case 5, 6:
		c.damageContent(r, p)
	case 7:
		switch r.IntN(3) {
		case 0:
			c.pages = slices.Delete(c.pages, i, i+1)
		case 1:
			c.pages = slices.Insert(c.pages, k, &apartPage{p.head.clone(), p.body})
		default:
			c.pages[i], c.pages[k] = c.pages[k], c.pages[i]
		}
	}
}

// replace gives a page another body, without a checksum.
func (p *apartPage) replace(body []byte) {
	p.body = body
	p.head.parts = slices.DeleteFunc(p.head.parts, func(f *thriftNode) bool { return f.id == 4 })
}

// damageContent changes the levels and values of a page, and compresses it again.
func (c *apartChunk) damageContent(r *rand.Rand, p *apartPage) {
	h, n := readPageHeader(p.head.append(nil))
	codec := c.meta.field(4)
	if n == 0 || codec == nil || h.check(int64(len(p.body))) != nil {
		return
	}
	levels := min(h.defBytes+h.repBytes, len(p.body))
	content := p.body[levels:]
	packed := codec.n != codecNone && !h.plain && len(content) > 0
	if packed {
		var err error
		if content, err = (&codecs{}).decompress(int(codec.n), content, h.uncompressed-levels); err != nil {
			return
		}
	}
	before := bytes.Clone(p.body[:levels])
	if levels > 0 && r.IntN(2) == 0 {
		before = mutate.Bytes(before, r.Uint64())
		before = before[:min(len(before), levels)]
		before = append(before, make([]byte, levels-len(before))...)
	} else {
		content = mutate.Bytes(content, r.Uint64())
	}
	p.head.set(2, int64(levels+len(content)))
	if packed {
		content = (&madeColumn{codec: int(codec.n), zstd: testZstd}).compressed(content)
	}
	p.replace(append(before, content...))
}

// codecs decompress into new memory.
type codecs struct{ codec }

func (c *codecs) decompress(kind int, in []byte, size int) (out []byte, err error) {
	defer rescue("", &err)
	if size < 0 {
		return nil, errShort
	}
	return c.codec.decompress(kind, in, nil, size)
}

// testZstd compresses for tests.
var testZstd, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))

// checkDamaged reads a damaged file. It must neither panic, nor take memory that its size does not justify. It returns
// false if the file is sound as far as can be seen.
func checkDamaged(t *testing.T, what string, seed uint64, b []byte) bool {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := readAny(t, b)
	if err == nil {
		err = passOver(b)
	}
	runtime.ReadMemStats(&after)
	limit := uint64(200 << 20)
	if bytes.Contains(b, []byte("indices")) { // a vector may have 128 MB of zeros, and a batch twice as much
		limit = 1 << 30
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > limit {
		t.Errorf("%s, seed %d: %d bytes of memory for a file of %d", what, seed, taken, len(b))
	}
	if err != nil && strings.Contains(err.Error(), "runtime error") {
		t.Errorf("%s, seed %d: a panic: %v", what, seed, err)
	}
	return err != nil
}

// passOver reads a file, asks for the extents of its row groups, and for texts.
func passOver(b []byte) error {
	f, err := Open("dir/x.parquet", bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	var columns []int
	for i, c := range f.Columns {
		if c.Problem == "" {
			columns = append(columns, i)
		}
	}
	r, err := f.Reader(columns)
	if err != nil {
		return err
	}
	groups := 0
	r.PassOver(func([]pipeline.Extent) bool {
		groups++
		return groups%2 == 0
	})
	for numbers := 0; ; {
		n, err := r.Next(100)
		if n == 0 || err != nil || r.First() > 2000 {
			return err
		}
		for k := range columns {
			v, err := r.Value(k, n-1)
			if err != nil {
				return err
			}
			if a := v.Array(); a != nil {
				if numbers += len(a.Data); numbers > 1<<20 { // a damaged vector may claim millions of zeros
					return nil
				}
			}
			if _, _, err := r.Text(k, n-1); err != nil {
				return err
			}
		}
	}
}

// TestSmallFiles: the made files are sound, and read in the same way in batches of any size.
func TestSmallFiles(t *testing.T) {
	for seed := range uint64(campaign.Count(300, 1000, 5000)) {
		b := smallFile(seed, testZstd)
		if err := readAny(t, b); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if err := passOver(b); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if again := takeApart(b).together(true); !bytes.Equal(again, b) {
			t.Errorf("seed %d: taken apart and put together, it is another file", seed)
		}
		all, err := read("x", b, 1<<20, nil)
		few, also := read("x", b, 3, nil)
		if err != nil || also != nil || !equalRows(all, few) {
			t.Errorf("seed %d: in batches, the values are others (%v, %v)", seed, err, also)
		}
	}
}

// TestMutatedFiles: files with damage where it does most, in lengths, counts, places and types, cause no panic, and
// take no more memory than their size justifies.
func TestMutatedFiles(t *testing.T) {
	runs := campaign.Record(t)
	n, failed := campaign.Count(1000, 5000, 100_000), 0
	var list [][]byte
	for _, b := range samples(t) {
		list = append(list, b)
	}
	slices.SortFunc(list, bytes.Compare)
	for seed := range uint64(n) {
		what, b := "a made file", []byte(nil)
		if seed%8 == 0 {
			what, b = "a sample", list[seed/8%uint64(len(list))]
		} else {
			b = smallFile(seed/4, testZstd)
		}
		if checkDamaged(t, what, seed, damaged(b, seed)) {
			failed++
		}
		runs.Add(1)
	}
	if failed < n/2 {
		t.Errorf("of %d damaged files, %d are an error", n, failed)
	}
}

func equalRows(a, b map[string][]any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }
