package parquet

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/pipeline"
)

// Column is a column of a table: a field at the top of a file's schema.
type Column struct {
	Name string
	// Type is the type of the values that are read. It is empty where they can't be: Problem says why.
	Type    pipeline.ColumnType
	Problem string

	form   form
	leaves []leaf
}

// form is how the leaves make the values of a column.
type form uint8

const (
	scalar form = iota
	list        // or lists of lists, of one leaf
	vector      // Spark ML's VectorUDT: the type, the size, the indices and the values
)

// leaf is a field that has values.
type leaf struct {
	element
	chunk          int   // of a row group
	maxDef, maxRep uint8 // the highest levels
	present        []uint8
	// present are the definition levels from which on the lists around the value have an element, from the outermost.
}

const maxLevel = 64 // of nesting, so that levels fit in a byte

// node is a field of the schema with those in it.
type node struct {
	element
	fields []*node
	chunk  int // of a leaf
}

// tree puts the list of elements together.
func tree(list []element) (root *node, leaves int, err error) {
	at := 0
	var read func(depth int) (*node, error)
	read = func(depth int) (*node, error) {
		if at == len(list) || depth > maxLevel {
			return nil, fmt.Errorf("its schema is damaged: field %d is missing, or lies too deep", at)
		}
		n := &node{element: list[at]}
		at++
		if n.children < 0 || n.children > len(list)-at || n.children > 0 && n.physical >= 0 ||
			n.physical >= len(physicalNames) || n.repetition < 0 || n.repetition > fieldRepeated {
			return nil, fmt.Errorf("its schema is damaged at field %q", n.name)
		}
		if n.physical >= 0 {
			if n.physical == physicalFixed && (n.length < 1 || n.length > 1<<20) {
				return nil, fmt.Errorf("its schema is damaged: field %q has values of %d bytes", n.name, n.length)
			}
			n.chunk = leaves
			leaves++
		}
		for range n.children {
			child, err := read(depth + 1)
			if err != nil {
				return nil, err
			}
			n.fields = append(n.fields, child)
		}
		return n, nil
	}
	root, err = read(0)
	if err == nil && (at < len(list) || root.physical >= 0) {
		err = fmt.Errorf("its schema is damaged: %d fields belong to none", len(list)-at)
	}
	return root, leaves, err
}

// columnOf says how a field at the top is read.
func columnOf(n *node) Column {
	c := Column{Name: n.name}
	if n.physical >= 0 && n.repetition != fieldRepeated {
		c.leaves = []leaf{leafOf([]*node{n})}
		c.Type, c.Problem = scalarType(n.element)
		return c
	}
	if isVector(n) {
		c.form, c.Type = vector, pipeline.ArrayType
		for _, f := range n.fields {
			c.leaves = append(c.leaves, leafOf(append([]*node{n}, listPath(f)...)))
		}
		return c
	}
	path := listPath(n)
	switch {
	case n.logical.kind == logicalMap:
		c.Problem = "is a map"
	case path == nil && (n.logical.kind == logicalList || n.repetition == fieldRepeated):
		c.Problem = "is a list of structs"
	case path == nil:
		c.Problem = "is a struct"
	default:
		l := leafOf(path)
		t, _ := scalarType(l.element)
		if numbers := []pipeline.ColumnType{pipeline.DoubleType, pipeline.FloatType, pipeline.IntegerType, pipeline.LongType,
			pipeline.BooleanType}; !slices.Contains(numbers, t) {
			c.Problem = "is a list of values that are not numbers"
			break
		}
		c.form, c.Type, c.leaves = list, pipeline.ArrayType, []leaf{l}
	}
	return c
}

// listPath gives the nodes from a list to its elements, or from a list of lists; nil if n has structs.
func listPath(n *node) []*node {
	if n.physical >= 0 {
		return []*node{n}
	}
	if len(n.fields) != 1 || n.fields[0].repetition != fieldRepeated {
		return nil
	}
	entry := n.fields[0]
	switch {
	case entry.physical >= 0:
		return []*node{n, entry}
	case len(entry.fields) != 1 || entry.name == "array" || entry.name == n.name+"_tuple": // a struct of older writers
		return nil
	}
	rest := listPath(entry.fields[0])
	if rest == nil {
		return nil
	}
	return append([]*node{n, entry}, rest...)
}

// leafOf gives the leaf at the end of a path.
func leafOf(path []*node) leaf {
	last := path[len(path)-1]
	l := leaf{element: last.element, chunk: last.chunk}
	for _, n := range path {
		switch n.repetition {
		case fieldOptional:
			l.maxDef++
		case fieldRepeated:
			l.maxDef++
			l.maxRep++
			l.present = append(l.present, l.maxDef)
		}
	}
	return l
}

// isVector recognises Spark ML's VectorUDT.
func isVector(n *node) bool {
	if n.repetition == fieldRepeated || len(n.fields) != 4 {
		return false
	}
	for i, want := range []struct {
		name     string
		physical int
		nodes    int
	}{{"type", physicalInt32, 1}, {"size", physicalInt32, 1}, {"indices", physicalInt32, 3}, {"values", physicalDouble,
		3}} {
		f := n.fields[i]
		path := listPath(f)
		if f.name != want.name || len(path) == 0 || len(path) > want.nodes || path[len(path)-1].physical != want.physical {
			return false
		}
		if l := leafOf(path); want.nodes == 1 && l.maxRep > 0 || want.nodes > 1 && l.maxRep != 1 {
			return false
		}
	}
	return true
}

// scalarType is the type of the values of a leaf, or what is wrong with them.
func scalarType(e element) (t pipeline.ColumnType, problem string) {
	switch l := e.logical; e.physical {
	case physicalBoolean:
		return pipeline.BooleanType, ""
	case physicalInt32, physicalInt64:
		switch {
		case l.kind == logicalDate || l.kind == logicalTimestamp:
			return pipeline.TimeType, ""
		case l.kind == logicalDecimal:
			return pipeline.DoubleType, ""
		case e.physical == physicalInt64 || l.unsigned && l.bits == 32:
			return pipeline.LongType, ""
		}
		return pipeline.IntegerType, ""
	case physicalInt96:
		return pipeline.TimeType, ""
	case physicalFloat:
		return pipeline.FloatType, ""
	case physicalDouble:
		return pipeline.DoubleType, ""
	case physicalBytes, physicalFixed:
		return bytesType(e)
	}
	return "", fmt.Sprintf("has values of the unknown type %d", e.physical)
}

func bytesType(e element) (t pipeline.ColumnType, problem string) {
	switch l := e.logical; {
	case l.kind == logicalDecimal && (e.physical == physicalBytes || e.length <= maxDecimal):
		return pipeline.DoubleType, ""
	case l.kind == logicalFloat16 && e.length == 2:
		return pipeline.FloatType, ""
	case l.kind == logicalString, l.kind == logicalEnum, l.kind == logicalJSON, l.kind == logicalUUID && e.length == 16:
		return pipeline.StringType, ""
	case l.kind == logicalInterval:
		return "", "has intervals, which no type of column has"
	}
	return pipeline.BytesType, ""
}

// maxDecimal bounds the bytes of a decimal: Spark's has 16, and Arrow's 32.
const maxDecimal = 32

// Rank is the number of dimensions of a column of arrays.
func (c Column) Rank() int {
	switch c.form {
	case vector:
		return 1
	case list:
		return int(c.leaves[0].maxRep)
	}
	return 0
}
