package shortnet

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
)

type node = map[string]any

// schemaID names the schema.
const schemaID = "https://github.com/dl4go/dl4go/docs/network.schema.json"

// Schema returns the JSON Schema (2020-12) of networks in the short form, for editors. It contains the classes
// registered in this program, by the names that Format writes, additional short names, and the names of
// Deeplearning4j's JSON.
func Schema() ([]byte, error) {
	s := &schemer{defs: node{}}
	properties := s.members(wholeSettings())
	layers := s.entries(layerType)
	properties[layersKey] = node{"type": "array", "minItems": 1, "items": layers}
	properties[verticesKey] = node{"type": "object", "minProperties": 1, "additionalProperties": s.entries(vertexType)}
	names := orList(node{"type": "string"})
	s.defs["input"] = inputSchema()
	input := node{"anyOf": []any{ref("input"), node{"type": "null"}}}
	properties[inputKey] = input
	properties[inputsKey] = anyOf(names, node{"type": "object", "additionalProperties": input})
	properties[outputsKey] = names
	properties[taskKey] = node{"enum": []nn.Task{nn.Classification, nn.MultiLabel, nn.Regression}}
	properties[configurationKey] = node{"type": "object", "description": "members of Deeplearning4j's configuration"}
	top, err := json.Marshal(node{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": schemaID,
		"title": "A network of dl4go", "description": "docs/networks.md explains it",
		"type": "object", "properties": properties, "additionalProperties": false,
		"oneOf": []any{node{"required": []string{layersKey}}, node{"required": []string{verticesKey}}},
	})
	if err != nil {
		return nil, err
	}
	b := append(bytes.TrimSuffix(top, []byte("}")), ",\n\"$defs\": {"...)
	for i, name := range slices.Sorted(maps.Keys(s.defs)) { // one line each
		def, err := json.Marshal(s.defs[name])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, "\n"+strconv.Quote(name)+": "...), def...)
	}
	return append(b, "\n}}\n"...), nil
}

// schemer collects the definitions of a schema.
type schemer struct{ defs node }

func ref(name string) node { return node{"$ref": "#/$defs/" + name} }

func anyOf(of ...any) node { return node{"anyOf": of} }

// orList is a value, or a list of such values.
func orList(of any) node { return anyOf(of, node{"type": "array", "items": of}) }

// members returns the settings of a class by all their names, with the short forms of regularization.
func (s *schemer) members(list []setting) node {
	properties, regularized := node{}, false
	for _, x := range list {
		of := s.of(x.t)
		for _, name := range append([]string{x.short, x.json}, x.also...) {
			properties[name] = of
		}
		if x.json == "regularization" {
			regularized = true
		}
	}
	if regularized {
		for name, x := range shrinks {
			if _, has := called(list, x[0]); has {
				properties[name] = s.of(scheduleType)
			}
		}
	}
	return properties
}

// of returns the schema of a type.
func (s *schemer) of(t reflect.Type) any {
	if t == nil {
		return true
	}
	if _, ok := dl4j.TableOf(t); ok {
		return s.class(t)
	}
	switch {
	case t.Kind() == reflect.Pointer:
		return anyOf(s.of(t.Elem()), node{"type": "null"})
	case t == reflect.TypeFor[layer.Not]():
		return node{"type": "boolean"}
	case reflect.PointerTo(t).Implements(reflect.TypeFor[dl4j.TreeUnmarshaler]()):
		return true
	}
	switch t.Kind() {
	case reflect.Bool:
		return node{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return node{"type": "integer"}
	case reflect.Float64, reflect.Float32:
		s.defs["number"] = anyOf(node{"type": "number"}, node{"enum": []string{"NaN", "Infinity", "-Infinity"}})
		return ref("number")
	case reflect.String:
		if words[t] == nil {
			return node{"type": []string{"string", "null"}}
		}
		s.defs[t.Name()] = wordSchema(t)
		return ref(t.Name())
	case reflect.Slice:
		return anyOf(orList(s.of(t.Elem())), node{"type": "null"})
	case reflect.Array:
		of := s.of(t.Elem())
		return anyOf(of, node{"type": "array", "items": of, "minItems": t.Len(), "maxItems": t.Len()})
	case reflect.Struct:
		properties := s.members(settings(reflect.Zero(t)))
		return node{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false}
	}
	return true
}

// wordSchema returns the schema of an enumeration.
func wordSchema(t reflect.Type) any {
	var names []any
	for _, w := range words[t] {
		names = append(names, w)
		if l := strings.ToLower(w); l != w {
			names = append(names, l)
		}
	}
	return node{"enum": append(names, "", nil)}
}

// class defines the values of an interface once, and returns a reference to them.
func (s *schemer) class(t reflect.Type) any {
	table, _ := dl4j.TableOf(t)
	name := strings.ReplaceAll(table.Kind(), " ", "-")
	if _, done := s.defs[name]; done {
		return ref(name)
	}
	s.defs[name] = true // for recursive definitions
	properties, names := s.named(t, name)
	for n := range constants(t) {
		names = append(names, strings.ToLower(n))
	}
	slices.Sort(names)
	of := []any{node{"enum": slices.Compact(names)}, node{"type": "null"}, node{"type": "object", "minProperties": 1,
		"maxProperties": 1, "properties": properties, "patternProperties": fullNames, "additionalProperties": false}}
	switch t {
	case dropoutType:
		of = append(of, node{"type": "number", "minimum": 0, "exclusiveMaximum": 1, "description": "the probability to drop"})
	case scheduleType:
		of = append(of, node{"type": "number"})
	}
	s.defs[name] = anyOf(of...)
	return ref(name)
}

// fullNames matches names of classes with their packages.
var fullNames = node{`\.`: node{"type": "object"}}

// named defines each class of an interface, and returns the definitions by all names.
func (s *schemer) named(t reflect.Type, kind string) (properties node, names []string) {
	properties = node{}
	for _, c := range classes(t) {
		def := kind + "." + c.short
		members := s.members(c.list)
		of := []any{node{"type": []string{"object", "null"}, "properties": members, "additionalProperties": false}}
		if sole, ok := c.sole(c.list); ok {
			of = append(of, s.of(sole.t))
		}
		s.defs[def] = anyOf(of...)
		for _, n := range append([]string{c.short, c.class[lastDot(c.class)+1:]}, aliases[c.short]...) {
			if _, taken := properties[n]; !taken {
				properties[n] = ref(def)
				names = append(names, n)
			}
		}
		if last := lower(c.class[lastDot(c.class)+1:]); properties[last] == nil {
			properties[last] = ref(def)
			names = append(names, last)
		}
	}
	return properties, names
}

// entries returns the schema of the elements of layers, or of the vertices.
func (s *schemer) entries(t reflect.Type) any {
	s.class(layerType)
	properties, names := s.named(layerType, "layer")
	if t == vertexType {
		s.class(vertexType)
		more, also := s.named(vertexType, "vertex")
		for n, of := range more {
			if properties[n] == nil {
				properties[n] = of
			}
		}
		names = append(names, also...)
		properties[inputsKey] = orList(node{"type": "string"})
	}
	properties[configurationKey] = node{"type": "object"}
	properties[preprocessorKey] = s.class(preprocessorType)
	slices.Sort(names)
	return anyOf(node{"enum": slices.Compact(names)}, node{"type": "object", "minProperties": 1, "properties": properties,
		"patternProperties": fullNames, "additionalProperties": false})
}

func inputSchema() any {
	size := node{"type": "integer", "minimum": 1}
	some := func(n int) any { return node{"type": "array", "items": size, "minItems": n, "maxItems": n} }
	truth := node{"type": "boolean"}
	return node{"type": "object", "additionalProperties": false, "minProperties": 1, "properties": node{
		featuresKey: size, imageKey: some(3), volumeKey: some(4), "flat": truth, "channelsLast": truth,
		sequenceKey: anyOf(size, node{"type": "object", "additionalProperties": false, "required": []string{featuresKey},
			"properties": node{featuresKey: size, "steps": size, "format": node{"enum": []string{"NCW", "NWC"}}}}),
	}}
}
