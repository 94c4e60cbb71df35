package pipeline_test

import (
	"fmt"

	"github.com/dl4go/dl4go/pipeline"
)

// Clip keeps the numbers of a column below a limit. It is a step of another module.
type Clip struct {
	Column string  `dl4j:"columnName"`
	Limit  float64 `dl4j:"limit"`
}

func init() {
	pipeline.RegisterTransform("org.example.Clip", func() pipeline.Transform { return Clip{Limit: 100} })
}

func (s Clip) Bind(in *pipeline.Schema) (pipeline.Bound, error) {
	at, err := in.Find(s.Column)
	if err != nil {
		return pipeline.Bound{}, err
	}
	return pipeline.Bound{Out: in, Run: pipeline.RowMap(func(r pipeline.Row) (pipeline.Row, error) {
		x, err := r[at].Double()
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", s.Column, err)
		}
		r[at] = pipeline.Double(min(x, s.Limit))
		return r, nil
	})}, nil
}

// A step of another module is read from files under its class name, as DataVec's are.
func ExampleRegisterTransform() {
	p, err := pipeline.Parse([]byte(`
initialSchema:
  columns:
  - !<org.datavec.api.transform.metadata.DoubleMetaData>
    name: rain
actionList:
- transform: !<org.example.Clip>
    columnName: rain
    limit: 5.5`))
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := p.Bind()
	if err != nil {
		fmt.Println(err)
		return
	}
	run := plan.Start(func(i pipeline.Item) error {
		fmt.Println(i.Row)
		return nil
	})
	for _, text := range []string{"1.5", "88", "much"} {
		if err := run.Push(pipeline.Item{Row: pipeline.Row{pipeline.Text(text)}}); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// [1.5]
	// [5.5]
	// step 1 (Clip): column "rain": "much" is not a number
}
