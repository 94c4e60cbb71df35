package nn

import (
	"maps"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
)

// Keeping returns a copy in which a zero setting of the layers with these indices means zero, as in a file, and not the
// default.
func (c Configuration) Keeping(layers ...int) Configuration {
	c.written.kept = maps.Clone(c.written.kept)
	if c.written.kept == nil {
		c.written.kept = map[int]bool{}
	}
	for _, i := range layers {
		c.written.kept[i] = true
	}
	return c
}

// Keeping returns a copy in which a zero setting of the layers and vertices with these names means zero, as in a file,
// and not the default.
func (c GraphConfiguration) Keeping(vertices ...string) GraphConfiguration {
	c.kept = maps.Clone(c.kept)
	if c.kept == nil {
		c.kept = map[string]bool{}
	}
	for _, name := range vertices {
		c.kept[name] = true
	}
	return c
}

// LayerDefaults returns the defaults of the layers' settings.
func (c Configuration) LayerDefaults() layer.Defaults { return c.defaults() }

// LayerInputs returns the input type of the network, followed by the input types of the layers, after preprocessors.
// The Kind of an unknown type is Unknown.
func (c Configuration) LayerInputs() ([]inputtype.Type, error) {
	types := []inputtype.Type{c.firstType()}
	c, err := c.completed(func(in inputtype.Type) { types = append(types, in) })
	return types, err
}
