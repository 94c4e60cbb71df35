package dl4j

import (
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// FormatYAML returns a tree as text in the style of Deeplearning4j's YAML mapper: strings in double quotes, two spaces
// of indentation, a list's dashes under its name, doubles in Java's notation, a newline at the end. If an object has a
// table of classes, its class is a tag, as in "layer: !<org.deeplearning4j.nn.conf.layers.DenseLayer>".
func FormatYAML(tree any) ([]byte, error) {
	b := []byte("---")
	b, err := appendYAML(b, tree, "")
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}

// appendYAML writes a value after "name:", "-" or "---", including the space or line break before it.
func appendYAML(b []byte, tree any, indent string) ([]byte, error) {
	var err error
	switch v := tree.(type) {
	case Object:
		tagged := len(v) > 0 && isClass(v[0])
		if tagged {
			b = append(append(append(b, " !<"...), v[0].Value.(string)...), '>')
			v = v[1:]
		}
		if len(v) == 0 {
			return append(b, " {}"...), nil
		}
		for i, m := range v {
			if i == 0 && !tagged && indent != "" && b[len(b)-1] == '-' { // the first member is on the line of its dash
				b = append(b, ' ')
			} else {
				b = append(append(b, '\n'), indent...)
			}
			b = append(append(b, yamlKey(m.Name)...), ':')
			if b, err = appendYAML(b, m.Value, indent+"  "); err != nil {
				return nil, err
			}
		}
		return b, nil
	case []any:
		if len(v) == 0 {
			return append(b, " []"...), nil
		}
		dashes := strings.TrimSuffix(indent, "  ")
		for i, e := range v {
			if i == 0 && b[len(b)-1] == '-' { // the first element of a nested list is on the line of its dash
				b = append(b, " -"...)
			} else {
				b = append(append(append(b, '\n'), dashes...), '-')
			}
			within := dashes + "  "
			if _, list := e.([]any); list {
				within += "  "
			}
			if b, err = appendYAML(b, e, within); err != nil {
				return nil, err
			}
		}
		return b, nil
	case []int64:
		return appendYAML(b, list(v), indent)
	case []float64:
		return appendYAML(b, list(v), indent)
	case Deferred:
		if tree, err = v(); err != nil {
			return nil, err
		}
		return appendYAML(b, tree, indent)
	case Number:
		return append(append(b, ' '), v...), nil
	case float64:
		return append(append(b, ' '), yamlFloat(v, 64)...), nil
	case float32:
		return append(append(b, ' '), yamlFloat(float64(v), 32)...), nil
	}
	p := printer{b: append(b, ' ')}
	err = p.tree(tree, 0)
	return p.b, err
}

func list[T any](of []T) []any {
	out := make([]any, len(of))
	for i, x := range of {
		out[i] = x
	}
	return out
}

// isClass reports whether a member is an object's class, which is a tag in YAML.
func isClass(m Member) bool {
	name, ok := m.Value.(string)
	return ok && name != "" && !strings.ContainsAny(name, "<> \n") && m.Name == classKey(name)
}

// classKey returns the member that has a class name in JSON: the key of the class's table, or the default.
func classKey(name string) string {
	tablesMu.RLock()
	defer tablesMu.RUnlock()
	for _, t := range tables {
		if t.key != defaultKey && t.find(name) != nil {
			return t.key
		}
	}
	return defaultKey
}

// yamlFloat returns a double in Java's notation; NaN and the infinities are words without quotes.
func yamlFloat(x float64, bits int) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	return formatJava(x, bits)
}

// yamlKey quotes a name that would otherwise be read as another value.
func yamlKey(name string) string {
	for _, r := range name {
		if !(r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
		}
	}
	if name == "" || name[0] == '-' || strings.HasPrefix(name, "0x") || slices.Contains(yamlWords, strings.ToLower(name)) {
		return `"` + name + `"`
	}
	return name
}

// yamlWords mean something else without quotes.
var yamlWords = []string{"false", "n", "no", "null", "off", "on", "true", "y", "yes"}

// maxYAMLMarks is the maximum number of characters that can begin values in a YAML: enough for some thirteen hundred
// layers, whose nodes take about 40 MiB.
const maxYAMLMarks = 125_000

// ParseYAML reads a YAML document as a tree. Anchors and aliases, which Deeplearning4j does not write, are refused.
func ParseYAML(text string) (any, error) {
	marks := 0
	for _, c := range []byte(text) {
		if strings.IndexByte(",:\n-[{?", c) >= 0 {
			marks++
		}
	}
	if marks > maxYAMLMarks {
		return nil, formatErrorf(0, "a YAML with %d commas, colons, brackets, dashes and lines: there may be %d",
			marks, maxYAMLMarks)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, formatErrorf(0, "not valid YAML: %v", err)
	}
	if len(doc.Content) != 1 {
		return nil, formatErrorf(0, "not a YAML document: it is empty")
	}
	return yamlTree(doc.Content[0], 0)
}

func yamlTree(n *yaml.Node, depth int) (any, error) {
	if depth > maxDepth {
		return nil, formatErrorf(0, "the YAML at line %d is nested deeper than %d levels", n.Line, maxDepth)
	}
	if n.Style&yaml.TaggedStyle != 0 && n.Kind != yaml.MappingNode && !strings.HasPrefix(n.Tag, "!!") {
		return nil, formatErrorf(0, "the YAML at line %d has the class %.100q for a value that is not an object",
			n.Line, n.Tag)
	}
	switch n.Kind {
	case yaml.MappingNode:
		o := make(Object, 0, len(n.Content)/2+1)
		if n.Style&yaml.TaggedStyle != 0 && n.Tag != "!!map" {
			class := strings.TrimPrefix(n.Tag, "!")
			o = append(o, Member{classKey(class), class})
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := yamlTree(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			if _, twice := o.Get(n.Content[i].Value); twice {
				return nil, formatErrorf(0, "the YAML has %q twice, again at line %d", n.Content[i].Value, n.Content[i].Line)
			}
			o = append(o, Member{n.Content[i].Value, v})
		}
		return o, nil
	case yaml.SequenceNode:
		a := make([]any, 0, len(n.Content))
		for _, e := range n.Content {
			v, err := yamlTree(e, depth+1)
			if err != nil {
				return nil, err
			}
			a = append(a, v)
		}
		return a, nil
	case yaml.ScalarNode:
		switch n.ShortTag() {
		case "!!null":
			return nil, nil
		case "!!bool":
			return strings.EqualFold(n.Value, "true"), nil
		case "!!int", "!!float":
			if v, err := Parse(n.Value); err == nil {
				return v, nil
			}
		}
		return n.Value, nil
	}
	return nil, formatErrorf(0, "the YAML at line %d has an anchor or an alias, which is not read", n.Line)
}
