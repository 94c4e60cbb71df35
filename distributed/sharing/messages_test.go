package sharing

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/distributed/gradshare"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/threshold"
)

// TestMessages: the messages of a minibatch are applied in one go, those that move nothing count as steps, and a payload that
// is damaged changes nothing.
func TestMessages(t *testing.T) {
	const params = 5
	var payload []byte
	var ends []int // of messages: a payload up to there is one
	for _, m := range []threshold.Message{
		{Form: threshold.Sparse, Length: params, Count: 1, Threshold: 0.5, Entries: []int32{2}},
		{Form: threshold.Empty, Length: params},
		{Form: threshold.Sparse, Length: params, Count: 2, Threshold: 0.25, Entries: []int32{-1, 2}},
	} {
		payload = appendMessage(payload, &m)
		ends = append(ends, len(payload))
	}
	r, err := newReference(params, kernel.Best().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(payload); n++ {
		if whole := r.Apply(&gradshare.Entry{Payload: payload[:n]}) == nil; whole != slices.Contains(ends, n) {
			t.Errorf("%d of %d bytes are a payload: %t", n, len(payload), whole)
		}
		before := slices.Clone(r.params)
		damaged := slices.Clone(payload)
		damaged[n] ^= 0x10
		if r.Apply(&gradshare.Entry{Payload: damaged}) == nil {
			t.Errorf("byte %d may be anything", n)
		}
		if !slices.Equal(r.params, before) {
			t.Fatalf("a payload damaged at byte %d changes parameters", n)
		}
		r.account, r.params = account{}, make([]float32, params)
	}
	for _, p := range [][]byte{payload, nil} {
		if err := r.Apply(&gradshare.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	if want := []float32{0.25, -0.75, 0, 0, 0}; !slices.Equal(r.params, want) {
		t.Errorf("parameters %v, wanted %v", r.params, want)
	}
	if a := (account{updates: 2, steps: 4, bytes: int64(len(payload)), values: 3, threshold: 0.25}); r.account != a {
		t.Errorf("the account is %+v, wanted %+v", r.account, a)
	}
}
