package serve

import (
	"context"
	"errors"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/tensor"
)

// computer computes minibatches on seats.
type computer struct {
	normalize data.Normalizer // nil: features are taken as they are
	revert    *data.Scaler    // nil: outputs are on the labels' scale
	allowNaN  bool
	observe   func(Batch)
}

// span is examples of a call in a minibatch.
type span struct {
	of       *call
	from, to int // examples of the call
	at       int // the first one's place in the minibatch
}

// compute has the calls of a minibatch answered.
func (u *computer) compute(s *seat, calls []*call, begin time.Time) {
	err := u.run(s, calls)
	if err != nil && len(calls) > 1 { // whose examples are wrong?
		for i, c := range calls {
			c.out, c.err = nil, nil
			c.fail(u.run(s, calls[i:i+1]))
		}
	} else if err != nil {
		calls[0].fail(err)
	}
	rows := 0
	for _, c := range calls {
		rows += c.rows
		u.finish(c)
	}
	took := time.Since(begin)
	for _, c := range calls {
		if c.times != nil {
			c.times.Queued += begin.Sub(c.came)
			c.times.Computed += took
		}
	}
	if u.observe != nil {
		first := calls[0].came
		for _, c := range calls {
			if c.came.Before(first) {
				first = c.came
			}
		}
		u.observe(Batch{Examples: rows, Calls: len(calls), Waited: begin.Sub(first), Took: took})
	}
}

// run computes the examples of calls, as many at a time as fit. An error is about all of them; those of a single call
// are in it.
func (u *computer) run(s *seat, calls []*call) error {
	if err := s.equip(); err != nil {
		return err
	}
	rest := 0
	for _, c := range calls {
		rest += c.rows
	}
	at, from := 0, 0 // the next example's call
	for rest > 0 {
		if len(calls) == 1 {
			if err := context.Cause(calls[0].ctx); err != nil {
				return err
			}
		}
		t, err := s.slot(calls[0].in, rest)
		if err != nil {
			return err
		}
		n := min(rest, t.size)
		s.spans = s.spans[:0]
		for filled := 0; filled < n; {
			c := calls[at]
			take := min(c.rows-from, n-filled)
			s.spans = append(s.spans, span{c, from, from + take, filled})
			filled += take
			if from += take; from == c.rows {
				at, from = at+1, 0
			}
		}
		if err := u.runSpans(s, t, n); err != nil {
			return err
		}
		rest -= n
	}
	return nil
}

// runSpans computes the examples of the seat's spans, n in all.
func (u *computer) runSpans(s *seat, t *slot, n int) error {
	for _, sp := range s.spans {
		t.fill(sp)
	}
	t.pad(n)
	if u.normalize != nil {
		if err := u.normalize.Transform(t.first(n)); err != nil {
			return err
		}
	}
	if !u.allowNaN && !t.finite(n) {
		for _, sp := range s.spans {
			sp.of.fail(t.checkFinite(sp))
		}
	}
	out, err := s.net.Infer(t.whole)
	if err != nil {
		return err
	}
	doubtful := !u.allowNaN && (u.revert != nil || !allFinite(out))
	for _, sp := range s.spans {
		s.collect(sp, out, t.size)
		sp.of.doubtful = sp.of.doubtful || doubtful
	}
	return nil
}

// allFinite reports whether all numbers of arrays are finite.
func allFinite(list []*tensor.Dense) bool {
	for _, a := range list {
		if !finite(a.Data) {
			return false
		}
	}
	return true
}

// finish brings a call's outputs back to the labels' scale, and checks them.
func (u *computer) finish(c *call) {
	if c.err == nil && u.revert != nil {
		c.err = u.revert.RevertLabels(c.out, nil)
	}
	if c.err == nil && c.doubtful {
		c.err = checkOutputs(c.out, c.rows)
	}
	if c.err != nil {
		c.out = nil
	}
}

// checkOutputs looks for outputs that are NaN or infinite.
func checkOutputs(out []*tensor.Dense, rows int) error {
	for _, o := range out {
		if !finite(o.Data) {
			err := (&data.MultiDataSet{Features: out}).CheckFinite()
			if v := (*data.ValueError)(nil); errors.As(err, &v) {
				v.Example %= rows // networks may make several rows of each example
				v.Array = "outputs" + v.Array[len("features"):]
			}
			return err
		}
	}
	return nil
}

// finite says whether all are numbers.
func finite(x []float32) bool { return vector.For(kernel.Best()).NotFinite(x) < 0 }
