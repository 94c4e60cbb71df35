// Package shortnet reads and writes networks in a few lines of YAML or JSON:
//
//	input: {features: 784}
//	layers:
//	  - dense: {units: 64, activation: relu}
//	  - dropout: 0.2
//	  - output: {units: 10}
//	updater: {adam: {learningRate: 1e-3}}
//
// Names are short forms of Deeplearning4j's classes and settings. They come from the tables with which its files are
// read, so layers of other modules have them, too. Sizes that are left open follow from the data. [Configuration]
// converts such a text to Deeplearning4j's configuration, and [Format] converts it back, without loss.
package shortnet

import (
	"bytes"
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn"
)

// Error is an error in a text.
type Error struct {
	Line, Column int // from 1; 0 if it has no single place
	Err          error
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Err.Error()
	}
	return fmt.Sprintf("line %d, column %d: %v", e.Line, e.Column, e.Err)
}

// Unwrap returns the problem.
func (e *Error) Unwrap() error { return e.Err }

// errorAt returns an error at a node.
func errorAt(n *yaml.Node, format string, args ...any) error {
	return &Error{n.Line, n.Column, fmt.Errorf(format, args...)}
}

// keys are the members that distinguish a short network from Deeplearning4j's configurations; in YAML, at the
// beginning of a line.
var keys = regexp.MustCompile(`(?m)^"?(layers|vertices|confs|vertexInputs)"?[ \t]*:`)

// Is reports whether a text is a network in the short form: it has layers or vertices, and neither confs nor
// vertexInputs, which Deeplearning4j's configurations have.
func Is(text []byte) bool {
	found := map[string]bool{}
	if trimmed := bytes.TrimLeft(text, " \t\r\n\ufeff"); bytes.HasPrefix(trimmed, []byte("{")) {
		tree, err := dl4j.Parse(string(trimmed))
		o, _ := tree.(dl4j.Object)
		if err != nil {
			return !bytes.Contains(text, []byte(`"confs"`)) && !bytes.Contains(text, []byte(`"vertexInputs"`)) &&
				(bytes.Contains(text, []byte("layers")) || bytes.Contains(text, []byte("vertices")))
		}
		for _, m := range o {
			found[m.Name] = true
		}
	} else {
		for _, m := range keys.FindAllSubmatch(text, -1) {
			found[string(m[1])] = true
		}
	}
	return (found["layers"] || found["vertices"]) && !found["confs"] && !found["vertexInputs"]
}

// Configuration returns the configuration.json of a text, for data described by d. The zero BuiltInData means no data:
// then all sizes must be in the text. Errors are *[Error].
func Configuration(text []byte, d nn.BuiltInData) ([]byte, error) {
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	r := &reader{data: d}
	return r.network(root)
}

// Read returns the network of a text, without drawing its parameters: see [nn.Replica].
func Read(text []byte, d nn.BuiltInData) (*nn.Network, error) {
	configuration, err := Configuration(text, d)
	if err != nil {
		return nil, err
	}
	return nn.Replica(configuration)
}
