package worker

import "fmt"

// sealed assembles the rows of a task from the outputs of other tasks, which come one after the other. Each output
// begins with a Job record without data and ends with its commit, and only counts with that.
type sealed struct {
	left   []int // partitions still to come
	verify *Verifier
}

func newSealed(from []int) *sealed { return &sealed{left: from} }

// add takes the next record; ok reports whether it completes a row.
func (s *sealed) add(r Record) (whole Record, ok bool, err error) {
	if s.verify == nil {
		if len(s.left) == 0 {
			return r, false, fmt.Errorf("%w: of partition %d, after all that were wanted", ErrForeign, r.Partition)
		}
		if r.Partition != s.left[0] {
			return r, false, fmt.Errorf("%w: of partition %d, wanted partition %d", ErrForeign, r.Partition, s.left[0])
		}
		s.verify = NewVerifier(r.Partition, r.Attempt)
	}
	whole, ok, err = s.verify.Add(r)
	if ok && whole.Kind == Commit {
		s.verify, s.left = nil, s.left[1:]
	}
	return whole, ok && whole.Kind == Row, err
}

// end returns the error if the outputs are incomplete, or err. err is what ended the rows.
func (s *sealed) end(err error) error {
	switch {
	case s == nil || s.verify == nil && len(s.left) == 0:
		return err
	case s.verify != nil:
		return s.verify.End(err)
	}
	return &OutputError{Partition: s.left[0], Reason: fmt.Errorf("%w: no record of it came", ErrNoCommit)}
}
