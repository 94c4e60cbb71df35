package shortnet

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/registry"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/weights"
)

// whole holds the settings of a network. The defaults of layers come first.
type whole struct {
	Activation                     activation.Activation           `dl4j:"activation"`
	WeightInit                     weights.Init                    `dl4j:"weightInit"`
	BiasInit                       float64                         `dl4j:"biasInit"`
	Updater                        updater.Updater                 `dl4j:"updater"`
	BiasUpdater                    updater.Updater                 `dl4j:"biasUpdater"`
	Regularization                 []regularization.Regularization `dl4j:"regularization"`
	RegularizationBias             []regularization.Regularization `dl4j:"regularizationBias"`
	Dropout                        regularization.Dropout          `dl4j:"dropout"`
	GradientNormalization          layer.GradientNormalization     `dl4j:"gradientNormalization"`
	GradientNormalizationThreshold float64                         `dl4j:"gradientNormalizationThreshold"`
	ConvolutionMode                layer.ConvolutionMode           `dl4j:"convolutionMode"`
	WeightNoise                    regularization.Noise            `dl4j:"weightNoise"`
	Constraints                    []regularization.Constraint     `dl4j:"constraints"`
	WeightConstraints              []regularization.Constraint     `dl4j:"weightConstraints"`
	BiasConstraints                []regularization.Constraint     `dl4j:"biasConstraints"`

	Seed           int64           `dl4j:"seed"`
	BackpropType   nn.BackpropType `dl4j:"backpropType"`
	ForwardLength  int             `dl4j:"tbpttFwdLength"`
	BackLength     int             `dl4j:"tbpttBackLength"`
	MiniBatch      bool            `dl4j:"miniBatch"`
	ValidateOutput bool            `dl4j:"validateOutputLayerConfig"`
}

// The members of a text beside the settings.
const (
	inputKey, inputsKey, layersKey, verticesKey = "input", "inputs", "layers", "vertices"
	outputsKey, taskKey, configurationKey       = "outputs", "task", "configuration"
	preprocessorKey                             = "preprocessor"
)

var structural = []string{inputKey, inputsKey, layersKey, verticesKey, outputsKey, taskKey, configurationKey}

// reader makes a network from a text.
type reader struct {
	data nn.BuiltInData
	of   map[string]*yaml.Node // the members of the text
}

// network returns configuration.json.
func (r *reader) network(root *yaml.Node) ([]byte, error) {
	if root.Kind != yaml.MappingNode {
		return nil, errorAt(root, "a network should be here, such as {layers: [output: {}]}, not %s", describe(root))
	}
	rest := &yaml.Node{Kind: yaml.MappingNode, Line: root.Line, Column: root.Column}
	list := settings(reflect.ValueOf(whole{}))
	r.of = map[string]*yaml.Node{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		_, simple := called(list, k.Value)
		_, shrinks := shrinks[k.Value]
		switch {
		case contains(structural, k.Value):
			r.of[k.Value] = v
		case simple || shrinks:
			rest.Content = append(rest.Content, k, v)
		default:
			return nil, unknownSetting(k, append(list, structuralSettings()...), "a network")
		}
	}
	w := whole{Seed: 1, MiniBatch: true, ValidateOutput: true, BackpropType: nn.Standard}
	tree, err := expandMembers(rest, list, "the network")
	if err == nil {
		if problem := dl4j.FromTree(tree, &w); problem != nil {
			err = errorAt(root, "%w", problem)
		}
	}
	if err != nil {
		return nil, err
	}
	if n := r.of[taskKey]; n != nil {
		if err := r.task(n); err != nil {
			return nil, err
		}
	}
	c := w.configuration()
	switch {
	case r.of[layersKey] != nil && r.of[verticesKey] != nil:
		return nil, errorAt(r.of[verticesKey], "a network has layers in a row, or vertices, not both")
	case r.of[verticesKey] != nil:
		return r.graph(c)
	case r.of[layersKey] != nil:
		return r.row(c)
	}
	return nil, errorAt(root, "the network has no layers: write layers: [output: {}]")
}

func structuralSettings() (list []setting) {
	for _, name := range structural {
		list = append(list, setting{short: name})
	}
	return list
}

func contains(list []string, name string) bool {
	for _, s := range list {
		if s == name {
			return true
		}
	}
	return false
}

func (r *reader) task(n *yaml.Node) error {
	names := []string{string(nn.Classification), string(nn.MultiLabel), string(nn.Regression)}
	if !contains(names, n.Value) {
		return errorAt(n, "task: %.60q is unknown; it is one of %s%s", n.Value, strings.Join(names, ", "),
			registry.SuggestWord(n.Value, names))
	}
	r.data.Task = nn.Task(n.Value)
	return nil
}

// configuration converts the settings, without layers.
func (w whole) configuration() nn.Configuration {
	return nn.Configuration{Seed: w.Seed, Activation: w.Activation, WeightInit: w.WeightInit, BiasInit: w.BiasInit,
		Updater: w.Updater, BiasUpdater: w.BiasUpdater, Regularization: w.Regularization,
		RegularizationBias: w.RegularizationBias, Dropout: w.Dropout, GradientNormalization: w.GradientNormalization,
		GradientNormalizationThreshold: w.GradientNormalizationThreshold, ConvolutionMode: w.ConvolutionMode,
		WeightNoise: w.WeightNoise, Constraints: w.Constraints, WeightConstraints: w.WeightConstraints,
		BiasConstraints: w.BiasConstraints, BackpropType: w.BackpropType, TBPTTForwardLength: w.ForwardLength,
		TBPTTBackLength: w.BackLength, SumGradients: !w.MiniBatch, AnyOutput: !w.ValidateOutput}
}

// row returns a network of layers in a row.
func (r *reader) row(c nn.Configuration) ([]byte, error) {
	for _, k := range []string{inputsKey, outputsKey} {
		if n := r.of[k]; n != nil {
			return nil, errorAt(n, "%s belongs to a network of vertices; layers in a row have input", k)
		}
	}
	n := r.of[layersKey]
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return nil, errorAt(n, "layers: a list of layers should be here, not %s", describe(n))
	}
	var err error
	if c.InputType, err = r.input(r.of[inputKey], r.data.Input); err != nil {
		return nil, err
	}
	c.Preprocessors = map[int]layer.Preprocessor{}
	items := make([]*item, len(n.Content))
	var kept []int
	for i, e := range n.Content {
		if items[i], err = r.item(e, layerType); err != nil {
			return nil, err
		}
		c.Layers = append(c.Layers, items[i].layer)
		if items[i].pre != nil {
			c.Preprocessors[i] = items[i].pre
		}
		if items[i].exact {
			kept = append(kept, i)
		}
	}
	text, err := c.Keeping(kept...).JSON()
	if wrong := (*nn.LayerError)(nil); errors.As(err, &wrong) && wrong.Index < len(items) {
		at := items[wrong.Index]
		return nil, errorAt(at.node, "layer %d (%s): %w%s", wrong.Index, at.name, wrong.Err, r.hint(c.InputType))
	}
	if err != nil {
		return nil, errorAt(n, "%w", err)
	}
	return r.patched(text, func(o dl4j.Object) (dl4j.Object, error) {
		confs, _ := o.Get("confs")
		for i, conf := range confs.([]any) {
			confs.([]any)[i] = merge(conf.(dl4j.Object), items[i].patch)
		}
		return o, nil
	})
}

// hint returns advice for the case that no input type is known.
func (r *reader) hint(t inputtype.Type) string {
	if t.Kind == inputtype.Unknown {
		return "; the network's input is not known: write input, or name the data"
	}
	return ""
}

// patched changes settings that only exist in files.
func (r *reader) patched(text []byte, items func(dl4j.Object) (dl4j.Object, error)) ([]byte, error) {
	tree, err := dl4j.Parse(string(text))
	if err != nil {
		return nil, err
	}
	o, err := items(tree.(dl4j.Object))
	if err != nil {
		return nil, err
	}
	if n := r.of[configurationKey]; n != nil {
		patch, ok := plain(n).(dl4j.Object)
		if !ok {
			return nil, wrong(n, configurationKey, "members of Deeplearning4j's configuration")
		}
		o = merge(o, patch)
	}
	return dl4j.Format(o)
}

// merge merges members into an object, recursively.
func merge(o, patch dl4j.Object) dl4j.Object {
	for _, p := range patch {
		found := false
		for i, m := range o {
			if m.Name != p.Name {
				continue
			}
			found = true
			into, ok := m.Value.(dl4j.Object)
			if with, is := p.Value.(dl4j.Object); ok && is {
				o[i].Value = merge(into, with)
			} else {
				o[i].Value = p.Value
			}
		}
		if !found {
			o = append(o, p)
		}
	}
	return o
}

// input returns the input type in the text, or that of the data.
func (r *reader) input(n *yaml.Node, data inputtype.Type) (t inputtype.Type, err error) {
	if n == nil || isNull(n) {
		return data, nil
	}
	if t, err = inputOf(n); err != nil {
		return t, err
	}
	same := data
	same.Kind = t.Kind
	image := data.Kind == inputtype.ConvolutionalKind || data.Kind == inputtype.ConvolutionalFlatKind
	if t.Kind == inputtype.ConvolutionalFlatKind && image && same == t {
		return data, nil // in the form of the data's arrays
	}
	return t, nil
}

// item is a layer or a vertex of a text.
type item struct {
	node   *yaml.Node
	name   string // of the class
	layer  layer.Layer
	vertex vertexOf
	exact  bool // it is complete
	pre    layer.Preprocessor
	patch  dl4j.Object
	inputs *yaml.Node
}

// item reads an element of layers, or a vertex.
func (r *reader) item(n *yaml.Node, t reflect.Type) (*item, error) {
	of := &item{node: n}
	name, inner := n, (*yaml.Node)(nil)
	if n.Kind == yaml.MappingNode {
		name = nil
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			switch {
			case k.Value == inputsKey && t == vertexType:
				of.inputs = v
			case k.Value == configurationKey:
				patch, ok := plain(v).(dl4j.Object)
				if !ok {
					return nil, wrong(v, k.Value, "members of Deeplearning4j's configuration")
				}
				of.patch = patch
			case k.Value == preprocessorKey:
				tree, err := expand(v, preprocessorType, k.Value)
				if err != nil {
					return nil, err
				}
				if err := dl4j.FromTree(tree, &of.pre); err != nil {
					return nil, errorAt(v, "%w", err)
				}
			case name != nil:
				return nil, errorAt(k, "%.60q stands beside %.60q: one layer should be here; write a list with a dash "+
					"before each, and settings in braces or further in", k.Value, name.Value)
			default:
				name, inner = k, v
			}
		}
	}
	if name == nil || name.Kind != yaml.ScalarNode || isNull(name) {
		return nil, errorAt(n, "a layer should be here, such as dense: {units: 64}, not %s", describe(n))
	}
	of.name = name.Value
	return of, r.fill(of, name, inner, t)
}

// fill makes the layer or vertex.
func (r *reader) fill(of *item, name, inner *yaml.Node, t reflect.Type) error {
	c, exact, ok := find(layerType, name.Value)
	kind := layerType
	if !ok && t == vertexType {
		c, exact, ok = find(vertexType, name.Value)
		kind = vertexType
	}
	if !ok {
		names := shortNames(layerType)
		what := "layer"
		if t == vertexType {
			names, what = append(names, shortNames(vertexType)...), "layer or vertex"
		}
		return errorAt(name, "unknown %s %.60q%s; docs/networks.md lists them", what, name.Value,
			registry.SuggestWord(name.Value, names))
	}
	if kind == layerType && c.short == "output" && r.data.PerStep && !exact {
		c, _, _ = find(layerType, "rnnOutput")
	}
	tree, err := c.expand(inner, exact, kind)
	if err != nil {
		return err
	}
	of.exact = exact
	if kind == vertexType {
		err = dl4j.FromTree(tree, &of.vertex)
	} else if err = dl4j.FromTree(tree, &of.layer); err == nil && !exact {
		of.layer, err = r.fit(of.layer)
	}
	if err != nil {
		return errorAt(name, "%s: %w", name.Value, err)
	}
	return nil
}

// fit fills in the settings of an output layer that follow from the data and the task.
func (r *reader) fit(l layer.Layer) (layer.Layer, error) {
	if _, scores := l.(layer.Scorer); !scores || reflect.TypeOf(l).Kind() != reflect.Struct {
		return l, nil
	}
	v := reflect.New(reflect.TypeOf(l)).Elem()
	v.Set(reflect.ValueOf(l))
	member := map[string]reflect.Value{}
	for _, f := range dl4j.FieldsOf(v.Type()) {
		member[f.Name] = v.FieldByIndex(f.Index)
	}
	of, hasLoss := member["lossFn"]
	act, hasActivation := member["activationFn"]
	if hasLoss && hasActivation {
		fitLoss(of, act, r.data)
	}
	if units, ok := member["nout"]; ok && units.Kind() == reflect.Int && units.Int() == 0 && member["nin"].IsValid() {
		if _, sized := l.(layer.Sized); sized && len(paramsOf(l)) > 0 {
			if r.data.Classes < 1 {
				return nil, fmt.Errorf("units are left open, and there is no data to take them from; write units, or name the data")
			}
			units.SetInt(int64(r.data.Classes))
		}
	}
	return v.Interface().(layer.Layer), nil
}
