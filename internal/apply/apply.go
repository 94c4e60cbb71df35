// Package apply applies a trained network to data on an engine: it evaluates, predicts and scores. Errors name flags.
package apply

import (
	"time"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/workplace"
	"github.com/dl4go/dl4go/nn"
)

// Options name a model and data, and say how the one is applied to the other. They are the values of flags.
type Options struct {
	Model, Data  string
	Batch        int
	Kernels      string // or a device
	NoNormalizer bool   // the model's normalizer is left aside
	ByPosition   bool   // columns and classes are matched by position, not by name
	AllowNaN     bool   // results may be NaN or infinite
}

// Want says what the data is opened for.
type Want struct {
	Labels bool   // the data has labels
	Table  *Table // predictions go there; nil: they don't
	// Before, unless nil, is called with the network and a description of the data before the engine is started.
	Before func(*modelfile.Opened, source.Info) error
}

// Applied is a network on an engine, and the data that it is applied to.
type Applied struct {
	Options
	Out     *console.Output
	Network *modelfile.Opened

	begin  time.Time
	source interface{ Info() source.Info }
	stream *source.Stream // nil: not read as a stream
	place  *workplace.Place
	engine engine.Engine
	on     *distributed.Network[*nn.Network]
	data   *distributed.Data
	none   *distributed.NoRowsError // instead of data, if a table may be empty
}

// Close closes the data and the engine.
func (a *Applied) Close() error {
	if a.stream != nil {
		a.stream.Close()
	}
	return a.place.Close()
}
