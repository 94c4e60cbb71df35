package distributed_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

func smallNet(t testing.TB, in, out int, regression bool) *nn.MultiLayer {
	t.Helper()
	last := layer.Output{NOut: out, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}
	if regression {
		last.Activation, last.Loss = activation.Identity{}, loss.MSE{}
	}
	net, err := nn.New(nn.Configuration{Seed: 1, Updater: updater.Sgd{LearningRate: 0.1}, Activation: activation.TanH{},
		InputType: inputtype.FeedForward(in), Layers: []layer.Layer{layer.Dense{NOut: 4}, last}})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(1)
	return net
}

func averager(t testing.TB) *paramavg.TrainingMaster {
	t.Helper()
	c := paramavg.Default()
	c.NumWorkers, c.BatchSizePerWorker, c.AveragingFrequency, c.RDDTrainingApproach = 2, 4, 3, paramavg.Direct
	m, err := paramavg.New(c, paramavg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// points returns labelled points, in memory and as the lines of a file.
func points(n, classes int) (all []data.LabeledPoint, text string) {
	for i := range n {
		p := data.LabeledPoint{Label: float64(i % max(classes, 1)), Features: make([]float32, 3)}
		p.Features[i%3] = float32(i%7) / 4
		p.Features[2] += 0.5
		if classes == 0 {
			p.Label = float64(i) / 8
		}
		all = append(all, p)
		text += fmt.Sprint(p.Label)
		for k, x := range p.Features {
			if x != 0 {
				text += fmt.Sprintf(" %d:%v", k+1, x)
			}
		}
		text += "\n"
	}
	return all, text
}

// TestLabeledPoints checks that points in memory and in files that the workers read train alike, for classes and for
// regression.
func TestLabeledPoints(t *testing.T) {
	ctx := context.Background()
	for _, classes := range []int{3, 0} {
		var want []float32
		all, text := points(40, classes)
		lines := strings.SplitAfter(text, "\n")
		dir := t.TempDir()
		var paths []string
		for i := range 4 {
			paths = append(paths, filepath.Join(dir, fmt.Sprint(i)))
			if err := os.WriteFile(paths[i], []byte("# some points\n"+strings.Join(lines[i*10:i*10+10], "")),
				0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, master := range []string{"local[2]", "processes[2]"} {
			e := onEngine(t, master)
			memory, err := distributed.FromLabeledPoints(e, all, classes, 2)
			if err != nil {
				t.Fatal(err)
			}
			files := distributed.FromPaths(e, paths,
				distributed.LibSVM(source.LibSVM{Features: 3, Classes: classes, Regression: classes == 0}), 2)
			if listed, err := distributed.ListPaths(ctx, e, dir); err != nil || !slices.Equal(listed, paths) {
				t.Errorf("listed %v (%v)", listed, err)
			}
			for _, d := range []*distributed.Data{memory, files} {
				m := distributed.New(e, smallNet(t, 3, max(classes, 1), classes == 0), averager(t), distributed.Options{})
				if err := m.FitEpochs(ctx, d, 2); err != nil {
					t.Fatal(err)
				}
				if m.Net().Epoch() != 2 {
					t.Errorf("epoch %d", m.Net().Epoch())
				}
				if want == nil {
					want = m.Net().Params()
				}
				if !slices.Equal(m.Net().Params(), want) {
					t.Errorf("%s, %d classes: other parameters", master, classes)
				}
			}
		}
	}
}

// TestBadPoints checks that errors name the point, or the file and line, on goroutines and in worker processes.
func TestBadPoints(t *testing.T) {
	ctx := context.Background()
	e := onEngine(t, "local[1]")
	for _, c := range []struct {
		points  []data.LabeledPoint
		classes int
		want    string
	}{
		{[]data.LabeledPoint{{Label: 0, Features: []float32{1}}, {Label: 2, Features: []float32{1}}}, 2,
			"data set 1: the label 2 is not a class: 2 classes are 0 to 1"},
		{[]data.LabeledPoint{{Label: 0.5, Features: []float32{1}}}, 2, "the label 0.5 is not a class"},
		{[]data.LabeledPoint{{Label: math.NaN(), Features: []float32{1}}}, 2, "the label NaN is not a class"},
		{[]data.LabeledPoint{{Label: 1}}, 0, "the point has no features"},
		{[]data.LabeledPoint{{Features: []float32{1}}, {Features: []float32{1, 2}}}, 0,
			"data set 1: 2 features, the first point has 1"},
		{[]data.LabeledPoint{{Features: []float32{1}}}, -1, "-1 classes"},
	} {
		if _, err := distributed.FromLabeledPoints(e, c.points, c.classes, 1); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, wanted %q", err, c.want)
		}
	}
	path := filepath.Join(t.TempDir(), "points")
	if err := os.WriteFile(path, []byte("0 1:1\n1 3:1 2:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, master := range []string{"local[1]", "processes[1]"} {
		m := distributed.New(onEngine(t, master), smallNet(t, 3, 2, false), averager(t), distributed.Options{})
		err := m.FitPaths(ctx, []string{path}, distributed.LibSVM(source.LibSVM{Features: 3, Classes: 2}))
		if err == nil || !strings.Contains(err.Error(), path+":2: the index 2 comes after 3") {
			t.Errorf("%s: %v", master, err)
		}
	}
}

var dataSets = distributed.RegisterLoader("distributed_test.dataSets",
	func(path string, content io.Reader) (*data.DataSet, error) {
		b, err := io.ReadAll(content)
		if err != nil || len(b) == 0 {
			return nil, err
		}
		m, err := data.Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return nil, err
		}
		return m.Single()
	})

// TestDataSetLoader checks that a loader may return DataSets, and the error if it returns something else.
func TestDataSetLoader(t *testing.T) {
	ctx := context.Background()
	set := digits(t, "test").Range(0, 20)
	path := filepath.Join(t.TempDir(), "set.bin")
	if err := set.SaveFile(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	e := onEngine(t, "processes[1]")
	n := 0
	err := distributed.FromPaths(e, []string{path}, dataSets, 1).Examples(ctx, func(m *data.MultiDataSet) error {
		if !slices.Equal(m.Features[0].Data, set.Features[0].Slice(n, n+1).Data) {
			t.Errorf("example %d is another one", n)
		}
		n++
		return nil
	})
	if err != nil || n != 20 {
		t.Errorf("%d examples (%v)", n, err)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = distributed.FromPaths(e, []string{empty}, dataSets, 1).Count(ctx)
	if err == nil || !strings.Contains(err.Error(), empty+`: loader "distributed_test.dataSets" gave no data set`) {
		t.Error(err)
	}
}

// TestIterationsAreTold checks that listeners are called for every minibatch of every worker, under both masters, with
// the same calls on all engines.
func TestIterationsAreTold(t *testing.T) {
	all, _ := points(45, 3)
	var want []string
	for _, master := range []string{"local[2]", "processes[2]"} {
		for _, way := range []paramavg.Way{paramavg.Jobs, paramavg.Resident} {
			e := onEngine(t, master)
			d, err := distributed.FromLabeledPoints(e, all, 3, 2)
			if err != nil {
				t.Fatal(err)
			}
			c := paramavg.Default()
			c.NumWorkers, c.BatchSizePerWorker, c.AveragingFrequency, c.RDDTrainingApproach = 2, 4, 3, paramavg.Direct
			averaging, err := paramavg.New(c, paramavg.Options{Rounds: way})
			if err != nil {
				t.Fatal(err)
			}
			defer averaging.Close()
			var told []string
			o := distributed.Options{Listen: func(r distributed.Round) {
				examples, last := 0, map[int]float64{}
				for _, i := range r.Iterations {
					told = append(told, fmt.Sprint(r.Epoch, r.Index, i))
					examples += i.Examples
					last[i.Worker] = i.Score
				}
				mean := 0.0
				for _, s := range last {
					mean += s / float64(len(last))
				}
				if examples != r.Examples || len(last) != r.Workers || !near.Equal(mean, r.Score, 1e-12, 0) {
					t.Errorf("told of %d examples by %d workers, mean score %v, in %+v", examples, len(last), mean, r)
				}
			}}
			if err := distributed.New(e, smallNet(t, 3, 3, false), averaging, o).FitEpochs(t.Context(), d, 2); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = told
			}
			if len(told) != 2*12 || !slices.Equal(told, want) {
				t.Errorf("%s, way %v: told %v, wanted %v", master, way, told, want)
			}
		}
		sharedIterations(t, onEngine(t, master))
	}
}

// sharedIterations checks that the listener of gradient sharing is called once for every minibatch, whichever worker
// has trained it.
func sharedIterations(t *testing.T, e engine.Engine) {
	t.Helper()
	all, _ := points(45, 3)
	d, err := distributed.FromLabeledPoints(e, all, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	conf := sharing.Default()
	conf.BatchSizePerWorker, conf.RDDTrainingApproach = 4, sharing.Direct
	shared, err := sharing.New(conf, sharing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer shared.Close()
	seen := map[string]int{}
	examples := 0
	o := distributed.Options{Listen: func(r distributed.Round) {
		if len(r.Iterations) != r.Minibatches {
			t.Errorf("told of %d minibatches in %+v", len(r.Iterations), r)
		}
		for _, i := range r.Iterations {
			seen[fmt.Sprint(r.Epoch, i.Worker, i.Index)]++
			examples += i.Examples
			if math.IsNaN(i.Score) || i.Score <= 0 {
				t.Errorf("told %+v", i)
			}
		}
	}}
	if err := distributed.New(e, smallNet(t, 3, 3, false), shared, o).FitEpochs(t.Context(), d, 2); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 2*12 || examples != 2*45 {
		t.Errorf("%s: told of the minibatches %v with %d examples", e.Master(), seen, examples)
	}
}

// TestForeignFiles checks that a fit or an evaluation that fails because of files names all files that are no DataSets,
// with their number. The same holds for files whose examples don't fit the others.
func TestForeignFiles(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	test := digits(t, "test")
	for i := range 3 {
		if err := test.Range(i*10, i*10+10).SaveFile(t.Context(), filepath.Join(dir, fmt.Sprintf("a%d.bin", i))); err != nil {
			t.Fatal(err)
		}
	}
	for i, text := range []string{"not a data set", ""} {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("b%d.txt", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mixed := t.TempDir()
	for i, m := range []*data.MultiDataSet{test.Range(0, 5), twoOutputData(1)[0]} {
		if err := m.SaveFile(t.Context(), filepath.Join(mixed, fmt.Sprintf("c%d.bin", i))); err != nil {
			t.Fatal(err)
		}
	}
	for _, master := range []string{"local[2]", "processes[2]"} {
		e := onEngine(t, master)
		m := distributed.New(e, digitsNet(t, "softmax"), averager(t), distributed.Options{})
		for _, c := range []struct {
			dir  string
			want []string
		}{{dir, []string{"2 of 5", "b0.txt", "b1.txt"}}, {mixed, []string{"c1.bin", "c0.bin"}}} {
			d, err := distributed.FromDirectory(ctx, e, c.dir, 1)
			if err != nil {
				t.Fatal(err)
			}
			_, evaluated := m.Evaluate(ctx, d, nil, 1)
			for what, err := range map[string]error{"evaluation": evaluated, "fit": m.FitDirectory(ctx, c.dir, 1)} {
				for _, w := range c.want {
					if err == nil || !strings.Contains(err.Error(), w) {
						t.Errorf("%s, %s: %v, wanted %q", master, what, err, w)
					}
				}
				var failed *engine.WorkerError
				if !errors.As(err, &failed) {
					t.Errorf("%s, %s: %v hides the worker's error", master, what, err)
				}
			}
		}
		if err := m.FitDirectory(ctx, t.TempDir(), 1); err == nil || !strings.Contains(err.Error(), "has no files") {
			t.Error(err)
		}
		if err := m.FitPaths(ctx, nil, distributed.SavedDataSets); err == nil {
			t.Error("no paths are fine")
		}
	}
	m := distributed.New(onEngine(t, "local[1]"), smallNet(t, 3, 2, false), nil, distributed.Options{})
	if m.SetLastScore(0.25); m.LastScore() != 0.25 {
		t.Errorf("the last score is %v", m.LastScore())
	}
	if err := m.FitEpochs(ctx, nil, 0); err == nil {
		t.Error("0 epochs are fine")
	}
}

// TestNetworkIsReplaceable checks that a Network can switch to another network, even of another shape, and leaves the
// first one as it was.
func TestNetworkIsReplaceable(t *testing.T) {
	ctx := context.Background()
	e := onEngine(t, "local[2]")
	all, _ := points(40, 3)
	d, err := distributed.FromLabeledPoints(e, all, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	regression, _ := points(40, 0)
	numbers, err := distributed.FromLabeledPoints(e, regression, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	first, second := smallNet(t, 3, 3, false), smallNet(t, 3, 1, true)
	master := averager(t)
	m := distributed.New(e, first, master, distributed.Options{})
	if m.Engine() != e || m.Master() != distributed.TrainingMaster(master) || m.Net() != first {
		t.Error("engine, master or network are others")
	}
	for range 2 {
		if err := m.Fit(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	before, score := slices.Clone(first.Params()), m.LastScore()
	m.SetNet(second)
	if err := m.Fit(ctx, numbers); err != nil {
		t.Fatal(err)
	}
	r, err := m.EvaluateRegression(ctx, numbers)
	if err != nil || len(r.Columns) != 1 {
		t.Errorf("a regression of %v (%v)", r, err)
	}
	if m.Net() != second || second.Epoch() != 1 || !slices.Equal(before, first.Params()) || first.Epoch() != 2 {
		t.Error("the first network has changed, or the second has not been trained")
	}
	m.SetNet(first)
	if m.LastScore() != score {
		t.Errorf("the score is %v, was %v", m.LastScore(), score)
	}
	want := smallNet(t, 3, 3, false)
	alone := distributed.New(e, want, averager(t), distributed.Options{})
	if err := alone.FitEpochs(ctx, d, 3); err != nil {
		t.Fatal(err)
	}
	if err := m.Fit(ctx, d); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(want.Params(), first.Params()) {
		t.Error("the pause has changed the training")
	}
}
