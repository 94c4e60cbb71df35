package distributed

import (
	"encoding/json"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
)

// RawFunc is an operation on the raw rows of a partition of a [RawTable]. It must call each once. each calls do with
// the rows of every file of the partition, one after the other. The operation must write the same rows each time, like
// an [engine.Func].
type RawFunc[C any] func(t *engine.Task, conf C, each func(do func(source.Rows) error) error, out engine.Writer) error

// RawOp is the handle of a registered RawFunc.
type RawOp[C any] struct{ op engine.Op[rawOpConf] }

// rawOpConf is an operation's input: how rows are read, and its own configuration.
type rawOpConf struct {
	Raw  rawConf
	Conf json.RawMessage
}

// RegisterRaw registers an operation on raw rows, as engine.Register does for other operations.
func RegisterRaw[C any](name string, f RawFunc[C]) RawOp[C] {
	return RawOp[C]{engine.Register(name, func(t *engine.Task, conf rawOpConf, in engine.Rows, out engine.Writer) error {
		var c C
		if err := json.Unmarshal(conf.Conf, &c); err != nil {
			return engine.Permanent(err)
		}
		return f(t, c, func(do func(source.Rows) error) error { return conf.Raw.each(t, in, do) }, out)
	})}
}

// On returns the data set of the operation on each partition of a table.
func (o RawOp[C]) On(t *RawTable, conf C) (*engine.Dataset, error) {
	b, err := json.Marshal(conf)
	if err != nil {
		return nil, err
	}
	return t.rows.Map(o.op.With(rawOpConf{t.conf, b})), nil
}
