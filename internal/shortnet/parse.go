package shortnet

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dl4go/dl4go/dl4j"
)

// Bounds of a text. A mark begins a value; its node takes some 300 bytes.
const (
	maxText  = 4 << 20
	maxMarks = 125_000
	maxDepth = 64
)

var place = regexp.MustCompile(`line (\d+): `)

// parse reads YAML, which includes JSON.
func parse(text []byte) (*yaml.Node, error) {
	if len(text) > maxText {
		return nil, &Error{Err: fmt.Errorf("a network of %d bytes: there may be %d", len(text), maxText)}
	}
	marks := 0
	for _, c := range text {
		if strings.IndexByte(",:\n-[{?", c) >= 0 {
			marks++
		}
	}
	if marks > maxMarks {
		return nil, &Error{Err: fmt.Errorf("a network with %d commas, colons, brackets, dashes and lines: there may be %d",
			marks, maxMarks)}
	}
	if bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n\ufeff"), []byte("{")) {
		text = bytes.ReplaceAll(text, []byte("\t"), []byte(" ")) // JSON may be indented with tabs, YAML may not
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		of := &Error{Err: fmt.Errorf("not valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))}
		if m := place.FindStringSubmatch(err.Error()); m != nil {
			of.Line, _ = strconv.Atoi(m[1])
			of.Column = 1
			of.Err = fmt.Errorf("not valid YAML: %s", err.Error()[strings.Index(err.Error(), m[0])+len(m[0]):])
		}
		return nil, of
	}
	if len(doc.Content) != 1 {
		return nil, &Error{Err: fmt.Errorf("the text is empty: a network has layers or vertices")}
	}
	return doc.Content[0], check(doc.Content[0], 0)
}

// check refuses anchors, tags, names that are not text, duplicate names, and deep nesting.
func check(n *yaml.Node, depth int) error {
	switch {
	case depth > maxDepth:
		return errorAt(n, "nested deeper than %d levels", maxDepth)
	case n.Anchor != "" || n.Kind == yaml.AliasNode:
		return errorAt(n, "anchors and aliases are not read; write the value again")
	case n.Style&yaml.TaggedStyle != 0:
		return errorAt(n, "tags such as %.40q are not read; write {name: {settings}}", n.Tag)
	}
	if n.Kind == yaml.MappingNode {
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			if k.Kind != yaml.ScalarNode || k.Anchor != "" {
				return errorAt(k, "a name should be here")
			}
			if seen[k.Value] {
				return errorAt(k, "%.60q stands here twice; leave one out", k.Value)
			}
			seen[k.Value] = true
		}
	}
	for _, c := range n.Content {
		if err := check(c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// isNull reports whether a value is left empty.
func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// number converts a scalar that is a number.
func number(n *yaml.Node) (dl4j.Number, bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" && n.ShortTag() != "!!float" {
		return "", false
	}
	if v, err := dl4j.Parse(n.Value); err == nil {
		num, ok := v.(dl4j.Number)
		return num, ok
	}
	x, err := strconv.ParseFloat(n.Value, 64) // +1, .5, 1_000
	if err != nil {
		return "", false
	}
	return dl4j.Number(strconv.FormatFloat(x, 'g', -1, 64)), true
}

// describe describes a value for an error.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "{…}"
	case yaml.SequenceNode:
		return "[…]"
	}
	if isNull(n) {
		return "nothing"
	}
	return fmt.Sprintf("%.60q", n.Value)
}

// plain converts a value unchanged, for members that have their own format.
func plain(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		o := dl4j.Object{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			o = append(o, dl4j.Member{Name: n.Content[i].Value, Value: plain(n.Content[i+1])})
		}
		return o
	case yaml.SequenceNode:
		a := []any{}
		for _, c := range n.Content {
			a = append(a, plain(c))
		}
		return a
	}
	if isNull(n) {
		return nil
	}
	if n.ShortTag() == "!!bool" {
		return strings.EqualFold(n.Value, "true")
	}
	if x, ok := number(n); ok {
		return x
	}
	return n.Value
}
