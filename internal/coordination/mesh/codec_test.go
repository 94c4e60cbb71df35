package mesh

import (
	"bytes"
	"encoding/binary"
	"testing"

	"google.golang.org/grpc/mem"

	"github.com/dl4go/dl4go/internal/coordination"
)

// cut splits a frame into parts, and each part into buffers of odd sizes, as a network does.
func cut(frame []byte, size, buffer int) []mem.BufferSlice {
	var all []mem.BufferSlice
	for from := 0; from < len(frame); from += size {
		to := min(len(frame), from+size)
		b := append(binary.LittleEndian.AppendUint64(nil, uint64(len(frame)-to)), frame[from:to]...)
		var s mem.BufferSlice
		for len(b) > 0 {
			n := min(buffer, len(b))
			s, b = append(s, mem.SliceBuffer(b[:n])), b[n:]
		}
		all = append(all, s)
	}
	return all
}

// TestFrame checks that parts form the same frame again, however they are cut. Memory is reused only if nothing else
// holds it.
func TestFrame(t *testing.T) {
	f := frame{limit: 10 << 20}
	for _, size := range []int{1, 7, 1000, 70_000, 5 << 20} {
		for _, buffer := range []int{3, 1 << 14} {
			want := bytes.Repeat([]byte("0123456"), size/7+1)
			f.reset()
			for _, p := range cut(want, max(1, size/3), buffer) {
				if f.add(p); f.rest < 0 {
					t.Fatal("less than nothing is to come")
				}
			}
			if f.rest != 0 || !bytes.Equal(f.data, want) {
				t.Fatalf("%d bytes in buffers of %d: %d came, %d are to come", len(want), buffer, len(f.data), f.rest)
			}
			if 2*len(want)+grows < cap(f.data) {
				t.Errorf("%d bytes take %d", len(want), cap(f.data))
			}
		}
	}
	one := cut(bytes.Repeat([]byte{1}, 100), 200, 300)[0]
	two := cut(bytes.Repeat([]byte{2}, 100), 200, 300)[0]
	read := func(p mem.BufferSlice, m coordination.Message) []byte {
		f.reset()
		if err := f.add(p); err != nil {
			t.Fatal(err)
		}
		b := f.data
		f.recycle(m)
		return b
	}
	f.scratch = nil
	kept := read(one, &coordination.Update{})
	lent := read(one, &coordination.Beat{})
	again := read(two, &coordination.Update{})
	if kept[0] != 1 || &lent[0] != &again[0] || lent[0] != 2 {
		t.Error("memory is reused where it must not be, or not where it can be")
	}
	if last := read(one, &coordination.Update{}); &last[0] == &again[0] {
		t.Error("memory that an update holds was reused")
	}
}

// FuzzFrame checks that for any input, memory stays within the limit and nothing panics.
func FuzzFrame(f *testing.F) {
	for _, p := range cut(bytes.Repeat([]byte("abc"), 100), 128, 50) {
		f.Add(p.Materialize(), uint8(50))
	}
	f.Add(binary.LittleEndian.AppendUint64(nil, 1<<63), uint8(3))
	f.Add([]byte{1, 2}, uint8(1))
	f.Fuzz(func(t *testing.T, b []byte, buffer uint8) {
		in := frame{limit: 1000}
		for range 4 {
			var s mem.BufferSlice
			for left := b; len(left) > 0; {
				n := min(int(buffer)+1, len(left))
				s, left = append(s, mem.SliceBuffer(left[:n])), left[n:]
			}
			if in.add(s) != nil || in.rest == 0 {
				in.reset()
			}
			if len(in.data)+in.rest > in.limit || cap(in.data) > in.limit {
				t.Fatalf("%d bytes in %d, %d to come, of %d", len(in.data), cap(in.data), in.rest, in.limit)
			}
		}
	})
}

func TestFramePool(t *testing.T) {
	var p framePool
	for _, size := range []int{0, 1, 2048, 2049, 100_000, 4 << 20, 4<<20 + 1} {
		b := p.Get(size)
		if len(*b) != size {
			t.Errorf("%d bytes in place of %d", len(*b), size)
		}
		p.Put(b)
		if b = p.Get(size); len(*b) != size {
			t.Errorf("%d bytes in place of %d, the second time", len(*b), size)
		}
		odd := make([]byte, 0, size+3)
		p.Put(&odd)
	}
}
