// Package program represents networks as lists of tensor operations with fixed shapes, and has the gradient rule of
// each operation. A layer emits its forward formula with a [Builder]. [Builder.Gradients] emits the backward half. An
// [Executor] compiles and runs the result: networks have one of the processor, or of a device.
//
// A program reads named inputs and ranges of flat vectors (parameters, updater state). It returns named outputs, and
// stores into ranges of flat vectors (gradient, update). It is immutable once built, and safe for concurrent use.
package program

import (
	"fmt"
	"io"
	"strings"

	"github.com/dl4go/dl4go/tensor"
)

// Vector names one of the flat vectors that a program reads from and stores into.
type Vector int

const (
	// Params is the network's parameter vector, in Deeplearning4j's order.
	Params Vector = iota
	// Gradient has the layout of Params.
	Gradient
	// State is the updater state, in updater blocks.
	State
	// Update is the vector that a step subtracts from Params.
	Update
	// Residual is the part of the updates that gradient sharing has not sent yet. It has the layout of Params.
	Residual
	// Held are parameters that gradient sharing goes back to after a minibatch of several steps.
	Held
	// NumVectors is the number of vectors.
	NumVectors
)

var vectorNames = [...]string{Params: "params", Gradient: "gradient", State: "state", Update: "update",
	Residual: "residual", Held: "held"}

func (v Vector) String() string { return vectorNames[v] }

// Kind is the origin of a value.
type Kind int

const (
	// FromNode is a result of an operation.
	FromNode Kind = iota
	// FromInput is an input, which the caller binds for each run.
	FromInput
	// FromVector is a range of a flat vector, with its content before the run.
	FromVector
	// FromConst is a constant.
	FromConst
)

// Value is a tensor of a program. Its elements are in C order.
type Value struct {
	ID    int // its index in Program.Values
	Shape tensor.Shape
	Kind  Kind

	Node  *Node // FromNode: the operation and
	Index int   // which of its results

	Name string // FromInput

	Vector Vector // FromVector: the range
	Offset int    // starts here and holds Shape.Size() elements

	Const []float64 // FromConst: one element, or Shape.Size() of them
}

// Node is one application of an operation.
type Node struct {
	ID  int // its index in Program.Nodes
	Op  Op
	In  []*Value
	Out []*Value
	Scope
}

// Op is an operation: its attributes (exported fields), its shape rule and its reverse-mode rule. Executors need
// nothing but the attributes and the shapes.
type Op interface {
	// Name returns the operation's name in lower case, such as "matmul". Executors find their implementation by it.
	Name() string
	// Infer returns the results' shapes, or an error that names the operand that does not fit.
	Infer(in []tensor.Shape) ([]tensor.Shape, error)
	// Grad emits the gradient of each input of n, given the gradients dout of the results; nil means that none flows. A
	// nil in the result means that no gradient flows to that input.
	Grad(b *Builder, n *Node, dout []*Value) []*Value
}

// Named is a value that a run returns.
type Named struct {
	Name  string
	Value *Value
}

// Store writes a value into a range of a vector when the run ends. Reads of the vector during the run see the old
// content. Executors write early if nobody can observe it.
type Store struct {
	Vector Vector
	Offset int
	Value  *Value
}

// Program is a list of operations, in an order in which they can run.
type Program struct {
	Values  []*Value
	Nodes   []*Node
	Inputs  []*Value // in the order of declaration
	Outputs []Named
	Stores  []Store
	// Lengths has the least length of each vector that a run must bind; 0 for unused ones.
	Lengths [NumVectors]int
}

// Input returns the index of the input of that name, or -1.
func (p *Program) Input(name string) int {
	for i, v := range p.Inputs {
		if v.Name == name {
			return i
		}
	}
	return -1
}

// Output returns the index of the output of that name, or -1.
func (p *Program) Output(name string) int {
	for i, o := range p.Outputs {
		if o.Name == name {
			return i
		}
	}
	return -1
}

// Dump writes the program as text, one operation per line.
func (p *Program) Dump(w io.Writer) error {
	var b strings.Builder
	for _, v := range p.Inputs {
		fmt.Fprintf(&b, "%v = input %q %v\n", v, v.Name, v.Shape)
	}
	for _, n := range p.Nodes {
		b.WriteString(n.String())
		b.WriteByte('\n')
	}
	for _, s := range p.Stores {
		fmt.Fprintf(&b, "%v[%d:%d] = %v\n", s.Vector, s.Offset, s.Offset+s.Value.Shape.Size(), s.Value)
	}
	for _, o := range p.Outputs {
		fmt.Fprintf(&b, "output %q = %v %v\n", o.Name, o.Value, o.Value.Shape)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// String returns the operation with its operands, results and attributes.
func (n *Node) String() string {
	var b strings.Builder
	for i, v := range n.Out {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(v.String())
	}
	b.WriteString(" = " + n.Op.Name())
	if s := strings.TrimSpace(fmt.Sprintf("%+v", n.Op)); s != "{}" {
		b.WriteString(s)
	}
	b.WriteByte('(')
	for i, v := range n.In {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(v.String())
	}
	b.WriteByte(')')
	for _, v := range n.Out {
		b.WriteString(" " + v.Shape.String())
	}
	return b.String()
}

// String returns the value's name in Dump.
func (v *Value) String() string {
	switch v.Kind {
	case FromVector:
		return fmt.Sprintf("%v[%d:%d]", v.Vector, v.Offset, v.Offset+v.Shape.Size())
	case FromConst:
		if len(v.Const) == 1 {
			return fmt.Sprintf("%g", v.Const[0])
		}
		return fmt.Sprintf("const%d", v.ID)
	}
	return fmt.Sprintf("%%%d", v.ID)
}
