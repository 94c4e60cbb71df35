package source

import (
	"fmt"

	"github.com/dl4go/dl4go/pipeline"
)

// SequenceTimes is what the times of all rows of a table are: dates, or numbers. Example is the first one.
type SequenceTimes struct {
	Dates   bool
	Example string
}

// SequenceKeys says of the rows of a part of a table which sequence they are of, so that those of a sequence can be
// brought together. See [Regrouped].
type SequenceKeys struct{ r *sequenceRows }

// SequenceKeys finds the columns among those of rows.
func (s *Sequencing) SequenceKeys(rows Rows) (*SequenceKeys, error) {
	r, err := regrouping(rows, s)
	return &SequenceKeys{r}, err
}

// Of gives the name of a row's sequence, and what its time is; nil where rows have none. The row is the one that the
// Rows gave last. It is a [RowError] where one of them is missing.
func (k *SequenceKeys) Of(row pipeline.Row) (name string, time *SequenceTimes, err error) {
	if name, err = k.r.nameOf(row); err != nil || k.r.time < 0 {
		return name, nil, err
	}
	at, text, err := k.r.instantOf(row[k.r.time])
	return name, &SequenceTimes{at.Date, text}, err
}

// Regrouped makes sequences of rows, among which are all rows of each sequence. times, unless nil, are those of the
// whole table. Its Place is that of the rows.
func Regrouped(rows Rows, s *Sequencing, times *SequenceTimes) (Rows, error) {
	r, err := regrouping(rows, s)
	if err == nil && times != nil {
		r.first, r.dates, r.example = true, times.Dates, times.Example
	}
	return r, err
}

func regrouping(rows Rows, s *Sequencing) (*sequenceRows, error) {
	r := &sequenceRows{rows: rows, of: s, time: -1, groups: map[string]*gatheredSequence{}}
	return r, r.find(rows.Schema(), nil)
}

// CountsOf counts the sequences of Regrouped rows that were read to the end.
func CountsOf(rows Rows) (SequenceCounts, error) {
	r, ok := rows.(*sequenceRows)
	if !ok {
		return SequenceCounts{}, fmt.Errorf("rows of type %T are not regrouped", rows)
	}
	return r.counts, nil
}
