package sharing

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/threshold"
)

// TestMessages checks that the messages of a minibatch are applied at once, that messages that move nothing count as
// steps, and that a damaged payload changes nothing.
func TestMessages(t *testing.T) {
	const params = 5
	w := &writer{coder: threshold.NewCoder(1)}
	var ends []int // a payload up to the end of a message is one, too
	for _, m := range []threshold.Message{
		{Form: threshold.Sparse, Length: params, Count: 1, Threshold: 0.5, Entries: []int32{2}},
		{Form: threshold.Empty, Length: params},
		{Form: threshold.Sparse, Length: params, Count: 2, Threshold: 0.25, Entries: []int32{-1, 2}},
	} {
		w.append(&m)
		ends = append(ends, len(w.bytes))
	}
	payload := w.take()
	r, err := newReference(twin{Params: params, Kernels: kernel.Best().String()})
	if err != nil {
		t.Fatal(err)
	}
	begin := func() {
		if err := r.Install(make([]byte, 4*params)); err != nil {
			t.Fatal(err)
		}
		r.account = account{}
	}
	begin()
	for n := 1; n < len(payload); n++ {
		if whole := r.Apply(&coordination.Entry{Payload: payload[:n]}) == nil; whole != slices.Contains(ends, n) {
			t.Errorf("%d of %d bytes are a payload: %t", n, len(payload), whole)
		}
		before := slices.Clone(r.current())
		damaged := slices.Clone(payload)
		damaged[n] ^= 0x10
		if r.Apply(&coordination.Entry{Payload: damaged}) == nil {
			t.Errorf("byte %d may be anything", n)
		}
		if !slices.Equal(r.current(), before) {
			t.Fatalf("a payload damaged at byte %d changes parameters", n)
		}
		begin()
	}
	for _, p := range [][]byte{payload, nil} {
		if err := r.Apply(&coordination.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	if want := []float32{0.25, -0.75, 0, 0, 0}; !slices.Equal(r.current(), want) {
		t.Errorf("parameters %v, wanted %v", r.params, want)
	}
	n := int64(len(payload))
	if a := (account{updates: 2, steps: 4, bytes: n, values: 3, released: n, threshold: 0.25}); r.account != a {
		t.Errorf("the account is %+v, wanted %+v", r.account, a)
	}
}

// TestManyMessages checks that a payload of many small messages, each a bitmap of every parameter, takes the memory of
// one.
func TestManyMessages(t *testing.T) {
	const params, many = 1 << 20, 300
	m := threshold.Message{Form: threshold.Bitmap, Length: params, Count: 1, Threshold: 0.5,
		Words: make([]uint32, params/16)}
	m.Words[7] = 1
	w := &writer{coder: threshold.NewCoder(1)}
	for range many {
		w.append(&m)
	}
	payload := w.take()
	r, err := newReference(twin{Params: params, Kernels: kernel.Best().String()})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Install(make([]byte, 4*params)); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := r.Apply(&coordination.Entry{Payload: payload}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	// Two messages are in memory at a time. With the race detector, slices.Grow takes the memory of each twice.
	if took := after.TotalAlloc - before.TotalAlloc; took > 5*params/4 {
		t.Errorf("%d bytes of payload took %d of memory, a bitmap has %d", len(payload), took, params/4)
	}
	if r.current()[7*16] != -many/2 || r.steps != many {
		t.Errorf("the parameter is %v after %d steps", r.params[7*16], r.steps)
	}
}

// TestThreadsOfReference checks that a reference with several threads releases the same bytes as one with a single
// thread, and has the same parameters.
func TestThreadsOfReference(t *testing.T) {
	for _, summed := range []bool{false, true} {
		for _, dense := range []bool{false, true} {
			params, payloads := updatesOf(t, 9, summed, dense)
			run := func(threads int) ([]byte, []byte) {
				r, err := newReference(twin{Params: params, Kernels: kernel.Best().String(), Summed: summed, Dense: dense})
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				r.coder, r.decoder.threads = threshold.NewCoder(threads), threads
				if summed {
					r.release.sum = threshold.NewSum(r.coder, params)
				}
				if err := r.Install(make([]byte, 4*params)); err != nil {
					t.Fatal(err)
				}
				r.Expect(append(payloads[3:4:4], payloads...)) // one of them never comes
				for _, p := range payloads {
					if err := r.Apply(&coordination.Entry{Payload: p}); err != nil {
						t.Fatal(err)
					}
				}
				var sum []byte
				if summed {
					if sum, err = r.Sum(); err != nil {
						t.Fatal(err)
					}
				}
				all, err := r.Params()
				if err != nil || r.updates != len(payloads) {
					t.Fatal(r.updates, err)
				}
				return sum, all
			}
			sum, all := run(1)
			moved := slices.ContainsFunc(all, func(b byte) bool { return b != 0 })
			if s, a := run(3); !moved || !slices.Equal(s, sum) || !slices.Equal(a, all) {
				t.Errorf("summed %t, dense %t: threads matter, or nothing moves", summed, dense)
			}
		}
	}
}

// TestWriter: a message has its length before it, whatever the length of the message before. A payload stays as it is
// while the next ones are written.
func TestWriter(t *testing.T) {
	const params = 1 << 12
	c := threshold.NewCoder(1)
	w := &writer{coder: c, dense: true}
	if w.take() != nil {
		t.Error("a payload without messages is not nil")
	}
	var all, want [][]byte
	for _, counts := range [][]int{{1}, {params, 3}, {2, params, 1, 500}, {0, 200}, {params}} {
		var payload []byte
		for _, n := range counts {
			m := &threshold.Message{Length: params}
			if n > 0 {
				m.Form, m.Threshold, m.Count = threshold.Sparse, 0.5, n
			}
			for i := range n {
				m.Entries = append(m.Entries, int32(i*(params/n)+1))
			}
			b := m.AppendOn(c, nil, true)
			payload = append(binary.AppendUvarint(payload, uint64(len(b))), b...)
			w.append(m)
		}
		all, want = append(all, w.take()), append(want, payload)
	}
	if !slices.EqualFunc(all, want, bytes.Equal) {
		t.Error("payloads differ from their messages after their lengths")
	}
}
