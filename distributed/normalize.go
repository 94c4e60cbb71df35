package distributed

import (
	"bytes"
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
)

// Normalize returns the data with every example transformed by the normalizer, when the workers read it.
func (d *Data) Normalize(n data.Normalizer) (*Data, error) {
	if s := d.stored; s != nil && s.by == nil {
		return fromStored(d.Engine(), storedData{s.from, n}, d.Partitions())
	}
	var b bytes.Buffer
	if err := data.WriteNormalizer(&b, n); err != nil {
		return nil, err
	}
	return d.derive(d.rows.Map(normalize.With(normalizeConfig{b.Bytes()}))), nil
}

type normalizeConfig struct {
	Normalizer []byte // normalizer.bin
}

var normalize = engine.Register("distributed.normalize",
	func(t *engine.Task, conf normalizeConfig, in engine.Rows, out engine.Writer) error {
		n, err := data.ReadNormalizer(bytes.NewReader(conf.Normalizer), int64(len(conf.Normalizer)))
		if err != nil {
			return engine.Permanent(err)
		}
		examples := Minibatches(in, 1)
		for {
			m, err := examples.Next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if err := n.Transform(m); err != nil {
				return engine.Permanent(err)
			}
			if err := out.Write(engine.Unindexed(data.AppendRow(nil, m))); err != nil {
				return err
			}
		}
	})
