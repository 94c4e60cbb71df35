package threshold

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/dl4go/dl4go/internal/kernel"
)

// wordsOf makes bitmaps of every kind: without values, with all values, only up or only down, in a part of the words
// only.
func wordsOf(r *rand.Rand, n, kind int) []uint32 {
	words := make([]uint32, n)
	for i := range words {
		w := r.Uint32()
		switch kind {
		case 0:
			w = 0
		case 1:
			w = 1<<32 - 1
		case 2: // up
			w &= 0xffff
		case 3: // half down
			w &= 0xffff0000
		case 4: // one in four
			w &= r.Uint32()
		case 5: // one in sixteen
			w &= r.Uint32() & r.Uint32() & r.Uint32()
		case 6: // at the start
			w &= -uint32(b2i(i < n/3))
		case 7: // at the end
			w &= -uint32(b2i(i >= n-n/3))
		case 8: // all or nothing
			w = -(w & 1)
		}
		words[i] = w
	}
	return words
}

const wordKinds = 10 // the last kind is random bits

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// streams returns PackBitmap's streams, with a byte for each bit.
func streams(words []uint32) (places, signs, wholes []byte) {
	for _, w := range words {
		for j := range 16 {
			lower, upper := byte(w>>j&1), byte(w>>(16+j)&1)
			places = append(places, lower|upper)
			if lower|upper != 0 {
				signs = append(signs, upper)
			}
			if upper != 0 {
				wholes = append(wholes, lower)
			}
		}
	}
	return places, signs, wholes
}

// packed packs eight bits into a byte.
func packed(each []byte) []byte {
	b := make([]byte, (len(each)+7)/8)
	for i, x := range each {
		b[i/8] |= x << (i % 8)
	}
	return b
}

var packLengths = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 17, 31, 64, 65, 100, 257, 1023}

// everyBitmap runs a test for each variant and every kind of bitmap.
func everyBitmap(t *testing.T, f func(t *testing.T, k *Set, words []uint32, offset int)) {
	for _, v := range kernel.Available() {
		t.Run(v.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for _, n := range packLengths {
				for kind := range wordKinds {
					for offset := range 5 {
						f(t, For(v), wordsOf(r, n, kind), offset)
					}
				}
			}
		})
	}
}

func TestPackBitmap(t *testing.T) {
	everyBitmap(t, func(t *testing.T, k *Set, words []uint32, offset int) {
		n := len(words)
		places, signs, wholes := streams(words)
		wantPlaces, wantSigns, wantWholes := packed(places), packed(signs), packed(wholes)
		if got := k.CountBitmap(words); got != len(signs) {
			t.Fatalf("CountBitmap of %d words: %d, want %d", n, got, len(signs))
		}
		for spare := range 2 { // exactly as much room as needed, and more
			sizes := []int{2 * n, len(wantSigns) + 9*spare, len(wantWholes) + 9*spare}
			var all, dst [3][]byte
			for i, size := range sizes {
				all[i], dst[i] = guarded[byte](size, offset+i, 0xa5)
			}
			values, downs := k.PackBitmap(dst[0], dst[1], dst[2], words)
			if values != len(signs) || downs != len(wholes) {
				t.Fatalf("PackBitmap of %d words: %d and %d bits, want %d and %d", n, values, downs, len(signs), len(wholes))
			}
			for i, want := range [][]byte{wantPlaces, wantSigns, wantWholes} {
				if !bytes.Equal(dst[i][:len(want)], want) {
					t.Fatalf("PackBitmap of %d words, stream %d: %x, want %x", n, i, dst[i], want)
				}
				untouched(t, "PackBitmap", all[i], len(want), offset+i, 0xa5)
			}
		}
	})
}

func TestUnpackBitmap(t *testing.T) {
	everyBitmap(t, func(t *testing.T, k *Set, words []uint32, offset int) {
		places, signs, wholes := streams(words)
		in := func(want []byte, offset int) []byte { // with ones beyond the end, which must be ignored
			_, b := guarded[byte](len(want), offset, 0xff)
			copy(b, want)
			return b
		}
		all, dst := guarded[uint32](len(words), offset, 1<<31+5)
		values, downs := k.UnpackBitmap(dst, in(packed(places), offset), in(packed(signs), offset+1),
			in(packed(wholes), offset+2))
		if values != len(signs) || downs != len(wholes) || !slices.Equal(dst, words) {
			t.Fatalf("UnpackBitmap: %d and %d bits, want %d and %d\n%x\n%x", values, downs, len(signs), len(wholes), dst, words)
		}
		untouched(t, "UnpackBitmap", all, len(words), offset, 1<<31+5)
	})
}

// TestUnpackBeyondTheEnd: bits beyond the end count as zeros, whatever is in memory.
func TestUnpackBeyondTheEnd(t *testing.T) {
	everyBitmap(t, func(t *testing.T, k *Set, words []uint32, offset int) {
		places, signs, wholes := streams(words)
		p, s, w := packed(places), packed(signs), packed(wholes)
		for _, cut := range []int{1, 2, 7, 8, 9, 40, 1 << 20} {
			some, few := s[:max(0, len(s)-cut)], w[:max(0, len(w)-cut)]
			if offset%2 == 0 {
				some = s
			}
			want := naiveUnpack(p, some, few)
			got := make([]uint32, len(words))
			values, downs := k.UnpackBitmap(got, p, some[:len(some):len(some)], few)
			wantDowns := 0
			for _, word := range want {
				wantDowns += bits.OnesCount32(word >> 16)
			}
			if values != len(signs) || downs != wantDowns || !slices.Equal(got, want) {
				t.Fatalf("%d words without the last %d bytes: %d and %d bits, want %d and %d\n%x\n%x",
					len(words), cut, values, downs, len(signs), wantDowns, got, want)
			}
		}
	})
}

// naiveUnpack reads bit by bit.
func naiveUnpack(places, signs, wholes []byte) []uint32 {
	next := func(b *[]byte, n *int) uint32 {
		i := *n
		*n++
		if i/8 >= len(*b) {
			return 0
		}
		return uint32((*b)[i/8]>>(i%8)) & 1
	}
	words := make([]uint32, len(places)/2)
	p, s, w := 0, 0, 0
	for i := range words {
		for j := range 16 {
			if next(&places, &p) == 0 {
				continue
			}
			lower, upper := uint32(1), next(&signs, &s)
			if upper != 0 {
				lower = next(&wholes, &w)
			}
			words[i] |= (lower | upper<<16) << j
		}
	}
	return words
}

// TestPackAtTheEndOfMemory: nothing beyond a slice is read or written.
func TestPackAtTheEndOfMemory(t *testing.T) {
	end := func(n int) []byte { return atEnd(t, n) }
	for _, v := range kernel.Available() {
		k, r := For(v), rand.New(rand.NewPCG(5, 6))
		for _, n := range []int{1, 3, 4, 8, 63, 64, 1023} {
			for kind := range wordKinds {
				random := wordsOf(r, n, kind)
				_, s, w := streams(random)
				words := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(end(4*n)))), n)
				copy(words, random)
				places, signs, wholes := end(2*n), end((len(s)+7)/8), end((len(w)+7)/8)
				k.PackBitmap(places, signs, wholes, words)
				count := k.CountBitmap(words)
				clear(words)
				k.UnpackBitmap(words, places, signs, wholes)
				if !slices.Equal(words, random) || count != len(s) {
					t.Fatalf("%v: %d words, kind %d: %x, want %x", v, n, kind, words, random)
				}
			}
		}
	}
}

func TestPackWithoutRoomPanics(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, v := range kernel.Available() {
		k := For(v)
		for _, n := range []int{1, 4, 5, 100} {
			words := wordsOf(r, n, 1)
			p, s, w := make([]byte, 2*n), make([]byte, 2*n), make([]byte, 2*n)
			all, short := guarded[byte](2*n-1, 0, 0xa5)
			for name, f := range map[string]func(){
				"signs":          func() { k.PackBitmap(p, short, w, words) },
				"wholes":         func() { k.PackBitmap(p, s, short, words) },
				"no signs":       func() { k.PackBitmap(p, nil, w, words) },
				"no wholes":      func() { k.PackBitmap(p, s, nil, words) },
				"places":         func() { k.PackBitmap(p[1:], s, w, words) },
				"places to read": func() { k.UnpackBitmap(words, p[1:], s, w) },
			} {
				if !panics(f) {
					t.Errorf("%v, %d words, %s: no panic", v, n, name)
				}
				untouched(t, name, all, 2*n-1, 0, 0xa5)
			}
		}
	}
}

func TestWordsInBytes(t *testing.T) {
	words := []uint32{0x04030201, 0xfffefdfc}
	b := AppendWords([]byte{9}, words)
	if !bytes.Equal(b, []byte{9, 1, 2, 3, 4, 0xfc, 0xfd, 0xfe, 0xff}) {
		t.Fatalf("%x", b)
	}
	read := make([]uint32, 2)
	if ReadWords(read, b[1:]); !slices.Equal(read, words) {
		t.Fatalf("%x", read)
	}
	if !panics(func() { ReadWords(read, b) }) {
		t.Error("no panic for a byte too many")
	}
}

// BenchmarkPack packs the bitmap of 400 thousand elements, and unpacks it again.
func BenchmarkPack(b *testing.B) {
	const n = 25_000
	for _, density := range []float64{0.01, 0.12, 0.4} {
		r := rand.New(rand.NewPCG(1, 2))
		words := make([]uint32, n)
		for i := range 16 * n {
			if r.Float64() < density {
				words[i/16] |= []uint32{1, 0x10000, 0x10001}[r.IntN(3)] << (i % 16)
			}
		}
		places, signs, wholes := make([]byte, 2*n), make([]byte, 2*n), make([]byte, 2*n)
		for _, v := range kernel.Available() {
			k := For(v)
			run := func(name string, f func()) {
				b.Run(fmt.Sprintf("%s/%.2f/%v", name, density, v), func(b *testing.B) {
					for b.Loop() {
						f()
					}
				})
			}
			values, downs := k.PackBitmap(places, signs, wholes, words)
			run("PackBitmap", func() { k.PackBitmap(places, signs, wholes, words) })
			run("UnpackBitmap", func() { k.UnpackBitmap(words, places, signs[:(values+7)/8], wholes[:(downs+7)/8]) })
			run("CountBitmap", func() { k.CountBitmap(words) })
		}
	}
}
