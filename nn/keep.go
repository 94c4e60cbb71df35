package nn

import (
	"maps"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
)

// Keeping gives a copy whose layers of these indices leave no setting open: zeros are meant, as in a file.
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

// Keeping gives a copy whose layers and vertices of these names leave no setting open: zeros are meant, as in a file.
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

// LayerDefaults are the settings that layers leave open.
func (c Configuration) LayerDefaults() layer.Defaults { return c.defaults() }

// LayerInputs gives the types of the layers' inputs, behind preprocessors, and the input type of the network, which
// comes first. The Kind of those that are not known is Unknown.
func (c Configuration) LayerInputs() ([]inputtype.Type, error) {
	types := []inputtype.Type{c.firstType()}
	c, err := c.completed(func(in inputtype.Type) { types = append(types, in) })
	return types, err
}
