package metrics

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/train"
)

// TestTraining: the figures of a run's events are served under their names, in Prometheus' format.
func TestTraining(t *testing.T) {
	e, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	run := NewTraining(e)
	Coordinator(e, func() int { return 3 }, 16)
	accuracy, loss, rate := 0.75, 1.5, 0.1
	for _, event := range []train.Event{train.EpochBegan{}, train.Step{Examples: 64, Score: 2.5, Iteration: 1},
		train.Step{Examples: 36, Score: 2.25, Iteration: 2, Sharing: &sharing.Progress{Workers: 4, Lag: 5}},
		train.CheckpointKept{},
		train.EpochEnded{LearningRate: &rate, Figures: train.Figures{Accuracy: &accuracy, HeldOut: &loss,
			Measures: []train.Measure{{Name: "f1", Value: 0.5}}}}} {
		run.Hear(event)
	}
	a, err := http.Get("http://" + e.Address() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, _ := io.ReadAll(a.Body)
	for _, line := range []string{"dl4go_training_examples_total 100", "dl4go_training_steps_total 2",
		"dl4go_training_loss 2.25", "dl4go_training_step_duration_seconds_count 2", "dl4go_training_checkpoints_total 1",
		`dl4go_training_held_out{metric="f1"} 0.5`, `dl4go_training_held_out{metric="loss"} 1.5`, "dl4go_training_epoch 1",
		"dl4go_training_workers 4", "dl4go_training_lag_updates 5", "dl4go_coordinator_jobs 3",
		"dl4go_coordinator_jobs_limit 16", "go_goroutines "} {
		if !strings.Contains(string(text), "\n"+line) {
			t.Errorf("no %s in\n%s", line, text)
		}
	}
	checkDashboard(t, e)
	families, err := e.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if problems, err := promlint.NewWithMetricFamilies(families).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	if _, err := Show(nil, e.Address()); err == nil || !strings.Contains(err.Error(), "--metrics-address") {
		t.Errorf("a second endpoint: %v", err)
	}
}
