package sharing

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/tensor"
	"github.com/dl4go/dl4go/threshold"
)

// own is a program's own repartitioner. It puts even examples first.
type own struct {
	Parts int `dl4j:"parts"`
}

func (o own) Validate() error { return nil }

func (o own) Assign(l Layout) (engine.Assignment, error) {
	var a engine.Assignment
	n := l.Examples()
	for parity := range 2 {
		for i := parity; i < n; i += 2 {
			a.Order = append(a.Order, int64(i))
		}
	}
	a.Ends = engine.EvenEnds(n, o.Parts)
	return a, nil
}

func init() { Repartitioners.Register("sharing_test.Own", func() Repartitioner { return own{1} }) }

func TestRepartitioners(t *testing.T) {
	l := Layout{Partitions: []int{5, 0, 12}, Workers: 3, Batch: 4, Seed: 9}
	for _, c := range []struct {
		name string
		by   Repartitioner
		ends []int
	}{
		{"default", NewDefaultRepartitioner(), []int{6, 12, 17}},
		{"at most 2", DefaultRepartitioner{2}, []int{9, 17}},
		{"own of one", own{1}, []int{17}},
		{"own of more than workers", own{5}, []int{8, 14, 17}},
		{"never", deprecated{Never, Balanced}, []int{5, 17}},
		{"as many", deprecated{NumPartitionsWorkersDiffers, Balanced}, []int{5, 17}},
		{"always", deprecated{Always, Balanced}, []int{6, 12, 17}},
	} {
		a, err := c.by.Assign(l)
		if err != nil {
			t.Fatal(err)
		}
		if a = shares(a, l.Workers); a.Validate() != nil || a.Rows() != 17 || !slices.Equal(a.Ends, c.ends) {
			t.Errorf("%s: %v, ends %v, want %v", c.name, a.Validate(), a.Ends, c.ends)
		}
	}
	a, err := deprecated{Always, SparkDefault}.Assign(l)
	if err != nil || a.Validate() != nil || a.Rows() != 17 {
		t.Errorf("at random: %+v, %v", a, err)
	}
	l.Workers = 2
	if _, err := (deprecated{Never, Balanced}).Assign(l); err == nil || !strings.Contains(err.Error(), "3 partitions") {
		t.Errorf("never, with more partitions than workers: %v", err)
	}
	few, err := NewDefaultRepartitioner().Assign(Layout{Partitions: []int{5}, Workers: 3, Batch: 4})
	if err != nil || len(few.Ends) != 2 {
		t.Errorf("two minibatches have %d partitions (%v)", len(few.Ends), err)
	}
	c := config()
	c.Repartitioner = own{2}
	js, err := c.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := FromJSON(js); err != nil || again.Repartitioner != (own{2}) {
		t.Errorf("came back as %+v (%v)", again.Repartitioner, err)
	}
}

// TestFeeder checks that a minibatch is the same wherever an epoch resumes, that an epoch has each example once, and
// that epochs differ.
func TestFeeder(t *testing.T) {
	var all []engine.Row
	for i := range 23 {
		all = append(all, engine.Unindexed(data.AppendRow(nil,
			&data.MultiDataSet{Features: []*tensor.Dense{tensor.MustOf([]float32{float32(i)}, 1, 1)},
				Labels: []*tensor.Dense{tensor.MustOf([]float32{1}, 1, 1)}})))
	}
	rows, err := resident.Keep(engine.SliceRows(all))
	if err != nil {
		t.Fatal(err)
	}
	read := func(prefetch int, epoch, from uint32) (all [][]float32) {
		f := &feeder{rows: rows, batch: 5, seed: 7, prefetch: prefetch}
		defer f.close()
		for o := from; int(o) < f.minibatches(); o++ {
			m, err := f.minibatch(t.Context(), epoch, o)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, m.Features[0].Data)
		}
		return all
	}
	whole := read(0, 3, 0)
	seen := slices.Sorted(slices.Values(slices.Concat(whole...)))
	var sizes []int
	for _, m := range whole {
		sizes = append(sizes, len(m))
	}
	if !slices.Equal(sizes, []int{4, 5, 4, 5, 5}) || len(slices.Compact(seen)) != 23 {
		t.Fatalf("an epoch is %v", whole)
	}
	for from := range uint32(5) {
		if part := read(int(from%3), 3, from); !slices.EqualFunc(part, whole[from:], slices.Equal[[]float32]) {
			t.Errorf("from minibatch %d on: %v, want %v", from, part, whole[from:])
		}
	}
	if slices.EqualFunc(whole, read(0, 4, 0), slices.Equal[[]float32]) {
		t.Error("two epochs have the same order")
	}
	if _, err := (&feeder{rows: rows, batch: 5}).minibatch(t.Context(), 0, 5); err == nil {
		t.Error("a minibatch beyond the last one was given")
	}
}

func TestReportsAddUp(t *testing.T) {
	var parts [][]byte
	for i := range 3 {
		r := report{Workers: 1, Score: float64(i), Scored: 1, Sent: 10, Received: 20, Moved: 0.5,
			updater: []float32{float32(i), 1}, residual: []float32{float32(i)},
			Lost: Losses{Dropped: threshold.Removed{Count: 2, Sum: 0.5, Magnitude: 1},
				Clipped: threshold.Removed{Count: 1, Magnitude: 1.5}, Abandoned: i},
			Events: stats.NewRecord([]stats.Event{{Phase: stats.WorkerFit, Worker: "w", Examples: i}})}
		s := threshold.NewState()
		if i > 0 {
			s.LastThreshold = float64(i)
		}
		if err := r.setThresholds([]threshold.State{s}); err != nil {
			t.Fatal(err)
		}
		b, err := r.pack()
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, b)
	}
	two, err := sum(parts[:2])
	if err != nil {
		t.Fatal(err)
	}
	all, err := sum([][]byte{two, parts[2]})
	if err != nil {
		t.Fatal(err)
	}
	r, err := unpackReport(all)
	if err != nil {
		t.Fatal(err)
	}
	states, err := r.thresholds()
	if err != nil || len(states) != 3 || threshold.Merge(states).LastThreshold != 1.5 ||
		!math.IsNaN(states[0].LastThreshold) {
		t.Errorf("thresholds %+v (%v)", states, err)
	}
	events, err := r.Events.Events()
	if err != nil || len(events) != 3 || events[2].Worker != "w" || events[2].Examples != 2 {
		t.Errorf("events %+v (%v)", events, err)
	}
	if r.Workers != 3 || r.Score != 3 || r.Scored != 3 || r.Sent != 30 || r.Received != 60 ||
		r.Lost.Dropped.Count != 6 || r.Lost.Abandoned != 3 || r.clippedShare() != 0.75 ||
		!slices.Equal(r.updater, []float32{3, 3}) || !slices.Equal(r.residual, []float32{3}) {
		t.Errorf("the sum is %+v", r)
	}
	for _, bad := range [][]byte{nil, {1, 2, 3}, {9, 9, 9, 9}, append([]byte("{}{}"), 2, 0, 0, 0),
		append([]byte("{}x"), 3, 0, 0, 0),
		append([]byte(`{"residual":1}`), 14, 0, 0, 0), append([]byte(`{"residual":-1}`), 15, 0, 0, 0)} {
		if _, err := sum([][]byte{bad}); err == nil {
			t.Errorf("%v was read as a report", bad)
		}
	}
}

func TestStatisticsOfBatchNormalisation(t *testing.T) {
	net := network(t, "cnn", 3)
	s := statistics(net.Base())
	if s.size() != 2*(32+64) {
		t.Fatalf("%d statistics in %v", s.size(), s)
	}
	params, update := slices.Clone(net.Params()), make([]float32, net.NumParams())
	for i := range update {
		update[i] = 1
	}
	s.move(params, update)
	moved, left := 0, 0
	for i := range params {
		if params[i] != net.Params()[i] {
			moved++
		}
		if update[i] != 0 {
			left++
		}
	}
	if moved != s.size() || left != len(update)-s.size() {
		t.Errorf("%d of %d parameters were moved, %d updates are left", moved, len(params), left)
	}
	mean, err := s.mean([][]byte{s.bytes(params), s.bytes(net.Params())})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.set(params, mean); err != nil || !near.Equal(params[s[0].From], net.Params()[s[0].From]-0.5, 1e-6, 0) {
		t.Errorf("the mean is %v of %v (%v)", params[s[0].From], net.Params()[s[0].From], err)
	}
	if s.set(params, mean[4:]) == nil {
		t.Error("too few bytes of statistics were taken")
	}
}

// TestNextFitGoesOn checks that the next fit continues with the thresholds, the updater state and the rows of the last
// one, and that exported files are removed.
func TestNextFitGoesOn(t *testing.T) {
	dir := t.TempDir()
	c := config()
	c.RDDTrainingApproach, c.ExportDirectory, c.CollectTrainingStats = Export, dir, true
	c.ThresholdAlgorithm = AdaptiveAlgorithm(1e-3)
	net, e := network(t, "lenet", 3), open(t, "local[3]")
	m, d := master(t, c, Options{}), spread(t, e, 2)
	for i := range 2 {
		if err := m.Fit(t.Context(), net, d, nil); err != nil {
			t.Fatal(err)
		}
		a := m.Config().ThresholdAlgorithm.(threshold.Adaptive)
		if !(a.LastThreshold > 0) || !(a.LastSparsity > 0) {
			t.Errorf("fit %d left %+v", i, a)
		}
		if slices.Max(net.UpdaterState()) <= 0 {
			t.Errorf("fit %d left no updater state", i)
		}
	}
	if len(m.Stats().Events()) == 0 || !strings.Contains(m.Stats().String(), string(stats.WorkerFit)) {
		t.Errorf("statistics: %s", m.Stats())
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) == 0 {
		t.Error("nothing was exported")
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

func TestTimeWithoutStatistics(t *testing.T) {
	if _, err := New(config(), Options{Time: stats.TimeSource{Server: "localhost"}}); err == nil {
		t.Error("a time source without statistics was taken")
	}
}
