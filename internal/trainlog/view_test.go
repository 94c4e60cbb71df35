package trainlog

import (
	"reflect"
	"testing"

	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/train"
)

// shown returns the rows without their curves, which have their own test.
func shown(v *view) (all []progress.Row) {
	for _, r := range v.rows() {
		r.Curve = nil
		all = append(all, r)
	}
	return all
}

// TestView: the rows during several runs.
func TestView(t *testing.T) {
	alive := 0
	v := &view{of: 4, alive: func() int { return alive }}
	if v.rows() != nil {
		t.Error("rows before the first step")
	}
	v.step(train.Step{Score: 2.34567})
	want := []progress.Row{{Name: "loss", Texts: []string{"2.346"}}, {Name: "workers", Texts: []string{"0/4 alive"}}}
	if got := shown(v); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	for epoch, accuracy := range []float64{0.5, 0.75, 0.625} {
		v.epoch(train.EpochEnded{Epoch: epoch, Figures: train.Figures{Accuracy: &accuracy}})
	}
	alive = 3
	want = []progress.Row{want[0], {Name: "held-out accuracy", Texts: []string{"0.625"}, Mark: "best 0.75 in epoch 2",
		Brief: "best: epoch 2"},
		{Name: "workers", Texts: []string{"3/4 alive"}}}
	if got := shown(v); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}

	v = &view{of: 2}
	v.step(train.Step{Score: 1, Sharing: &sharing.Progress{Workers: 1, Lag: 3, UpdatesPerSecond: 812.3, Sparsity: 0.0025,
		Threshold: 1e-3, Sent: 12e6, Received: 500}})
	for epoch, loss := range []float64{3, 1, 2} {
		v.epoch(train.EpochEnded{Epoch: epoch, Figures: train.Figures{HeldOut: &loss}})
	}
	want = []progress.Row{{Name: "loss", Texts: []string{"1"}},
		{Name: "held-out loss", Texts: []string{"2"}, Mark: "best 1 in epoch 2", Brief: "best: epoch 2"},
		{Name: "workers", Texts: []string{"1/2 alive", "lag 3", "812 updates/s", "sparsity 0.0025", "threshold 0.001",
			"12.0 MB sent", "500 B received"}}}
	if got := shown(v); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}

	v = &view{}
	v.step(train.Step{Score: 1})
	for epoch, best := range []bool{true, true, false} {
		v.epoch(train.EpochEnded{Epoch: epoch, Figures: train.Figures{Metric: &train.Metric{Name: "f1",
			Score: 1 / float64(epoch+1), Best: best}}})
	}
	want = []progress.Row{{Name: "loss", Texts: []string{"1"}},
		{Name: "held-out f1", Texts: []string{"0.3333"}, Mark: "best 0.5 in epoch 2", Brief: "best: epoch 2"}}
	if got := shown(v); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

// TestEpochLine: a narrow terminal shows no speed. On a narrower one, all figures are there, in several lines, which
// are not wider than the terminal if a figure fits.
func TestEpochLine(t *testing.T) {
	const text = "epoch 12/12  loss 0.0158     held out: loss 0.07873, accuracy 0.9833, f1 0.5  best"
	figures := []string{"loss 0.0158   ", "held out: loss 0.07873,", "accuracy 0.9833,", "f1 0.5", "best"}
	whole := text + "   28,242 examples/s  0.05 s"
	const oneLine = "epoch 12/12  loss 0.0158  held out: loss 0.07873, accuracy 0.9833, f1 0.5  best  0.05 s"
	const twoLines = "epoch 12/12  loss 0.0158  held out: loss 0.07873,\n" +
		"             accuracy 0.9833, f1 0.5  best  0.05 s"
	const threeLines = "epoch 12/12  loss 0.0158\n             held out: loss 0.07873,\n" +
		"             accuracy 0.9833, f1 0.5  best\n             0.05 s"
	for columns, want := range map[int]string{0: whole, 200: whole, len(whole): whole, len(whole) - 1: text + "  0.05 s",
		len(text) + 8: text + "  0.05 s",
		len(text) + 7: oneLine,
		len(oneLine):  oneLine,
		50:            twoLines,
		42:            threeLines,
		1: "epoch 12/12  loss 0.0158\n             held out: loss 0.07873,\n             accuracy 0.9833,\n" +
			"             f1 0.5\n             best\n             0.05 s"} {
		if got := epochLine("epoch 12/12", figures, 28242, 0.05, columns); got != want {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
}
