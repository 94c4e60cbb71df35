package distributed

import (
	"math"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/stats"
)

// GaugeEvery is the number of iterations between two measurements of a [Gauge], so that they take little time. Short
// runs have two more at their beginning.
const GaugeEvery = 100

// secondGauge and thirdGauge are the iterations of these.
const secondGauge, thirdGauge = 10, 30

// Gauge measures a network at some of its steps: mean magnitudes and histograms of parameters, gradients, updates and
// activations, and the shares of dead and saturated units. It also measures the resources that its process uses. A nil
// Gauge measures nothing. Only one goroutine may use it.
type Gauge struct {
	to     *stats.Collector
	before []float32
	meter  *stats.Meter

	measured bool // a step
	used     bool // the use of the machine is recorded
}

// usageEvery is the shortest time over which the use of the machine is measured.
const usageEvery = 100 * time.Millisecond

// NewGauge makes a Gauge for a collector. It returns nil for a nil collector.
func NewGauge(to *stats.Collector) *Gauge {
	if to == nil {
		return nil
	}
	return &Gauge{to: to, meter: stats.NewMeter()}
}

// Due reports whether the next step of the network should be measured.
func (g *Gauge) Due(net *nn.Network) bool {
	if g == nil {
		return false
	}
	at := net.Iteration()
	return at%GaugeEvery == 0 || at == secondGauge || at == thirdGauge
}

// Fit is the network's Fit, with a measurement if it is due. It changes nothing in the network.
func (g *Gauge) Fit(net *nn.Network, m *data.MultiDataSet, key nn.Key) (float64, error) {
	if !g.Due(net) {
		return net.Fit(m, key)
	}
	iteration := net.Iteration()
	g.before = append(g.before[:0], net.Params()...)
	score, err := net.Fit(m, key)
	if err != nil {
		return score, err
	}
	g.step(iteration, net.FiguresSince(g.before))
	return score, g.Activations(net, iteration, m)
}

// Params records the figures of parameters at a step that subtracted update from them.
func (g *Gauge) Params(net *nn.Network, iteration int, update []float32) {
	g.step(iteration, net.StepFigures(update))
}

func (g *Gauge) step(iteration int, step nn.StepFigures) {
	if !math.IsNaN(step.Gradient) {
		g.note(iteration, "norm/gradient", step.Gradient)
	}
	g.note(iteration, "norm/update", step.Update)
	for _, f := range step.Params {
		g.note(iteration, "parameters/"+f.Key, f.Value)
		g.histogram(iteration, "parameters/"+f.Key, f.Values)
		if f.Kind == layer.Statistic || f.Kind == layer.PretrainOnly { // no gradient moves them
			continue
		}
		if !math.IsNaN(f.Gradient) {
			g.note(iteration, "gradients/"+f.Key, f.Gradient)
		}
		g.note(iteration, "updates/"+f.Key, f.Update)
		if f.Value > 0 && f.Kind == layer.Weight { // biases begin at 0
			g.note(iteration, "ratio/"+f.Key, f.Update/f.Value)
		}
		g.histogram(iteration, "gradients/"+f.Key, f.Gradients)
		g.histogram(iteration, "updates/"+f.Key, f.Updates)
	}
}

// Activations records the figures of activations for a minibatch.
func (g *Gauge) Activations(net *nn.Network, iteration int, m *data.MultiDataSet) error {
	layers, err := net.ActivationFigures(m)
	for _, f := range layers {
		g.note(iteration, "activations/"+f.Name, f.Activation)
		if !math.IsNaN(f.Dead) {
			g.note(iteration, "dead/"+f.Name, f.Dead)
		}
		if !math.IsNaN(f.Saturated) {
			g.note(iteration, "saturated/"+f.Name, f.Saturated)
		}
		g.histogram(iteration, "activations/"+f.Name, f.Activations)
	}
	if g.measured = true; g.meter.Since() >= usageEvery {
		g.usage(iteration)
	}
	return err
}

func (g *Gauge) usage(iteration int) {
	g.to.MeasureUsage(iteration, g.meter.Read())
	g.used = true
}

// Ended is [Gauge.Report] for fits with many tasks: it does nothing if the task was short and none of its steps was
// measured.
func (g *Gauge) Ended(net *nn.Network, attempt int) {
	if g != nil && (g.measured || g.meter.Since() >= usageEvery) {
		g.Report(net, attempt)
	}
}

// Report records the resources that a task's process used, and the number of the attempt. Call it at the end of a task.
func (g *Gauge) Report(net *nn.Network, attempt int) {
	if g == nil {
		return
	}
	if !g.used || g.meter.Since() >= usageEvery {
		g.usage(net.Iteration())
	}
	g.to.MeasureOwn("restarts", net.Iteration(), float64(attempt-1))
}

func (g *Gauge) histogram(iteration int, name string, values []float32) {
	if h, ok := stats.HistogramOf(name, iteration, values); ok {
		g.to.MeasureHistogram(h)
	}
}

func (g *Gauge) note(iteration int, name string, value float64) {
	g.to.Measure(stats.Measurement{Name: name, Iteration: iteration, Value: value})
}
