package shortnet

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/dl4go/dl4go/nn"
)

// TestSchemaIsCurrent: docs/network.schema.json is the output of dl4go schema network.
func TestSchemaIsCurrent(t *testing.T) {
	is, err := os.ReadFile("../../docs/network.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if want, err := Schema(); err != nil || string(is) != string(want) {
		t.Errorf("docs/network.schema.json is not current (%v): "+
			"go run ./cmd/dl4go schema network > docs/network.schema.json", err)
	}
}

// validator checks documents by the keywords that Schema uses.
type validator struct{ root map[string]any }

func (v validator) check(schema, doc any, at string) error {
	s, ok := schema.(map[string]any)
	if !ok {
		return nil // true
	}
	for keyword, of := range s {
		if err := v.keyword(s, keyword, of, doc, at); err != nil {
			return err
		}
	}
	return nil
}

func (v validator) keyword(s map[string]any, keyword string, of, doc any, at string) error {
	bad := func(format string, args ...any) error { return fmt.Errorf("%s: %s", at, fmt.Sprintf(format, args...)) }
	switch keyword {
	case "$schema", "$id", "$defs", "title", "description", "patternProperties", "additionalProperties":
	case "$ref":
		return v.check(v.root["$defs"].(map[string]any)[strings.TrimPrefix(of.(string), "#/$defs/")], doc, at)
	case "anyOf", "oneOf":
		var errs []string
		right := 0
		for _, one := range of.([]any) {
			if err := v.check(one, doc, at); err != nil {
				errs = append(errs, err.Error())
			} else {
				right++
			}
		}
		if right == 0 || keyword == "oneOf" && right > 1 {
			return bad("%s: %d fit (%s)", keyword, right, strings.Join(errs, "; "))
		}
	case "enum":
		for _, e := range of.([]any) {
			if reflect.DeepEqual(e, doc) {
				return nil
			}
		}
		return bad("%v is none of them", doc)
	case "type":
		types, ok := of.([]any)
		if !ok {
			types = []any{of}
		}
		for _, t := range types {
			if isType(t.(string), doc) {
				return nil
			}
		}
		return bad("%v is no %v", doc, of)
	case "minimum", "exclusiveMaximum":
		x, _ := doc.(float64)
		if keyword == "minimum" && x < of.(float64) || keyword != "minimum" && x >= of.(float64) {
			return bad("%g", x)
		}
	case "required":
		for _, name := range of.([]any) {
			if o, ok := doc.(map[string]any); ok && o[name.(string)] == nil {
				return bad("%v is missing", name)
			}
		}
	case "items", "minItems", "maxItems":
		return v.list(keyword, of, doc, at)
	case "properties", "minProperties", "maxProperties":
		return v.members(s, keyword, of, doc, at)
	default:
		return bad("the keyword %s", keyword)
	}
	return nil
}

func (v validator) list(keyword string, of, doc any, at string) error {
	list, ok := doc.([]any)
	if !ok {
		return nil
	}
	n, is := of.(float64)
	if is && (keyword == "minItems" && len(list) < int(n) || keyword == "maxItems" && len(list) > int(n)) {
		return fmt.Errorf("%s: %d elements", at, len(list))
	}
	for i, e := range list {
		if err := v.check(of, e, fmt.Sprintf("%s[%d]", at, i)); keyword == "items" && err != nil {
			return err
		}
	}
	return nil
}

func (v validator) members(s map[string]any, keyword string, of, doc any, at string) error {
	o, ok := doc.(map[string]any)
	if !ok {
		return nil
	}
	if n, is := of.(float64); is {
		if keyword == "minProperties" && len(o) < int(n) || keyword == "maxProperties" && len(o) > int(n) {
			return fmt.Errorf("%s: %d members", at, len(o))
		}
		return nil
	}
	properties := of.(map[string]any)
	for name, value := range o {
		schema, known := properties[name]
		if patterns, ok := s["patternProperties"].(map[string]any); ok && !known {
			for p, of := range patterns {
				if regexp.MustCompile(p).MatchString(name) {
					schema, known = of, true
				}
			}
		}
		if rest, ok := s["additionalProperties"]; ok && !known {
			if rest == false {
				return fmt.Errorf("%s: unknown %s", at, name)
			}
			schema = rest
		}
		if err := v.check(schema, value, at+"."+name); err != nil {
			return err
		}
	}
	return nil
}

func isType(t string, doc any) bool {
	switch x := doc.(type) {
	case nil:
		return t == "null"
	case bool:
		return t == "boolean"
	case string:
		return t == "string"
	case float64:
		return t == "number" || t == "integer" && x == float64(int64(x))
	case []any:
		return t == "array"
	}
	return t == "object"
}

// generic converts YAML to a validator's values.
func generic(t *testing.T, text string) any {
	t.Helper()
	var doc, out any
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(doc)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSchema: the schema accepts Format's output and the examples of the docs, and refuses mistakes.
func TestSchema(t *testing.T) {
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	var v validator
	if err := json.Unmarshal(text, &v.root); err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile("../../docs/networks.md")
	if err != nil {
		t.Fatal(err)
	}
	var examples []string
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(docs, -1) {
		e := string(m[1])
		if strings.HasPrefix(e, "  - ") {
			e = "layers:\n" + e
		}
		examples = append(examples, e)
	}
	files, err := filepath.Glob("../../testdata/oracle/nets/*/conf.json")
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		if i%3 != 0 { // each takes a hundredth of a second
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n, err := nn.Replica(text)
		if err != nil {
			t.Fatal(err)
		}
		if text, err = n.Configuration(); err != nil {
			t.Fatal(err)
		}
		n.Close()
		short, err := Format(text)
		if err != nil {
			t.Fatal(err)
		}
		examples = append(examples, string(short))
	}
	for _, e := range examples {
		if err := v.check(v.root, generic(t, e), ""); err != nil {
			t.Errorf("%v\n%s", err, e)
		}
	}
	for _, e := range []string{"layers:\n- dens: {units: 3}", "layers:\n- dense: {unts: 3}",
		"layers:\n- dense: {units: many}",
		"layers: []", "seed: 1", "layers: [output]\nvertices: {a: output}", "layers:\n- dropout: 2",
		"layers:\n- convolution: {kernel: [1, 2, 3]}",
		"input: {feature: 3}\nlayers: [output]", "layers:\n- dense: {activation: rellu}",
		"layers:\n- subsampling: {mode: sam}",
		"updater: {adam: {rate: 1}}\nlayers: [output]"} {
		if err := v.check(v.root, generic(t, e), ""); err == nil {
			t.Errorf("taken: %s", e)
		}
	}
}
