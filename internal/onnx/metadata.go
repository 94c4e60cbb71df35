package onnx

import (
	"encoding/json"

	"github.com/dl4go/dl4go/internal/onnxfile"
)

// The keys of a model's metadata. Each value is a JSON list of names.
const (
	classesKey  = "classes"
	featuresKey = "features"
	labelsKey   = "labels"
)

// irOf returns the version of the file format that belongs to an op set.
func irOf(opset int64) int64 {
	if opset >= 19 {
		return 9
	}
	return 8
}

// model puts the graph into a model.
func (e *exporter) model() *onnxfile.Model {
	e.Name = "network"
	m := &onnxfile.Model{IRVersion: irOf(e.opset), Opsets: []onnxfile.Opset{{Version: e.opset}}, Producer: "dl4go",
		Graph: &e.Graph}
	if s := e.net.Schema(); s != nil {
		for key, names := range map[string][]string{classesKey: s.Classes, featuresKey: s.Features, labelsKey: s.Labels} {
			if names == nil {
				continue
			}
			text, _ := json.Marshal(names) // a list of texts always has a JSON form
			m.Metadata = append(m.Metadata, onnxfile.Property{Key: key, Value: string(text)})
		}
	}
	return m
}
