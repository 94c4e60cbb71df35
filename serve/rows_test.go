package serve

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/pipeline"
)

// named is a perceptron of three named columns and two numbers.
func named(t *testing.T) *nn.MultiLayer {
	net := regression(t)
	err := net.SetSchema(&data.Schema{Features: []string{"a", "b", "c d"}, Labels: []string{"up", "down"}})
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// TestRows: a row by its columns' names, as a map or as a struct, is the row of numbers.
func TestRows(t *testing.T) {
	p := predictor(t, named(t), Options{})
	want, err := p.PredictRow(t.Context(), []float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	type level int8
	type inner struct{ B float32 }
	type row struct {
		inner
		A     level `dl4go:"a"`
		CD    *int  `dl4go:"c d"`
		other int
		Out   string `dl4go:"-"`
	}
	type whole struct {
		row
		Low float32 `dl4go:"b"`
	}
	three := 3
	same := map[string][]Answer{}
	for name, m := range map[string]map[string]any{
		"of Go":  {"a": 1, "b": uint16(2), "c d": 3.0, "more": "x"},
		"texts":  {"a": "1", "b": "2e0", "c d": "3"},
		"a JSON": {"a": json.Number("1"), "b": json.Number("2"), "c d": json.Number("3.0")},
	} {
		if same[name], err = p.PredictRows(t.Context(), m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := whole{row{A: 1, CD: &three}, 2}
	r.other = 1
	if same["a struct"], err = PredictValues(t.Context(), p, r); err != nil {
		t.Error(err)
	}
	if same["a pointer"], err = PredictValues(t.Context(), p, &r); err != nil {
		t.Error(err)
	}
	for name, got := range same {
		if len(got) != 1 || got[0].Values["up"] != want[0] || got[0].Values["down"] != want[1] ||
			got[0].Class.Name != "" {
			t.Errorf("%s: %+v, not %v", name, got, want)
		}
	}
	columns := p.Columns()
	if len(columns) != 3 || columns[2].Name != "c d" || columns[2].Type != pipeline.DoubleType || p.TakesSequences() {
		t.Errorf("columns %v", columns)
	}
}

// TestBadRows: each mistake is an error that names the row and the column.
func TestBadRows(t *testing.T) {
	p := predictor(t, named(t), Options{})
	good := map[string]any{"a": 1, "b": 2, "c d": 3}
	for wants, m := range map[string]map[string]any{
		`row 1: there is no value "b"`:                  {"a": 1, "c d": 3},
		`row 1: "b": "two" is not a number`:             {"a": 1, "b": "two", "c d": 3},
		`row 1: "b": the value is missing`:              {"a": 1, "b": nil, "c d": 3},
		`row 1: "b": a []int is not a number`:           {"a": 1, "b": []int{1}, "c d": 3},
		`column "c d": features: example 1 has +Inf`:    {"a": 1, "b": 2, "c d": 1e300},
		`column "a": features: example 1 has NaN in`:    {"a": math.NaN(), "b": 2, "c d": 3},
		`no value "a", "b", "c d"; give all columns th`: nil,
	} {
		if _, err := p.PredictRows(t.Context(), good, m); err == nil || !strings.Contains(err.Error(), wants) {
			t.Errorf("wanted %q: %v", wants, err)
		}
	}
	if _, err := p.PredictRows(t.Context()); err == nil {
		t.Error("no rows are accepted")
	}
	if _, err := p.Classify(t.Context(), []float64{1, 2, 3}); err == nil || !strings.Contains(err.Error(), "numbers") {
		t.Errorf("a class of numbers: %v", err)
	}
	_, err := p.PredictRow(t.Context(), []float64{1, 2})
	if err == nil || !strings.Contains(err.Error(), "takes rows of length 3: a, b, c d") {
		t.Errorf("a short row: %v", err)
	}
	for _, rows := range [][]any{{1}, {(*struct{ A int })(nil)}, {time.Time{}}, {struct {
		A int `dl4go:"a"`
		B int `dl4go:"a"`
	}{}}} {
		if _, err := PredictValues(t.Context(), p, rows...); err == nil {
			t.Errorf("%T is a row", rows[0])
		}
	}
	plain := predictor(t, regression(t), Options{})
	_, err = plain.PredictRows(t.Context(), good)
	if err == nil || !strings.Contains(err.Error(), "no names of columns") {
		t.Errorf("without names: %v", err)
	}
}

// TestDelay: with a delay, calls wait for others until it is over or the minibatch is full.
func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var batches []Batch
		p, err := New(regression(t), Options{Concurrency: 2, MaxBatch: 4, MaxDelay: time.Second,
			Observe: func(b Batch) { batches = append(batches, b) }})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		ask := func(rows int) {
			go func() {
				if _, err := p.Predict(t.Context(), numbers(rows, 3)); err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait()
		}
		ask(1)
		ask(1)
		if len(batches) != 0 || p.Waiting() != 2 {
			t.Errorf("%d minibatches before the delay is over", len(batches))
		}
		ask(2)
		if len(batches) != 1 || batches[0].Examples != 4 || time.Since(begin) != 0 {
			t.Errorf("a full minibatch waits: %+v", batches)
		}
		ask(3)
		time.Sleep(time.Second)
		synctest.Wait()
		if len(batches) != 2 || batches[1].Examples != 3 || batches[1].Waited != time.Second {
			t.Errorf("after the delay: %+v", batches)
		}
		ask(1)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if len(batches) != 3 {
			t.Error("Close does not wait for a call that waits")
		}
	})
}

// TestTidied: the memory of large minibatches goes back when nobody has asked for a while.
func TestTidied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := regression(t)
		p, err := New(net, Options{Concurrency: 2})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Predict(t.Context(), numbers(1, 3)); err != nil {
			t.Fatal(err)
		}
		p.mu.Lock()
		s := p.free[1]
		s.slots[0].held = keptMemory + 1
		p.mu.Unlock()
		tidied := func() bool {
			p.mu.Lock()
			defer p.mu.Unlock()
			return s.slots == nil
		}
		if _, err := p.Predict(t.Context(), numbers(1, 3)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(keptTime - 1)
		synctest.Wait()
		if tidied() {
			t.Error("it went too soon")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if !tidied() {
			t.Error("it is still there")
		}
		if _, err := p.Predict(t.Context(), numbers(1, 3)); err != nil {
			t.Error(err)
		}
		p.Close()
	})
}

// TestPanic: where a computation panics, no call waits forever, and the predictor goes on.
func TestPanic(t *testing.T) {
	asked := 0
	p := predictor(t, regression(t), Options{Concurrency: 1, Observe: func(Batch) {
		if asked++; asked == 1 {
			panic("observed")
		}
	}})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		_, _ = p.Predict(t.Context(), numbers(1, 3))
	}()
	if _, err := p.Predict(t.Context(), numbers(1, 3)); err != nil || errors.Is(err, errAbandoned) {
		t.Error(err)
	}
}

// TestOptions: settings that can't be are refused.
func TestOptions(t *testing.T) {
	for _, o := range []Options{{MaxBatch: 3}, {MaxBatch: 2048}, {MaxBatch: -1}, {MaxDelay: -1},
		{MaxQueue: -1}, {MaxMemory: -1}} {
		if _, err := New(regression(t), o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	if _, err := New(nil, Options{}); err == nil {
		t.Error("no network is accepted")
	}
	if _, err := Open(t.Context(), "none.zip", Options{}); err == nil || !strings.Contains(err.Error(), "none.zip") {
		t.Errorf("a file that is not there: %v", err)
	}
}
