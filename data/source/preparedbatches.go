package source

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/pipeline"
)

// batchReader reads raw rows in batches, if the data and the pipeline allow it.
type batchReader struct {
	to   *rowReader // receives the examples
	rows BatchRows
	run  *pipeline.BatchRun
	all  pipeline.Batch // as read
	in   pipeline.Batch // the pipeline's columns
	// of the rows of a batch
	made    *pipeline.Batch // the results
	keys    []string        // of the results
	weights []float32       // likewise
	outputs pipeline.Row
	known   []knownClass
	few     []int // class of each of a few values
	failed  error // error of a row after those that made examples

	threads int         // number of threads that may run the pipeline
	taken   int         // batches that this reader has read by itself
	ahead   *batchAhead // reads the later batches; nil before
}

// newBatchReader returns a reader of r's rows in batches, or nil if that is not possible.
func newBatchReader(r *rowReader) *batchReader {
	rows, ok := r.rows.(BatchRows)
	if !ok {
		return nil
	}
	run := r.b.plan.StartBatches()
	if run == nil {
		return nil
	}
	b := &batchReader{to: r, rows: rows, run: run}
	b.watch()
	return b
}

// next reads some rows. If a row fails, the rows before it make their examples first.
func (b *batchReader) next() error {
	if b.failed != nil {
		return b.failed
	}
	if b.helped() {
		return b.ahead.next(b)
	}
	err := b.rows.NextBatch(&b.all)
	if b.to.read += Passed(b.rows); err != nil {
		return b.to.bad.Allow(err)
	}
	if b.together(&b.all) {
		b.count(b, b.to.read-b.all.Rows(), b.rows.PlaceOf)
		return nil
	}
	return b.slowly(&b.all, b.rows.PlaceOf)
}

// slowly processes the rows of a batch one by one.
func (b *batchReader) slowly(all *pipeline.Batch, place func(row int) string) error {
	before := b.to.made
	if b.failed = b.oneByOne(all, place); b.to.made == before {
		return b.failed
	}
	return nil
}

// together makes the examples of all rows of the batch. If that is not possible, it returns false and makes none.
func (b *batchReader) together(all *pipeline.Batch) bool {
	r := b.to
	x, y := len(r.x), len(r.y)
	b.in.Select(all, r.columns, r.absent)
	out, err := b.run.Run(&b.in)
	if err != nil || !b.take(all, out) {
		return false
	}
	b.made = out
	if !b.features(out) || r.labelled && !b.labels(out) {
		r.x, r.y = r.x[:x], r.y[:y]
		return false
	}
	for i := range out.Rows() {
		from := out.From(i)
		r.from = append(r.from, r.read+from)
		if r.keys != nil {
			r.meta = append(r.meta, b.keys[i])
		}
		if r.weight >= 0 {
			r.weights = append(r.weights, b.weights[i])
		}
	}
	r.read += all.Rows()
	r.made += out.Rows()
	return true
}

// take reads the keys and the weights of the rows that make examples.
func (b *batchReader) take(all, out *pipeline.Batch) bool {
	r := b.to
	n := out.Rows()
	if r.keys != nil {
		b.keys = b.keys[:0]
		for i := range n {
			key, err := r.keyOf(func(column int) pipeline.Value { return all.Value(column, out.From(i)) })
			if err != nil {
				return false
			}
			b.keys = append(b.keys, key)
		}
	}
	if r.weight >= 0 {
		b.weights = b.weights[:0]
		for i := range n {
			w, err := weightOfValue(all.Value(r.weight, out.From(i)))
			if err != nil {
				return false
			}
			b.weights = append(b.weights, w)
		}
	}
	return true
}

// features appends the features of all rows.
func (b *batchReader) features(out *pipeline.Batch) bool {
	r := b.to
	n, at := out.Rows(), len(r.x)
	r.x = slices.Grow(r.x, n*r.b.width)[:at+n*r.b.width]
	if n == 0 {
		return true
	}
	columns := r.b.plan.Out().Columns
	for rest := r.b.features; len(rest) > 0; {
		if a, ok := columns[rest[0]].(pipeline.ArrayColumn); ok {
			width, _ := featureWidth(a)
			if !writeArrays(out, rest[0], a, r.x[at:], r.b.width) {
				return false
			}
			at, rest = at+width, rest[1:]
			continue
		}
		single := 1
		for single < len(rest) && columns[rest[single]].Type() != pipeline.ArrayType {
			single++
		}
		if !out.Float32s(rest[:single], r.x[at:], r.b.width) {
			return false
		}
		at, rest = at+single, rest[single:]
	}
	return true
}

// writeArrays writes the numbers of a column's arrays into rows of to that are stride numbers long.
func writeArrays(out *pipeline.Batch, column int, a pipeline.ArrayColumn, to []float32, stride int) bool {
	for row := range out.Rows() {
		v := out.Value(column, row)
		if !a.Valid(v) {
			return false
		}
		for k, x := range v.Array().Data {
			y := float32(x)
			if y-y != 0 {
				return false
			}
			to[row*stride+k] = y
		}
	}
	return true
}

// labels appends the labels of all rows.
func (b *batchReader) labels(out *pipeline.Batch) bool {
	r := b.to
	if single := r.b.Task == Classification && len(r.b.outputs) == 1; single {
		if texts, ok := out.Texts(r.b.outputs[0]); ok {
			return b.classes(texts)
		}
		if values, index, ok := out.Chosen(r.b.outputs[0]); ok {
			return b.chosenClasses(values, index)
		}
	}
	b.outputs = slices.Grow(b.outputs[:0], len(r.b.plan.Out().Columns))[:len(r.b.plan.Out().Columns)]
	for row := range out.Rows() {
		for _, i := range r.b.outputs {
			b.outputs[i] = out.Value(i, row)
		}
		if r.labels(b.outputs) != nil {
			return false
		}
	}
	return true
}

// classes appends the classes that are named by texts.
func (b *batchReader) classes(texts pipeline.Texts) bool {
	r := b.to
	width, at := len(r.b.Classes), len(r.y)
	r.y = slices.Grow(r.y, width*texts.Len())[:at+width*texts.Len()]
	clear(r.y[at:])
	for i := range texts.Len() {
		class := b.classOf(texts.At(i), r.b.find)
		if class < 0 {
			return false
		}
		r.y[at+i*width+class] = 1
	}
	return true
}

// chosenClasses appends the classes of rows that are given as indices into a few values.
func (b *batchReader) chosenClasses(values []pipeline.Value, index []int32) bool {
	r := b.to
	b.few = b.few[:0]
	for _, v := range values {
		class := -1
		if !v.IsNull() {
			class = b.classOf(v.String(), r.b.find)
		}
		b.few = append(b.few, class)
	}
	width, at := len(r.b.Classes), len(r.y)
	r.y = slices.Grow(r.y, width*len(index))[:at+width*len(index)]
	to := r.y[at:]
	clear(to)
	for i, k := range index {
		class := b.few[k]
		if class < 0 {
			return false
		}
		to[i*width+class] = 1
	}
	return true
}

// classOf returns the class of a name. It remembers the first few.
func (b *batchReader) classOf(name string, find func(string) int) int {
	for i := range b.known {
		if b.known[i].name == name {
			return b.known[i].class
		}
	}
	class := find(strings.TrimSpace(name))
	if len(b.known) < 8 && class >= 0 {
		b.known = append(b.known, knownClass{strings.Clone(name), class})
	}
	return class
}

// knownClass is a name and its class.
type knownClass struct {
	name  string
	class int
}

// oneByOne makes the examples of a batch's rows one by one. It stops at the first error that may not be skipped.
func (b *batchReader) oneByOne(all *pipeline.Batch, place func(row int) string) error {
	r := b.to
	for i := range all.Rows() {
		row := all.AppendRow(nil, i)
		r.read++
		x, y := len(r.x), len(r.y)
		if err := r.through(row, r.read-1, func() string { return place(i) }); err != nil {
			r.x, r.y = r.x[:x], r.y[:y] // remove the row's results
			if err = r.bad.Refuse(fmt.Errorf("%s: %w", place(i), err)); err != nil {
				return err
			}
		}
	}
	return nil
}

// advance processes the next row, sequence or batch.
func (r *rowReader) advance() error {
	if r.batches != nil {
		return r.batches.next()
	}
	return r.next()
}

// untilSome reads on until there are examples. It returns io.EOF at the end.
func (r *rowReader) untilSome() error {
	for len(r.from) == 0 {
		if err := r.advance(); err != nil {
			return err
		}
	}
	return nil
}
