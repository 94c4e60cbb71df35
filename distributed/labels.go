package distributed

import (
	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/tensor"
)

// Labels calls do with a form of the source from which only labels are needed. If workers make the examples, the
// features stay on the workers, and each example has a 0 instead. Other sources are passed unchanged.
func Labels(s source.Source, do func(source.Source) error) error {
	q, ok := s.(*querySource)
	if !ok {
		return do(s)
	}
	of := &querySource{Query: &Query{Data: q.derive(q.Data.rows.Map(onlyLabels.With(struct{}{}))), Sample: q.Sample},
		ctx: q.ctx, info: q.info}
	of.info.Features = []tensor.Shape{{1}}
	defer of.rest()
	return do(of)
}

// onlyLabels removes the features from examples.
var onlyLabels = engine.Register("distributed.onlyLabels",
	func(_ *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
		return eachRow(in, out, func(_ int, row []byte) ([]byte, error) {
			m, err := data.DecodeRow(row)
			if err != nil {
				return nil, err
			}
			return data.AppendRow(nil, &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(1, 1)}, Labels: m.Labels,
				LabelMasks: m.LabelMasks}), nil
		})
	})
