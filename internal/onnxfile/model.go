// Package onnxfile reads and writes ONNX's model files: the messages of onnx.proto that inference needs, in
// protobuf's wire format.
//
// protowire reads the wire format, without generated code: a generated package would bring the reflection of all
// messages, and would copy every weight. A decoded tensor's data stays in the bytes of the file.
package onnxfile

// Model is a model file (onnx.proto: ModelProto).
type Model struct {
	IRVersion       int64
	Opsets          []Opset
	Producer        string
	ProducerVersion string
	Doc             string
	Graph           *Graph
	Metadata        []Property
}

// Opset is a version of the operators of a domain; "" is ONNX's own.
type Opset struct {
	Domain  string
	Version int64
}

// Property is an entry of a model's metadata.
type Property struct{ Key, Value string }

// Graph is a graph of nodes, in an order that can be run. Values are identified by name.
type Graph struct {
	Name         string
	Nodes        []*Node
	Initializers []*Tensor
	Inputs       []*Value
	Outputs      []*Value
}

// Node is one application of an operator.
type Node struct {
	Op, Domain, Name string
	// Inputs and Outputs are names of values; an empty name means that the operand is left out.
	Inputs, Outputs []string
	Attributes      []*Attribute
}

// Attribute is a named setting of a node. Type says which field holds the value.
type Attribute struct {
	Name   string
	Type   AttributeType
	Float  float32
	Int    int64
	String string
	Tensor *Tensor
	Graph  *Graph
	Floats []float32
	Ints   []int64
	Texts  []string
}

// AttributeType is the type of an attribute's value.
type AttributeType int32

// The types that are read. Others are kept as numbers.
const (
	FloatAttribute  AttributeType = 1
	IntAttribute    AttributeType = 2
	StringAttribute AttributeType = 3
	TensorAttribute AttributeType = 4
	GraphAttribute  AttributeType = 5
	FloatsAttribute AttributeType = 6
	IntsAttribute   AttributeType = 7
	TextsAttribute  AttributeType = 8
)

// Value describes an input or an output of a graph.
type Value struct {
	Name string
	Type DataType
	// Dims are the extents; nil if HasShape is false.
	Dims     []Dim
	HasShape bool
}

// Dim is an extent: a name if Name is not empty, or else a number. Size −1 is an unknown extent.
type Dim struct {
	Size int64
	Name string
}

// Attribute returns the attribute of that name, or nil.
func (n *Node) Attribute(name string) *Attribute {
	for _, a := range n.Attributes {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// Property returns the metadata under a key, or "" if there is none.
func (m *Model) Property(key string) string {
	for _, p := range m.Metadata {
		if p.Key == key {
			return p.Value
		}
	}
	return ""
}

// Opset returns the version of a domain's operators, or 0 if the model does not name the domain. "ai.onnx" is ONNX's
// own.
func (m *Model) Opset(domain string) int64 {
	for _, o := range m.Opsets {
		if o.Domain == domain || domain == "" && o.Domain == "ai.onnx" {
			return o.Version
		}
	}
	return 0
}
