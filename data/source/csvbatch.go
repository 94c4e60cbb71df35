package source

import (
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/dl4go/dl4go/pipeline"
)

// csvBatch holds the rows that were read last, all of one block of one file.
type csvBatch struct {
	csvFields
	file  string
	text  string // the block
	order []int  // index of each column's field; nil if they are in order
}

// field returns the index of a column's field.
func (b *csvBatch) field(column int) int {
	if b.order != nil {
		return b.order[column]
	}
	return column
}

// column returns the texts of a column.
func (b *csvBatch) column(i int) pipeline.Texts {
	k := b.field(i) * b.rows
	return pipeline.TextsOf(b.text, b.spans[k:k+b.n])
}

// row returns a copy of a row.
func (b *csvBatch) row(i int) pipeline.Row {
	var text strings.Builder
	size := uint32(0)
	row := make(pipeline.Row, b.width)
	for k := range row {
		s := b.spans[k*b.rows+i]
		size += s.To - s.From
	}
	text.Grow(int(size))
	for k := range row {
		s := b.spans[b.field(k)*b.rows+i]
		from := text.Len()
		text.WriteString(b.text[s.From:s.To])
		row[k] = pipeline.Text(text.String()[from:])
	}
	return row
}

// batchRows limits the rows that are read at a time, and batchCells limits their cells, so that they stay in the
// processor's cache.
const (
	batchRows  = 512
	batchCells = 1 << 15
)

// rowsAtOnce returns the number of rows of this width that are read at a time.
func rowsAtOnce(width int) int { return max(1, min(batchRows, batchCells/max(1, width))) }

// make allocates memory for rows of this width.
func (f *csvFields) make(width int) {
	rows := rowsAtOnce(width)
	*f = csvFields{width: width, rows: rows, spans: make([]pipeline.Span, width*rows), lines: make([]int, rows)}
}

// begin empties the batch. After a batch that the end of a block cut short, the next one only takes the missing rows,
// so that minibatches lie within batches again.
func (b *csvBatch) begin() {
	if b.most -= b.n; b.most == 0 || b.n == 0 {
		b.most = b.rows
	}
	b.n = 0
}

// NextBatch reads the next rows: those available in one block of a file.
func (r *csvRows) NextBatch(to *pipeline.Batch) error {
	b := &r.batch
	if b.spans == nil {
		b.make(len(r.schema.Columns))
	}
	b.begin()
	err := r.err
	r.err = nil
	if r.ahead {
		r.ahead = false
		err = r.add()
	}
	for err == nil && b.n < b.most {
		r.plain()
		if b.n == b.most {
			break
		}
		if b.n > 0 && !r.csv.whole() {
			if r.live || !r.csv.more() {
				break
			}
			continue
		}
		csv, block := r.csv, unsafe.SliceData(r.csv.buf)
		if _, err = r.read(); err != nil {
			break
		}
		if b.n > 0 && (csv != r.csv || block != unsafe.SliceData(r.csv.buf)) {
			r.ahead = true
			break
		}
		err = r.add()
	}
	if b.n == 0 && err != nil {
		return rowError(err)
	}
	r.err = err
	to.Reset(b.width, b.n)
	for i := range b.width {
		to.SetTexts(i, b.column(i))
	}
	return nil
}

// plain adds the records that can be taken as they stand.
func (r *csvRows) plain() {
	b := &r.batch
	if r.fresh || r.csv == nil || r.width != b.width {
		return
	}
	r.csv.plain(&b.csvFields)
	r.sees()
}

// sees makes the parser's block the batch's.
func (r *csvRows) sees() {
	b := &r.batch
	b.file, b.text, b.order = r.csv.path, r.csv.text(), r.order
}

// add adds the record that was read.
func (r *csvRows) add() error {
	b, text := &r.batch, r.csv.text()
	for field, s := range r.csv.spans {
		if !utf8.ValidString(text[s.From:s.To]) {
			return r.notUTF8()
		}
		b.spans[field*b.rows+b.n] = s
	}
	b.lines[b.n] = r.csv.begins
	b.n++
	r.sees()
	return nil
}

// notUTF8 returns the error for the first column of a record that is not UTF-8.
func (r *csvRows) notUTF8() error {
	text := r.csv.text()
	for i, c := range r.schema.Columns {
		field := i
		if r.order != nil {
			field = r.order[i]
		}
		s := r.csv.spans[field]
		if s := text[s.From:s.To]; !utf8.ValidString(s) {
			return &RowError{Err: r.csv.errorf(r.csvTable.at(i),
				"column %q: %.40q is not UTF-8; encoding=NAME says what it is, such as latin-1", c.Title(), s)}
		}
	}
	return nil
}
