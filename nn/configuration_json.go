package nn

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/layer"
)

// The JSON of Deeplearning4j's MultiLayerConfiguration, with the counts of a trained network.
type (
	networkJSON struct {
		BackpropType    BackpropType                 `dl4j:"backpropType"`
		Confs           []layerJSON                  `dl4j:"confs"`
		DataType        string                       `dl4j:"dataType"`
		EpochCount      int                          `dl4j:"epochCount"`
		InputPreprocess dl4j.Map[layer.Preprocessor] `dl4j:"inputPreProcessors"`
		IterationCount  int                          `dl4j:"iterationCount"`
		BackLength      int                          `dl4j:"tbpttBackLength"`
		ForwardLength   int                          `dl4j:"tbpttFwdLength"`
		ValidateOutput  bool                         `dl4j:"validateOutputLayerConfig"`
		Inert           dl4j.Inert
	}
	layerJSON struct {
		DataType         string      `dl4j:"dataType"`
		EpochCount       int         `dl4j:"epochCount"`
		Layer            layer.Layer `dl4j:"layer"`
		SumGradients     layer.Not   `dl4j:"miniBatch"`
		Maximize         layer.Not   `dl4j:"minimize"`
		OptimizationAlgo string      `dl4j:"optimizationAlgo"`
		Seed             int64       `dl4j:"seed"`
		Variables        []string    `dl4j:"variables"`
		Inert            dl4j.Inert
	}
)

const sgd = "STOCHASTIC_GRADIENT_DESCENT"

// InertFields are settings of Deeplearning4j's memory management.
func (networkJSON) InertFields() dl4j.Object {
	return dl4j.Object{{Name: "cacheMode", Value: "NONE"}, {Name: "inferenceWorkspaceMode", Value: "ENABLED"},
		{Name: "trainingWorkspaceMode", Value: "ENABLED"}}
}

// InertFields are settings of Deeplearning4j's memory management and of optimisers other than stochastic gradient
// descent, and the layer's iteration count. That count stays 0, because networks count iterations themselves.
func (layerJSON) InertFields() dl4j.Object {
	return dl4j.Object{{Name: "cacheMode", Value: "NONE"}, {Name: "iterationCount", Value: 0},
		{Name: "maxNumLineSearchIterations", Value: 5}, {Name: "stepFunction"}}
}

func newNetworkJSON() networkJSON {
	return networkJSON{BackpropType: "Standard", DataType: "FLOAT", BackLength: 20, ForwardLength: 20,
		ValidateOutput: true}
}

// marshal returns configuration.json; c must be complete.
func (c *Configuration) marshal(iteration, epoch int) ([]byte, error) {
	j := newNetworkJSON()
	j.BackpropType, j.ForwardLength, j.BackLength = c.BackpropType, c.TBPTTForwardLength, c.TBPTTBackLength
	j.EpochCount, j.IterationCount, j.ValidateOutput, j.Inert = epoch, iteration, !c.AnyOutput, c.written.network
	for _, i := range slices.Sorted(maps.Keys(c.Preprocessors)) {
		j.InputPreprocess.Set(strconv.Itoa(i), c.Preprocessors[i])
	}
	for i, l := range c.Layers {
		lj := layerJSON{DataType: "FLOAT", EpochCount: epoch, Layer: l, SumGradients: layer.Not(c.SumGradients),
			OptimizationAlgo: sgd, Seed: c.Seed, Variables: variables(l)}
		if i < len(c.written.layers) {
			lj.Inert = c.written.layers[i]
		}
		j.Confs = append(j.Confs, lj)
	}
	return dl4j.Marshal(j)
}

// variables lists a layer's parameters in Deeplearning4j's order: a bias that is first in the flat vector is last
// here.
func variables(l layer.Layer) []string {
	if own, ok := l.(interface{ Variables() []string }); ok {
		return own.Variables()
	}
	names := []string{}
	ps := l.Params()
	for _, p := range ps {
		names = append(names, p.Name)
	}
	if len(ps) > 1 && ps[0].Kind == layer.Bias {
		names = append(names[1:], names[0])
	}
	return names
}

// LoadConfiguration reads the JSON or YAML of a MultiLayerConfiguration, of 0.7 or later, and returns it with all
// defaults filled in. Errors are dl4j.FormatErrors, or name the layer.
func LoadConfiguration(text []byte) (Configuration, error) {
	d, err := readDocument(text)
	if err != nil {
		return Configuration{}, err
	}
	c, _, _, err := d.configuration()
	return c, err
}

// JSON returns configuration.json as Deeplearning4j writes it.
func (c Configuration) JSON() ([]byte, error) {
	c, err := c.Complete()
	if err != nil {
		return nil, err
	}
	return c.marshal(0, 0)
}

// check reports an error in the settings that all layers have. sum is the setting of the first layer, or of the graph.
func (j *layerJSON) check(at string, sum layer.Not) error {
	bad := func(field, format string, args ...any) error {
		return &dl4j.FormatError{At: at + "." + field, Offset: -1, Err: fmt.Errorf(format, args...)}
	}
	switch {
	case j.DataType != "FLOAT" && j.DataType != "":
		return bad("dataType", "%q: networks are of type FLOAT, DOUBLE or HALF", j.DataType)
	case j.OptimizationAlgo != sgd && j.OptimizationAlgo != "":
		return bad("optimizationAlgo", "%q: %s is known", j.OptimizationAlgo, sgd)
	case j.SumGradients != sum:
		return bad("miniBatch", "%t, while the network has %t", !j.SumGradients, !sum)
	}
	return nil
}

// configuration reads a MultiLayerConfiguration, and the network's iteration and epoch.
func (d document) configuration() (Configuration, int, int, error) {
	c, iteration, epoch, err := unmarshalConfiguration(d.Root)
	return c, iteration, epoch, d.Explain(err)
}

func unmarshalConfiguration(o dl4j.Object) (c Configuration, iteration, epoch int, err error) {
	bad := func(at, format string, args ...any) (Configuration, int, int, error) {
		return c, 0, 0, &dl4j.FormatError{At: at, Offset: -1, Err: fmt.Errorf(format, args...)}
	}
	if _, graph := o.Get("vertices"); graph {
		return bad("", "this is a ComputationGraphConfiguration, not a MultiLayerConfiguration")
	}
	if _, ok := o.Get("confs"); !ok {
		return bad("", "no member confs: this is not a MultiLayerConfiguration")
	}
	j := newNetworkJSON()
	if err := dl4j.FromTree(o, &j); err != nil {
		return c, 0, 0, err
	}
	switch {
	case j.IterationCount < 0 || j.EpochCount < 0:
		return bad("iterationCount", "iterations %d and epochs %d must not be negative", j.IterationCount, j.EpochCount)
	case len(j.Confs) == 0:
		return bad("confs", "the network has no layers")
	case j.DataType != "FLOAT":
		return bad("dataType", "%q: networks are of type FLOAT, DOUBLE or HALF", j.DataType)
	}
	first := j.Confs[0]
	c.Seed, c.SumGradients, c.AnyOutput = first.Seed, bool(first.SumGradients), !j.ValidateOutput
	c.written.network, c.written.file = j.Inert, true
	c.BackpropType, c.TBPTTForwardLength, c.TBPTTBackLength = j.BackpropType, j.ForwardLength, j.BackLength
	for i, lj := range j.Confs {
		at := fmt.Sprintf("confs[%d]", i)
		if lj.Layer == nil {
			return bad(at+".layer", "there is none")
		}
		if err := lj.check(at, first.SumGradients); err != nil {
			return c, 0, 0, err
		}
		c.Layers = append(c.Layers, lj.Layer)
		c.written.layers = append(c.written.layers, lj.Inert)
	}
	c.Preprocessors = map[int]layer.Preprocessor{}
	for name, p := range j.InputPreprocess.All() {
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(c.Layers) || p == nil {
			return bad("inputPreProcessors", "%q is not the index of one of %d layers", name, len(c.Layers))
		}
		c.Preprocessors[i] = p
	}
	c, err = c.Complete()
	return c, j.IterationCount, j.EpochCount, err
}
