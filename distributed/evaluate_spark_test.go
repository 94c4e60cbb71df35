//go:build spark

package distributed_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/near"
)

// TestEvaluationOfOutputsOnSpark checks that all evaluations of both outputs of a graph, in one pass, with time series
// and masks, are those of one process. Errors are the same as on other engines.
func TestEvaluationOfOutputsOnSpark(t *testing.T) {
	e := onSpark(t)
	for _, partitions := range []int{1, 5} {
		evaluateOutputs(t, e, partitions, distributed.EvaluationOptions{Workers: 3, Batch: 7})
	}
	net, sets := twoOutputs(t), twoOutputData(4)
	d, err := distributed.FromDataSets(e, sets, 2)
	if err != nil {
		t.Fatal(err)
	}
	m := distributed.New(e, net, nil, distributed.Options{})
	_, err = m.DoEvaluation(context.Background(), d, distributed.EvaluationOptions{Outputs: []int{1}},
		eval.NewROCBinary(0), eval.NewROC(0))
	if err == nil || !strings.Contains(err.Error(), "1 entries for 2 evaluations") {
		t.Error(err)
	}
	fewer := *sets[1]
	fewer.Labels, fewer.LabelMasks = fewer.Labels[:1], nil
	sets[1] = &fewer
	if d, err = distributed.FromDataSets(e, sets[1:2], 1); err != nil {
		t.Fatal(err)
	}
	hidden := distributed.FromRows(d.Rows().Map(sameRows.With(struct{}{})))
	_, err = m.DoEvaluation(context.Background(), hidden, distributed.EvaluationOptions{Outputs: []int{0}},
		eval.NewEvaluation(0))
	if err == nil || !strings.Contains(err.Error(), "the network has 2 outputs, the examples have 1 arrays of labels") {
		t.Error(err)
	}
}

// TestLibSVMOnSpark checks that Spark's workers read the files and that listeners are called for every minibatch.
func TestLibSVMOnSpark(t *testing.T) {
	ctx := context.Background()
	all, text := points(40, 3)
	lines := strings.SplitAfter(text, "\n")
	dir := t.TempDir()
	var paths []string
	for i := range 4 {
		paths = append(paths, filepath.Join(dir, fmt.Sprint(i)))
		if err := os.WriteFile(paths[i], []byte(strings.Join(lines[i*10:i*10+10], "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	loader := distributed.LibSVM(source.LibSVM{Features: 3, Classes: 3})
	var want []float32
	var told [2][]string
	for i, master := range []string{"local[2]", "spark"} {
		e := onEngine(t, "local[2]")
		if master == "spark" {
			e = onSpark(t)
		}
		d := distributed.FromPaths(e, paths, loader, 2)
		if i == 0 {
			var err error
			if d, err = distributed.FromLabeledPoints(e, all, 3, 2); err != nil {
				t.Fatal(err)
			}
		}
		m := distributed.New(e, smallNet(t, 3, 3, false), averager(t), distributed.Options{Listen: func(r distributed.Round) {
			for _, it := range r.Iterations {
				told[i] = append(told[i], fmt.Sprint(r.Epoch, r.Index, it))
			}
		}})
		if err := m.Fit(ctx, d); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = m.Net().Params()
		}
		if !slices.Equal(m.Net().Params(), want) {
			t.Errorf("%s: other parameters", master)
		}
		if err := os.WriteFile(paths[3], []byte("1 1:1\n1 1:1 1:2\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := m.Evaluate(ctx, distributed.FromPaths(e, paths[3:], loader, 1), nil, 1)
		if err == nil || !strings.Contains(err.Error(), ":2: the index 1 is there twice") {
			t.Errorf("%s: %v", master, err)
		}
		if err := os.WriteFile(paths[3], []byte(strings.Join(lines[30:40], "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(told[0]) != 10 || !slices.Equal(told[0], told[1]) {
		t.Errorf("told %v, on one machine %v", told[1], told[0])
	}
}

// TestIterationsOfSharingOnSpark checks that with workers on executors, listeners of gradient sharing are called for
// every minibatch.
func TestIterationsOfSharingOnSpark(t *testing.T) { sharedIterations(t, onSpark(t)) }

// TestLabeledPointsOnSpark checks that points in memory, with classes and with numbers, train and are evaluated as on
// one machine.
func TestLabeledPointsOnSpark(t *testing.T) {
	ctx := context.Background()
	spark := onSpark(t)
	for _, classes := range []int{3, 0} {
		all, _ := points(40, classes)
		var want []float32
		score := 0.
		for i, e := range []engine.Engine{onEngine(t, "local[2]"), spark} {
			d, err := distributed.FromLabeledPoints(e, all, classes, 2)
			if err != nil {
				t.Fatal(err)
			}
			m := distributed.New(e, smallNet(t, 3, max(classes, 1), classes == 0), averager(t), distributed.Options{})
			if err := m.FitEpochs(ctx, d, 2); err != nil {
				t.Fatal(err)
			}
			got, n, err := m.Score(ctx, d, true, false, 0)
			if err != nil || n != 40 {
				t.Fatalf("%d points, %v", n, err)
			}
			if i == 0 {
				want, score = m.Net().Params(), got
			}
			if !slices.Equal(m.Net().Params(), want) || !near.Equal(got, score, 0, 1e-12) {
				t.Errorf("%d classes: other parameters than on one machine; the score is %v, there %v", classes, got, score)
			}
		}
		wrong := append(slices.Clone(all), data.LabeledPoint{Features: []float32{1}})
		if _, err := distributed.FromLabeledPoints(spark, wrong, classes, 2); err == nil ||
			!strings.Contains(err.Error(), "1 features, the first point has 3") {
			t.Errorf("a point of another kind: %v", err)
		}
	}
}
