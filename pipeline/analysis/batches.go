package analysis

import (
	"errors"
	"io"

	"github.com/dl4go/dl4go/pipeline"
)

// readBatches reads all rows of a table.
func (p *Profiler) readBatches(in BatchReader) (*Table, error) {
	var b pipeline.Batch
	for {
		err := in.NextBatch(&b)
		if errors.Is(err, io.EOF) {
			return p.Table(), nil
		}
		if err == nil {
			err = p.AddBatch(&b, nil, in.PlaceOf)
		}
		if err != nil {
			return nil, err
		}
	}
}

// batchLabels holds the labels of the rows of a batch.
type batchLabels struct {
	cells []cell   // of the first row, followed by those of the next
	ids   []uint64 // one for all labels of a row
}

// AddBatch adds the wanted rows of a batch, or all rows if wanted is nil. place, unless nil, returns the place of a
// row.
func (p *Profiler) AddBatch(b *pipeline.Batch, wanted func(row int) bool, place func(row int) string) error {
	p.readLabels(b)
	n := 0
	for row := range b.Rows() {
		if wanted == nil || wanted(row) {
			n++
		}
	}
	p.rows += int64(n)
	for i, c := range p.columns {
		texts, ok := b.Texts(i)
		for row := range b.Rows() {
			if wanted != nil && !wanted(row) {
				continue
			}
			labels := p.of.cells[row*len(p.labels) : (row+1)*len(p.labels)]
			if ok {
				c.addText(p, texts.At(row), p.of.ids[row], labels, row, place)
			} else if v := b.Value(i, row); v.Kind() == pipeline.TextKind {
				c.addText(p, v.String(), p.of.ids[row], labels, row, place)
			} else if !countNumber(c, v, p.of.ids[row], labels) {
				c.add(p.read(v), p.of.ids[row], labels, row, place)
			}
		}
	}
	return nil
}

// readLabels reads the labels of all rows. A row without one of them has the id 0.
func (p *Profiler) readLabels(b *pipeline.Batch) {
	p.of.cells, p.of.ids = p.of.cells[:0], p.of.ids[:0]
	for row := range b.Rows() {
		id, gap := uint64(0), false
		for _, i := range p.labels {
			c := p.read(b.Value(i, row))
			p.of.cells = append(p.of.cells, c)
			id = id*31 + hashText(c.text)
			gap = gap || c.gap
		}
		switch {
		case gap:
			id = 0
		case len(p.labels) > 0:
			id = max(1, min(id, mixed-1))
		}
		p.of.ids = append(p.of.ids, id)
	}
}
