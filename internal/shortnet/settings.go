package shortnet

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/vertex"
)

// setting is a member of a class.
type setting struct {
	short string // the name for writing
	json  string // Deeplearning4j's name
	also  []string
	t     reflect.Type // nil: unchanged
}

// renamed are short names of members.
var renamed = map[string]string{
	"activationFn": "activation", "gateActivationFn": "gateActivation", "lossFn": "loss", "lossFunction": "loss",
	"iupdater": "updater", "idropout": "dropout", "weightInitFn": "weightInit",
	"weightInitFnRecurrent": "weightInitRecurrent",
	"layerName":             "name", "hasBias": "bias", "hasLayerNorm": "layerNorm", "kernelSize": "kernel",
	"convolutionMode": "mode",
	"poolingType":     "pooling", "nin": "in", "nout": "units", "rnnDataFormat": "format", "rnndataFormat": "format",
	"cnn2dDataFormat": "format", "dataFormat": "format", "collapseDimensions": "collapse",
	"underlying": "layer", "fwd": "layer",
	"bwd": "back", "pnorm": "p", "mergeAxis": "axis", "preProcessor": "preprocessor",
	"inputPreProcessors": "preprocessors",
}

// further lists additional names of members.
var further = map[string][]string{"nin": {"nIn"}, "nout": {"nOut", "size"}}

// settings lists the members of a class or struct.
func settings(v reflect.Value) []setting {
	t := v.Type()
	if t.Kind() == reflect.Pointer {
		t, v = t.Elem(), v.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var list []setting
	taken := map[string]bool{}
	fields := dl4j.FieldsOf(t)
	for _, f := range fields {
		taken[f.Name] = true
	}
	filters := taken["kernelSize"] && taken["nout"]
	for _, f := range fields {
		s := setting{short: f.Name, json: f.Name, also: append(slices.Clone(f.Aliases), further[f.Name]...), t: f.Type}
		if r := renamed[f.Name]; r != "" && !taken[r] {
			s.short, taken[r] = r, true
		}
		if f.Name == "nout" && filters {
			s.short, s.also = "filters", append(s.also, "units")
		}
		list = append(list, s)
	}
	if inert, ok := v.Interface().(dl4j.InertFields); ok {
		for _, m := range inert.InertFields() {
			list = append(list, setting{short: m.Name, json: m.Name})
		}
	}
	return list
}

// called finds a setting by any of its names.
func called(list []setting, name string) (setting, bool) {
	for _, s := range list {
		if s.short == name || s.json == name || slices.Contains(s.also, name) {
			return s, true
		}
	}
	return setting{}, false
}

// words are the values of settings that are an enumeration.
var words = map[reflect.Type][]string{
	reflect.TypeFor[layer.ConvolutionMode](): {string(layer.Truncate), string(layer.Same), string(layer.Strict),
		string(layer.Causal)},
	reflect.TypeFor[layer.PoolingType](): {string(layer.MaxPooling), string(layer.AvgPooling), string(layer.SumPooling),
		string(layer.PNormPooling)},
	reflect.TypeFor[layer.BidirectionalMode](): {string(layer.BidirectionalAdd), string(layer.BidirectionalMul),
		string(layer.BidirectionalAverage), string(layer.BidirectionalConcat)},
	reflect.TypeFor[layer.GradientNormalization](): {string(layer.NoNormalization), string(layer.RenormalizeL2PerLayer),
		string(layer.RenormalizeL2PerParam), string(layer.ClipElementWiseAbsolute), string(layer.ClipL2PerLayer),
		string(layer.ClipL2PerParam)},
	reflect.TypeFor[vertex.Operation](): {string(vertex.Add), string(vertex.Subtract), string(vertex.Product),
		string(vertex.Average), string(vertex.Max)},
	reflect.TypeFor[updater.ScheduleType](): {string(updater.Iteration), string(updater.Epoch)},
}

// word finds a value, ignoring case.
func word(t reflect.Type, name string) (string, bool) {
	for _, w := range words[t] {
		if strings.EqualFold(w, name) {
			return w, true
		}
	}
	return "", false
}
