package spark

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// Spark encodes a query's row as bytes with its built-in functions. SQL has no function for the bits of a float. But
// hash(x), which determines the layout of Spark's bucketed tables and so can't change, is Murmur3. It maps the bits of
// one float to an int, one to one: a worker inverts it (see unmurmur). That costs a fraction of the text of a float, to
// write and to read, and a third of the bytes. So a row is
//
//	head     whole numbers in decimal, separated by blanks, and a line feed: each part's head
//	bodies   of the parts, one after the other
//
// A part is a cell's share of one text column, of one array, or of several columns of single numbers:
//
//	text     head: the length in bytes, or -1 for NULL          body: the text
//	array    head: see sizes; how many numbers, or -1 where there are NULL arrays; how many of them are NULL
//	                                                             body: 4 bytes for each number
//	singles  head: their number, or -n: the n-th one is NULL     body: 4 bytes for each number
type part struct {
	Cell    int // the part's cell
	Columns []string
	Text    bool `json:",omitempty"`
	Rank    int  `json:",omitempty"` // of arrays
}

// parts splits a query's cells into parts.
func parts(q engine.Query) []part {
	var all []part
	for i, pick := range q.Pick {
		first := len(all)
		for _, c := range pick.Columns {
			rank := c.Rank()
			if last := len(all) - 1; !pick.Text && rank == 0 && last >= first && all[last].Rank == 0 {
				all[last].Columns = append(all[last].Columns, c.Name)
				continue
			}
			p := part{Cell: i, Columns: []string{c.Name}, Text: pick.Text}
			if !p.Text {
				p.Rank = rank
			}
			all = append(all, p)
		}
	}
	return all
}

// packing makes the column row from the view of the user's query, and for an ordered query the column nth.
func packing(view string, q engine.Query) connect.Relation {
	types := make(map[string]engine.Column)
	for _, pick := range q.Pick {
		for _, c := range pick.Columns {
			types[c.Name] = c
		}
	}
	var first, second, bodies []connect.Expr // three projections; each uses the one before
	var heads []string
	for i, p := range parts(q) {
		body, numbers := connect.Col(fmt.Sprint("body", i)), connect.Col(fmt.Sprint("numbers", i))
		c := types[p.Columns[0]]
		switch {
		case p.Text:
			first = append(first, connect.Text(plainText(c)).As(fmt.Sprint("body", i)))
			heads = append(heads, fmt.Sprintf("coalesce(octet_length(body%d), -1)", i))
			second = append(second, body)
			bodies = append(bodies, connect.Func("coalesce", body, connect.Lit([]byte{})))
		case p.Rank == 0:
			var bits []connect.Expr
			null := "CASE"
			for n, name := range p.Columns {
				null += fmt.Sprintf(" WHEN %s IS NULL THEN -%d", connect.Quote(name), n+1)
				bits = append(bits, connect.Text("hash("+float32Of(types[name], connect.Quote(name))+")").CastLegacy("binary"))
			}
			first = append(first, connect.Text(fmt.Sprintf("%s ELSE %d END", null, len(p.Columns))).As(fmt.Sprint("head", i)),
				connect.Func("concat", bits...).As(fmt.Sprint("body", i)))
			heads = append(heads, fmt.Sprint("head", i))
			second = append(second, connect.Col(fmt.Sprint("head", i)), body)
			bodies = append(bodies, body)
		default:
			first = append(first, flat(c).As(fmt.Sprint("numbers", i)))
			if p.Rank > 1 {
				first = append(first, connect.Text(sizes(c)).As(fmt.Sprint("head", i)))
				second = append(second, connect.Col(fmt.Sprint("head", i)))
				heads = append(heads, fmt.Sprint("head", i))
			}
			// The hash of NULL is the seed, 42, and so is that of one number.
			heads = append(heads, fmt.Sprintf("coalesce(size(numbers%d), -1)", i),
				fmt.Sprintf("coalesce(IF(array_contains(body%[1]d, 42), "+
					"size(numbers%[1]d) - size(filter(numbers%[1]d, x -> x IS NOT NULL)), 0), 0)", i))
			second = append(second, numbers, connect.Text(fmt.Sprintf("transform(numbers%d, x -> hash(x))",
				i)).As(fmt.Sprint("body", i)))
			bodies = append(bodies, connect.Func("concat_ws", connect.Lit(""),
				body.CastLegacy("array<binary>").CastLegacy("array<string>")).
				Cast("binary"))
		}
	}
	head := connect.Text("concat_ws(' ', " + strings.Join(heads, ", ") + ")")
	row := []connect.Expr{connect.Func("concat", append([]connect.Expr{
		connect.Func("concat", head, connect.Lit("\n")).Cast("binary")}, bodies...)...).As("row")}
	if q.Ordered {
		nth := connect.Col("nth")
		first, second, row = append(first, connect.Text("monotonically_increasing_id()").As("nth")), append(second, nth),
			append(row, nth)
	}
	return connect.Table(view).Select(first...).Select(second...).Select(row...)
}

// plainText is SQL for the text of a column's value, in bytes.
func plainText(c engine.Column) string {
	name := connect.Quote(c.Name)
	switch strings.ToLower(c.Type) {
	case "binary":
		return name
	case "timestamp":
		name = "unix_micros(" + name + ")"
	}
	return "binary(string(" + name + "))"
}

// float32Of is SQL that rounds numbers, or arrays of them, to float32.
func float32Of(c engine.Column, value string) string {
	as := func(elem string) string {
		return strings.Repeat("array<", c.Rank()) + elem + strings.Repeat(">", c.Rank())
	}
	if strings.Contains(strings.ToLower(c.Type), "decimal") {
		value = "CAST(" + value + " AS " + as("double") + ")"
	}
	return "CAST(" + value + " AS " + as("float") + ")"
}

// flat is an expression for all numbers of a column of arrays, in order, as an array<float>.
func flat(c engine.Column) connect.Expr {
	value := connect.Quote(c.Name)
	if strings.EqualFold(c.Type, "vector") {
		// It refuses NULL.
		return connect.Func("when", connect.Text(value+" IS NOT NULL"),
			connect.Func("vector_to_array", connect.Col(value), connect.Lit("float32")))
	}
	return connect.Text(strings.Repeat("flatten(", c.Rank()-1) + float32Of(c, value) + strings.Repeat(")", c.Rank()-1))
}

// sizes is SQL for the extents of a column of arrays of arrays: the number of the outermost array's elements, then, for
// each level below, the smallest and the largest number of elements, -1 for NULL.
func sizes(c engine.Column) string {
	level := connect.Quote(c.Name)
	all := []string{"coalesce(size(" + level + "), -1)"}
	for range c.Rank() - 1 {
		inner := "transform(" + level + ", x -> coalesce(size(x), -1))"
		all = append(all, "coalesce(array_min("+inner+"), 0)", "coalesce(array_max("+inner+"), 0)")
		level = "flatten(" + level + ")"
	}
	return "concat_ws(' ', " + strings.Join(all, ", ") + ")"
}
