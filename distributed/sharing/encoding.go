package sharing

import (
	"strings"

	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/threshold"
)

// Values says how far the values of an update move the parameters. The empty string means MeanValues with
// threshold.Largest, the default algorithm, and ThresholdValues with Deeplearning4j's algorithms and your own.
type Values string

const (
	// MeanValues moves parameters by the mean magnitude of the values that pass, with their signs (scaled signs). Fewer
	// steps then empty the residual.
	MeanValues Values = "mean"
	// ThresholdValues moves parameters by ± the threshold, as Deeplearning4j does.
	ThresholdValues Values = "threshold"
)

// Thresholds says which parameters have a threshold in common. The empty string means LayerThresholds with
// threshold.Largest, the default algorithm, and NetworkThreshold with others.
type Thresholds string

const (
	// ArrayThresholds gives each array of parameters a threshold of its own: a layer's weights, or its biases. Biases
	// have larger updates than the weights beside them.
	ArrayThresholds Thresholds = "array"
	// LayerThresholds gives each layer a threshold of its own, so that layers with small updates learn, too.
	LayerThresholds Thresholds = "layer"
	// NetworkThreshold is one threshold for all parameters, as in Deeplearning4j.
	NetworkThreshold Thresholds = "network"
)

// Release says what workers receive at the end of a step. The empty string means SumRelease with threshold.Largest, the
// default algorithm, and 5 workers or more. Otherwise, and with a Lag, it means EachRelease: the updates of few workers
// are shorter than their sum.
type Release string

// manyWorkers is the least number of workers for which a sum is the default.
const manyWorkers = 5

const (
	// SumRelease is one message with the sum of all updates. The numbers of updates are rounded to powers of two, so
	// that sums are exact; the residual keeps the rest. The bytes that a worker receives hardly grow with the number of
	// workers. It needs lockstep, a Lag of 0.
	SumRelease Release = "sum"
	// EachRelease is the updates of all other workers, as in Deeplearning4j.
	EachRelease Release = "each"
)

// Coding says how updates become bytes, if they have mean values, thresholds of layers, or sums. Both codings keep all
// values, so a fit has the same result with either. The empty string means DenseCoding where all workers are on this
// machine: on local[N] and processes[N], and on a cluster that has no other machine. It means CompactCoding on other
// clusters, and with a coordinator in another process.
type Coding string

const (
	// CompactCoding takes the fewest bytes: about 0.6 bits for each parameter of the network with threshold.Largest.
	CompactCoding Coding = "compact"
	// DenseCoding takes the least time: two bits for each parameter.
	DenseCoding Coding = "dense"
)

// encoding is the settings of updates, without empty ones.
type encoding struct {
	combine      Combine
	mean, summed bool
	thresholds   Thresholds
	warmUp       int
}

// scaled reports whether messages are scaled ones.
func (e encoding) scaled() bool { return e.mean || e.summed || e.thresholds != NetworkThreshold }

// dense reports whether messages of the workers of an engine are dense.
func (o Options) dense(e engine.Engine) bool {
	if o.Coding == "" {
		here, ok := e.(engine.Located)
		return o.Coordinator == "" && (!cluster(e) || ok && here.OnThisMachine())
	}
	return o.Coding == DenseCoding
}

// encoding returns the settings of updates, with their defaults for a network and a number of workers.
func (m *TrainingMaster) encoding(net *nn.Network, workers int) encoding {
	_, ours := m.conf.algorithm().(threshold.Largest)
	o := m.opts
	e := encoding{combine: o.Combine,
		mean:       o.Values == MeanValues || o.Values == "" && ours,
		thresholds: o.Thresholds, warmUp: o.WarmUp,
	}
	if from := m.sumsFrom(); from > 0 {
		e.summed = workers >= from
	}
	if e.thresholds == "" {
		if e.thresholds = NetworkThreshold; ours {
			e.thresholds = LayerThresholds
		}
	}
	if e.combine == "" {
		if e.combine = Sum; ours {
			e.combine = combineFor(net)
		}
		if ours && e.combine == Sum && o.WarmUp == 0 {
			e.warmUp = warmUpFor(workers)
		}
	}
	return e
}

// sumsFrom returns the number of workers from which on they receive sums, or 0 if none do.
func (m *TrainingMaster) sumsFrom() int {
	_, ours := m.conf.algorithm().(threshold.Largest)
	switch {
	case m.opts.Release == SumRelease:
		return 1
	case m.opts.Release == "" && ours && m.opts.Lag == 0:
		return manyWorkers
	}
	return 0
}

// validateEncoding checks the settings of updates.
func (o Options) validateEncoding() error {
	for _, err := range []error{
		o.Combine.Validate(),
		masters.OneOf(way, "values", o.Values, "", MeanValues, ThresholdValues),
		masters.OneOf(way, "thresholds", o.Thresholds, "", ArrayThresholds, LayerThresholds, NetworkThreshold),
		masters.OneOf(way, "coding", o.Coding, "", CompactCoding, DenseCoding),
		masters.OneOf(way, "release", o.Release, "", SumRelease, EachRelease),
		way.AtLeast("warmUp", o.WarmUp, 0),
	} {
		if err != nil {
			return err
		}
	}
	if o.Release == SumRelease && o.Lag > 0 {
		return way.Errorf("release %q with a Lag of %d: updates are added up in lockstep; set Lag to 0", SumRelease, o.Lag)
	}
	return nil
}

// options returns the settings of an encoder for a network.
func (e encoding) options(net *nn.Network) threshold.Options {
	o := threshold.Options{Mean: e.mean, Powers: e.summed}
	if e.thresholds != NetworkThreshold {
		o.Layers = sections(net, e.thresholds)
	}
	return o
}

// sections returns the ends of the layers' parameters, or of each of their arrays. Layers without parameters have none.
func sections(net *nn.Network, of Thresholds) (ends []int) {
	last := ""
	for _, p := range net.ParamTable() {
		name := p.Key[:strings.LastIndexByte(p.Key, '_')]
		if p.Size == 0 {
			continue
		}
		if len(ends) == 0 || name != last || of == ArrayThresholds {
			ends = append(ends, p.Offset)
		}
		ends[len(ends)-1] = p.Offset + p.Size
		last = name
	}
	return ends
}
