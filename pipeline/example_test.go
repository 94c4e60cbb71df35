package pipeline_test

import (
	"fmt"

	"github.com/dl4go/dl4go/pipeline"
)

// A pipeline renames a column and drops another.
func Example() {
	p := pipeline.Pipeline{
		Initial: pipeline.Schema{Columns: []pipeline.Column{
			pipeline.StringColumn{Name: "town"},
			pipeline.DoubleColumn{Name: "rain"},
		}},
		Steps: []pipeline.Step{
			pipeline.RenameColumns{OldNames: []string{"rain"}, NewNames: []string{"rainfall"}},
			pipeline.KeepColumns{Columns: []string{"rainfall"}},
		},
	}
	plan, err := p.Bind()
	if err != nil {
		fmt.Println(err)
		return
	}
	run := plan.Start(func(i pipeline.Item) error {
		fmt.Println(plan.Out().Names(), i.Row)
		return nil
	})
	err = run.Push(pipeline.Item{Row: pipeline.Row{pipeline.Text("Oslo"), pipeline.Double(1.5)}})
	if err == nil {
		err = run.Close()
	}
	fmt.Println(err)
	// Output:
	// [rainfall] [1.5]
	// <nil>
}
