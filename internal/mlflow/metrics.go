package mlflow

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/stats"
)

// The first wholeSeries values of a series are all sent. Of later ones, those are sent that are more than the last
// finestPart of the run apart. That is finer than MLflow's charts. A server takes longer for a value than many networks
// take for a step.
const (
	wholeSeries = 1000
	finestPart  = 256
)

// picked returns the indices of a series' values that are sent. A series that has grown has the same ones at its
// beginning. If the run is over, the last value is one of them.
func picked(steps []int, over bool) (list []int) {
	last := 0
	for i, at := range steps {
		if i < wholeSeries || at-last > at/finestPart || over && i == len(steps)-1 {
			list, last = append(list, i), at
		}
	}
	return list
}

// metric is a value of a series.
type metric struct {
	Key   string
	Value float64
	Time  int64 // in milliseconds since 1970
	Step  int
}

// listed returns metrics as JSON. Their keys are results of nameOf, which need no escapes.
func listed(all []metric) []byte {
	b := make([]byte, 0, 100*len(all))
	for i, m := range all {
		b = append(b, "[,"[min(i, 1)])
		b = append(append(append(b, `{"key":"`...), m.Key...), `","value":`...)
		switch {
		case math.IsNaN(m.Value):
			b = append(b, `"NaN"`...)
		case math.IsInf(m.Value, 1):
			b = append(b, `"Infinity"`...)
		case math.IsInf(m.Value, -1):
			b = append(b, `"-Infinity"`...)
		default:
			b = strconv.AppendFloat(b, m.Value, 'g', -1, 64)
		}
		b = strconv.AppendInt(append(b, `,"timestamp":`...), m.Time, 10)
		b = append(strconv.AppendInt(append(b, `,"step":`...), int64(m.Step), 10), '}')
	}
	return append(b, ']')
}

// sendMetrics sends the picked values that the server does not have, the oldest first.
func (r *recording) sendMetrics(ctx context.Context, run stats.Run, over bool) error {
	var all []metric
	for _, s := range run.Series {
		key := nameOf(s.Name)
		last, some := r.sent[key]
		for _, i := range picked(s.Iterations, over) {
			if at := s.Iterations[i]; !some || at > last {
				all = append(all, metric{key, s.Values[i], run.Began.Add(s.Since[i]).UnixMilli(), at})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b metric) int { return cmp.Compare(a.Time, b.Time) })
	for len(all) > 0 {
		n := min(mostMetrics, len(all))
		for n < len(all) && n > 1 && sameSteps(all[:n], all[n]) { // otherwise the rest would seem to be sent
			n--
		}
		in := map[string]any{"run_id": r.id, "metrics": json.RawMessage(listed(all[:n]))}
		if err := r.call(ctx, "POST", "runs/log-batch", nil, in, nil); err != nil {
			return err
		}
		for _, m := range all[:n] {
			r.sent[m.Key] = m.Step
		}
		all = all[n:]
	}
	return nil
}

// sameSteps reports whether the next value belongs to a step of the batch.
func sameSteps(batch []metric, next metric) bool {
	return slices.ContainsFunc(batch, func(m metric) bool { return m.Key == next.Key && m.Step == next.Step })
}
