package source

import (
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/pipeline"
)

// Match gives rows in the columns of a schema, which it finds by name, in any order. A column that is missing is a
// MismatchError. Others than the schema's are left out: unused are their names. Rows of sequences and those of rows
// don't go together. The result's Close is that of rows.
func Match(rows Rows, as *pipeline.Schema) (matched Rows, unused []string, err error) {
	has := rows.Schema()
	if has.Sequence != as.Sequence {
		kinds := map[bool]string{false: "rows", true: "sequences"}
		return nil, nil, &MismatchError{fmt.Errorf(
			"the data has %s, and %s are wanted", kinds[has.Sequence], kinds[as.Sequence])}
	}
	pick := make([]int, len(as.Columns))
	wanted := make(map[string]bool, len(as.Columns))
	same := len(has.Columns) == len(as.Columns)
	var missing []string
	for i, c := range as.Columns {
		pick[i] = has.Index(c.Title())
		if pick[i] < 0 {
			missing = append(missing, c.Title())
		}
		wanted[c.Title()] = true
		same = same && pick[i] == i
	}
	if missing != nil {
		return nil, nil, &MismatchError{fmt.Errorf(
			"there is no column %s: there are %s", data.ShortList(missing), data.ShortList(has.Names()))}
	}
	for _, name := range has.Names() {
		if !wanted[name] {
			unused = append(unused, name)
		}
	}
	if same {
		return rows, unused, nil
	}
	if of, ok := rows.(interface{ under(pick []int) Rows }); ok { // which were matched before: a row is copied once
		rows = of.under(pick)
	}
	m := &matchedRows{rows, as, pick}
	if batches, ok := rows.(BatchRows); ok {
		return &matchedBatches{matchedRows: m, batches: batches}, unused, nil
	}
	return m, unused, nil
}

// matchedBatches picks columns of batches.
type matchedBatches struct {
	*matchedRows
	batches BatchRows
	all     pipeline.Batch
}

// NextBatch picks the columns of the next rows.
func (m *matchedBatches) NextBatch(to *pipeline.Batch) error {
	err := m.batches.NextBatch(&m.all)
	if err == nil {
		to.Select(&m.all, m.pick, nil)
	}
	return err
}

// PlaceOf is that of the rows.
func (m *matchedBatches) PlaceOf(row int) string { return m.batches.PlaceOf(row) }

// matchedRows picks columns of rows.
type matchedRows struct {
	Rows
	as   *pipeline.Schema
	pick []int
}

// Schema has the columns that were picked.
func (m *matchedRows) Schema() *pipeline.Schema {
	has := m.Rows.Schema()
	columns := make([]pipeline.Column, len(m.pick))
	for i, at := range m.pick {
		columns[i] = has.Columns[at]
	}
	return has.With(columns)
}

// under are the rows that columns were picked of, in whose columns it gives those of pick.
func (m *matchedRows) under(pick []int) Rows {
	for i, at := range pick {
		pick[i] = m.pick[at]
	}
	return m.Rows
}

// Passed is that of the rows.
func (m *matchedRows) Passed() int { return Passed(m.Rows) }

// Next picks the columns of the next row, or of all of a sequence.
func (m *matchedRows) Next() (pipeline.Item, error) {
	item, err := m.Rows.Next()
	if err != nil {
		return item, err
	}
	if item.Sequence == nil {
		item.Row = m.row(item.Row)
		return item, nil
	}
	for i, r := range item.Sequence {
		item.Sequence[i] = m.row(r)
	}
	return item, nil
}

func (m *matchedRows) row(r pipeline.Row) pipeline.Row {
	row := make(pipeline.Row, len(m.pick))
	for i, at := range m.pick {
		row[i] = r[at]
	}
	return row
}
