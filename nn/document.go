package nn

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/legacy"
)

// document is a configuration of either kind as a tree. The tree is in the present format and of type FLOAT.
type document struct {
	legacy.Document
}

// readDocument reads configuration.json, or a configuration's YAML, of Deeplearning4j 0.7 or later.
func readDocument(text []byte) (document, error) {
	if bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n\ufeff"), []byte("{")) {
		return newDocument(dl4j.Parse(string(text)))
	}
	if len(text) > maxYAML {
		return document{}, &dl4j.FormatError{Offset: -1, Err: fmt.Errorf("a YAML of %d bytes: there may be %d", len(text),
			maxYAML)}
	}
	return newDocument(dl4j.ParseYAML(string(text)))
}

// maxYAML bounds the length of a YAML like that of a configuration.json in a model zip.
const maxYAML = 4 << 20

func newDocument(tree any, err error) (document, error) {
	if err != nil {
		return document{}, err
	}
	root, ok := tree.(dl4j.Object)
	if !ok {
		return document{}, &dl4j.FormatError{Offset: -1,
			Err: fmt.Errorf("an object should be here: a MultiLayerConfiguration or ComputationGraphConfiguration")}
	}
	d, err := legacy.Upgrade(root)
	if err != nil {
		return document{}, err
	}
	if was, ok := d.Root.Get("dataType"); ok && (was == "DOUBLE" || was == "HALF") {
		d.Notices = append(d.Notices, precisionNotice(was.(string)))
	}
	d.Root = inFloat(d.Root).(dl4j.Object)
	if minimizing(d.Root) {
		d.Notices = append(d.Notices,
			"minimize is false, which Deeplearning4j ignores: training minimizes the loss; it is written as true")
	}
	return document{d}, nil
}

// graph reports whether the document describes a graph.
func (d document) graph() bool {
	_, ok := d.Root.Get("vertices")
	return ok
}

// minimizing sets minimize to true wherever it is false, and reports whether it changed the tree. Deeplearning4j
// ignores minimize.
func minimizing(tree any) (changed bool) {
	switch v := tree.(type) {
	case []any:
		for i := range v {
			changed = minimizing(v[i]) || changed
		}
	case dl4j.Object:
		for i := range v {
			if v[i].Name == "minimize" && v[i].Value == false {
				v[i].Value, changed = true, true
			}
			changed = minimizing(v[i].Value) || changed
		}
	}
	return changed
}

// precisionNotice describes how a network of another type is converted.
func precisionNotice(t string) string {
	if t == "HALF" {
		return "the network is of type HALF: dl4go computes in float32, which is more exact, so outputs differ from " +
			"Deeplearning4j's by about 1e-3; it is written as FLOAT"
	}
	return fmt.Sprintf("the network is of type %s: dl4go computes in float32, so outputs agree to about 1e-6; it is "+
		"written as FLOAT", t)
}

// inFloat replaces the types DOUBLE and HALF in the tree by FLOAT. It leaves arrays alone: their type is that of their
// numbers.
func inFloat(tree any) any {
	switch v := tree.(type) {
	case []any:
		v = slices.Clone(v)
		for i := range v {
			v[i] = inFloat(v[i])
		}
		return v
	case dl4j.Object:
		v = slices.Clone(v)
		_, array := v.Get("data")
		for i := range v {
			if of := v[i].Value; v[i].Name == "dataType" && !array && (of == "DOUBLE" || of == "HALF") {
				v[i].Value = "FLOAT"
				continue
			}
			v[i].Value = inFloat(v[i].Value)
		}
		return v
	}
	return tree
}
