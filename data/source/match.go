package source

import (
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/pipeline"
)

// Match returns rows with the columns of a schema, which it finds by name, in any order. A missing column is a
// MismatchError. Columns that the schema does not have are left out; unused lists their names. If one of rows and
// schema is for sequences and the other is not, that is a MismatchError, too. Closing the result closes rows.
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
	from := rows
	if of, ok := rows.(interface{ under(pick []int) Rows }); ok { // matched before: don't copy each row twice
		rows = of.under(pick)
	}
	m := &matchedRows{rows, as, pick}
	if batches, ok := rows.(BatchRows); ok {
		return &matchedBatches{matchedRows: m, batches: batches}, unused, nil
	}
	return Like(m, from), unused, nil
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

// PlaceOf returns the place of a row.
func (m *matchedBatches) PlaceOf(row int) string { return m.batches.PlaceOf(row) }

// matchedRows picks columns of rows.
type matchedRows struct {
	Rows
	as   *pipeline.Schema
	pick []int
}

// Schema returns the picked columns.
func (m *matchedRows) Schema() *pipeline.Schema {
	has := m.Rows.Schema()
	columns := make([]pipeline.Column, len(m.pick))
	for i, at := range m.pick {
		columns[i] = has.Columns[at]
	}
	return has.With(columns)
}

// under returns the rows below m, and translates pick's indices to their columns.
func (m *matchedRows) under(pick []int) Rows {
	for i, at := range pick {
		pick[i] = m.pick[at]
	}
	return m.Rows
}

// Passed is the same as for the rows below.
func (m *matchedRows) Passed() int { return Passed(m.Rows) }

// Next picks the columns of the next row, or of each step of a sequence.
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
