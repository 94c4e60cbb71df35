package source

import (
	"fmt"

	"github.com/dl4go/dl4go/pipeline"
)

// SequenceTimes says whether the times of a table's rows are dates or numbers. Example is the first time.
type SequenceTimes struct {
	Dates   bool
	Example string
}

// SequenceKeys finds the sequence of each row in a part of a table, so that the rows of a sequence can be brought
// together. See [Regrouped].
type SequenceKeys struct{ r *sequenceRows }

// SequenceKeys finds the columns that identify a sequence among those of rows.
func (s *Sequencing) SequenceKeys(rows Rows) (*SequenceKeys, error) {
	r, err := regrouping(rows, s)
	return &SequenceKeys{r}, err
}

// Of returns the name of a row's sequence and the kind of its time, or nil if rows have no time. The row must be the
// last one that the Rows returned. If the name or the time is missing, Of returns a [RowError].
func (k *SequenceKeys) Of(row pipeline.Row) (name string, time *SequenceTimes, err error) {
	if name, err = k.r.nameOf(row); err != nil || k.r.time < 0 {
		return name, nil, err
	}
	at, text, err := k.r.instantOf(row[k.r.time])
	return name, &SequenceTimes{at.Date, text}, err
}

// Regrouped makes sequences from rows, which must include all rows of each sequence. times, unless nil, says what the
// times of the whole table are. The places of the result are those of the rows.
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

// CountsOf returns the counts of the sequences in rows of [Regrouped], which were read to the end.
func CountsOf(rows Rows) (SequenceCounts, error) {
	r, ok := rows.(*sequenceRows)
	if !ok {
		return SequenceCounts{}, fmt.Errorf("rows of type %T are not regrouped", rows)
	}
	return r.counts, nil
}
