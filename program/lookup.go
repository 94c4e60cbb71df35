package program

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// Lookup takes columns of a table by their numbers: w [n, m], index [rows] → [rows, n]. Row r is column index[r] of w;
// the index's fraction is cut off. An index that is not a column of w results in a row of NaN. No gradient flows to
// index. (Deeplearning4j's embeddings keep their vectors as columns of the flat vector's C order.)
type Lookup struct{}

// Name is "lookup".
func (Lookup) Name() string { return "lookup" }

// Infer returns [rows, n].
func (Lookup) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 2 || len(in[0]) != 2 || len(in[1]) != 1 {
		return nil, fmt.Errorf("takes a table [n, m] and indices [rows]")
	}
	return []tensor.Shape{{in[1][0], in[0][0]}}, nil
}

// Grad is LookupGrad of the table.
func (Lookup) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	return []*Value{b.Apply(LookupGrad{Columns: n.In[0].Shape[1]}, dout[0], n.In[1]), nil}
}

// LookupGrad sums rows by their numbers: dy [rows, n], index [rows] → [n, Columns]. Column c of the result is the sum
// of the rows r with index[r] = c, in ascending order of r. Rows whose index is not a column are ignored.
type LookupGrad struct{ Columns int }

// Name is "lookup-grad".
func (LookupGrad) Name() string { return "lookup-grad" }

// Infer returns [n, Columns].
func (o LookupGrad) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 2 || len(in[0]) != 2 || len(in[1]) != 1 || in[0][0] != in[1][0] || o.Columns < 0 {
		return nil, fmt.Errorf("takes rows [rows, n] and indices [rows]")
	}
	return []tensor.Shape{{in[0][1], o.Columns}}, nil
}

// Grad is a Lookup.
func (LookupGrad) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	return []*Value{b.Apply(Lookup{}, dout[0], n.In[1]), nil}
}

// SetColumns replaces columns of a table by their numbers: w [n, m], index [rows], y [rows, n] → [n, m]. Column
// index[r] becomes row r of y. Rows whose index is not a column are ignored. Rows with the same index must be equal.
//
// Stored into the range that w views, it writes the columns alone: this is how a step updates the rows of an embedding
// that its minibatch uses.
type SetColumns struct{}

// Name is "set-columns".
func (SetColumns) Name() string { return "set-columns" }

// Infer returns [n, m].
func (SetColumns) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 3 || len(in[0]) != 2 || len(in[1]) != 1 || !in[2].Equal(tensor.Shape{in[1][0], in[0][0]}) {
		return nil, fmt.Errorf("takes a table [n, m], indices [rows] and rows [rows, n]")
	}
	return []tensor.Shape{in[0]}, nil
}

// Grad gives the table no gradient in the replaced columns. The gradient of y is a Lookup, if no two indices are
// equal and all are columns.
func (o SetColumns) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	index, y := n.In[1], n.In[2]
	return []*Value{b.Apply(o, dout[0], index, b.Fill(0, y.Shape...)), nil, b.Apply(Lookup{}, dout[0], index)}
}

// Column returns the column of a [Lookup] for an index, whose fraction it cuts off. It returns false if there is no
// such column.
func Column[T float32 | float64](index T, columns int) (int, bool) {
	if !(index > -1 && index < T(columns)) {
		return 0, false
	}
	c := int(index)
	return c, c < columns
}
