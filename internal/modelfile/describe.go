package modelfile

import (
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
)

// DataOf returns what a built-in network needs to know about data: the type of its input, and the number of label
// columns. Labels that are not classes are numbers to predict if they have one column, or if their columns have names.
// Others may be one-hot.
func DataOf(i source.Info) (d nn.BuiltInData) {
	if d.Classes = i.Classes; d.Classes == 0 && len(i.Labels) > 0 && len(i.Labels[0]) > 0 {
		d.Classes = i.Labels[0][0]
		if named := i.Schema != nil && i.Schema.Classes == nil && len(i.Schema.Labels) == d.Classes; named || d.Classes == 1 {
			d.Task = nn.Regression
		}
	}
	if i.Task != "" {
		d.Task = nn.Task(i.Task)
	}
	d.Words = i.Words
	for _, c := range i.Categories {
		d.Categories = append(d.Categories, nn.Category{Name: c.Name, Column: c.Column, Count: c.Count})
	}
	d.PerStep = len(i.Labels) > 0 && len(i.Labels[0]) == 2
	if len(i.Features) == 0 {
		return d
	}
	switch x := i.Features[0]; {
	case i.Image != nil && len(x) == 1:
		d.Input = inputtype.ConvolutionalFlat(i.Image.Height, i.Image.Width, i.Image.Channels)
	case len(x) == 1:
		d.Input = inputtype.FeedForward(x[0])
	case len(x) == 2:
		d.Input = inputtype.Recurrent(x[0], max(0, x[1]))
	case len(x) == 3:
		d.Input = inputtype.Convolutional(x[1], x[2], x[0])
	}
	return d
}

// Usual names the built-in network for data.
func Usual(i source.Info) string {
	switch DataOf(i).Input.Kind {
	case inputtype.ConvolutionalKind, inputtype.ConvolutionalFlatKind:
		return "lenet"
	case inputtype.RecurrentKind:
		return "lstm"
	}
	return "mlp"
}

// Describe describes the examples in a few words.
func Describe(i source.Info) string {
	var s string
	switch {
	case i.Image != nil && i.Image.Channels == 1:
		s = fmt.Sprintf("images of %dx%d", i.Image.Height, i.Image.Width)
	case i.Image != nil:
		s = fmt.Sprintf("images of %dx%d with %d channels", i.Image.Height, i.Image.Width, i.Image.Channels)
	case len(i.Features) == 1:
		s = fmt.Sprintf("features %v", i.Features[0])
	default:
		s = fmt.Sprintf("%d arrays of features", len(i.Features))
	}
	switch {
	case i.Classes > 0:
		s += fmt.Sprintf(", %d classes", i.Classes)
	case len(i.Labels) == 1:
		s += fmt.Sprintf(", labels %v", i.Labels[0])
	case len(i.Labels) == 0:
		s += ", no labels"
	}
	return s
}

// Positions tells what is taken by position because one side has no names, and which columns are unused.
func Positions(model *data.Schema, info source.Info) (lines []string) {
	var known, found data.Schema
	if model != nil {
		known = *model
	}
	if info.Schema != nil {
		found = *info.Schema
	}
	byNames := info.LabelNames != nil && !(&data.Schema{Classes: info.LabelNames}).Numbered()
	switch {
	case known.Features == nil && found.Features != nil && known.Classes == nil && byNames:
		lines = append(lines, "columns and classes are taken by position: the model has no names of them")
	case known.Features == nil && found.Features != nil:
		lines = append(lines, "columns are taken by position: the model has no names of them")
	case known.Classes == nil && byNames:
		lines = append(lines, "classes are taken by position: the model has no names of them")
	case known.Features != nil && found.Features == nil:
		lines = append(lines, "features are taken by position: the data has no names of columns")
	}
	if info.Unused != nil {
		lines = append(lines, "columns that the model does not use: "+data.ShortList(info.Unused))
	}
	return lines
}
