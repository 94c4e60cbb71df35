package train

import (
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/internal/progress"
)

// noteStep records the figures of a step, after so many iterations of the network.
func (r *Run) noteStep(s step, at int) {
	net := r.conf.network()
	r.learning.Add("loss", at, s.score)
	if rate, ok := net.LearningRate(max(0, at-1), net.Epoch()); ok {
		r.learning.Add("learningRate", at, rate)
	}
	if p := s.sharing; p != nil {
		r.learning.Add("threshold", at, p.Threshold)
		r.learning.Add("sparsity", at, p.Sparsity)
		r.learning.Add("bytesSent", at, float64(p.Sent))
	}
}

// noteEpoch records the figures of an epoch, and those that workers have measured in it.
func (r *Run) noteEpoch(e EpochEnded) {
	r.learning.Add("epochLoss", e.Iteration, e.Score)
	for _, f := range []struct {
		name  string
		value *float64
	}{{"heldOutLoss", e.HeldOut}, {"accuracy", e.Accuracy}, {"r2", e.R2}, {"mae", e.MAE}} {
		if f.value != nil {
			r.learning.Add(f.name, e.Iteration, *f.value)
		}
	}
	if w := e.Weighted; w != nil && !w.Numbers {
		r.learning.Add("weightedAccuracy", e.Iteration, w.Accuracy())
	}
	if m := e.Metric; m != nil && m.Name != "accuracy" && m.Name != "r2" && m.Name != "mae" {
		r.learning.Add(m.Name, e.Iteration, m.Score)
	}
	if seconds := e.Duration.Seconds(); seconds > 0 {
		r.learning.Add("examplesPerSecond", e.Iteration, float64(e.Trained)/seconds)
	}
	r.learning.AddMeasurements(r.collector().Measurements())
}

// settings are those by which the run is compared with others.
func (r *Run) settings() map[string]string {
	c, net := r.conf, r.conf.network()
	all := map[string]string{
		"data": c.Data.Info().Name, "examples": strconv.Itoa(c.Data.Info().Examples), "training": c.Method.Name(),
		"batch": strconv.Itoa(c.Batch), "epochs": strconv.Itoa(c.Epochs), "seed": strconv.FormatInt(c.Seed, 10),
		"parameters": progress.Count(int64(net.NumParams())), "kernels": c.Kernels, "engine": r.engine.Master(),
	}
	if n := r.Workers(); n > 0 {
		all["workers"] = strconv.Itoa(n)
	}
	if a, ok := c.Method.(Averaging); ok && a.Config != nil {
		all["averaging frequency"] = strconv.Itoa(a.Config.AveragingFrequency)
	}
	if rate, ok := net.LearningRate(0, 0); ok {
		all["learning rate"] = strconv.FormatFloat(rate, 'g', -1, 64)
	}
	var frozen []string
	for _, p := range net.ParamTable() {
		if p.Frozen {
			frozen = append(frozen, p.Key)
		}
	}
	if frozen != nil {
		all["frozen parameters"] = strings.Join(frozen, ", ")
	}
	return all
}
