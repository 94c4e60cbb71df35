package worker

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/engine"
)

// Ledger reads the outputs of a job's partitions, as Spark returns them: attempts one after the other or mixed, some of
// them cut, repeated or late. The rows of each partition count once, with a valid commit.
type Ledger struct {
	deliver func(c engine.Commit, rows []engine.Row) error
	wanted  []int
	commits map[int]*engine.Commit // of the wanted partitions; nil until they are committed
	open    map[attemptKey]*attempt
	faults  map[int][]error // by partition: why its attempts do not count
}

type attemptKey struct{ partition, attempt int }

type attempt struct {
	verify *Verifier
	rows   []engine.Row
	failed bool
}

// NewLedger makes a ledger for the outputs of these partitions. It calls deliver with each partition's rows when they
// are complete.
func NewLedger(partitions []int, deliver func(c engine.Commit, rows []engine.Row) error) *Ledger {
	l := &Ledger{deliver: deliver, wanted: partitions, commits: make(map[int]*engine.Commit),
		open:   make(map[attemptKey]*attempt),
		faults: make(map[int][]error)}
	for _, p := range partitions {
		l.commits[p] = nil
	}
	return l
}

// Add adds a record. It fails if the job can't succeed any more: a permanent failure of a worker, two attempts at a
// partition with different rows, or an error of deliver. End reports the faults of other attempts, if no later attempt
// succeeded.
func (l *Ledger) Add(r Record) error {
	if !r.Kind.inSequence() {
		return nil
	}
	if _, wanted := l.commits[r.Partition]; !wanted {
		return &OutputError{r.Partition, r.Attempt, 0, fmt.Errorf("%w: nobody asked for this partition", ErrForeign)}
	}
	key := attemptKey{r.Partition, r.Attempt}
	a := l.open[key]
	if a == nil {
		a = &attempt{verify: NewVerifier(r.Partition, r.Attempt)}
		l.open[key] = a
	}
	if a.failed {
		return nil
	}
	whole, ok, err := a.verify.Add(r)
	if _, committed := a.verify.Committed(); committed && errors.Is(err, ErrAfterEnd) {
		return nil // a repetition of an output that was already delivered or refused
	}
	if err != nil {
		a.failed, a.rows = true, nil
		if engine.IsPermanent(err) {
			return err
		}
		l.faults[r.Partition] = append(l.faults[r.Partition], err)
		return nil
	}
	if ok && whole.Kind == Row {
		if l.commits[r.Partition] == nil {
			a.rows = append(a.rows, engine.Row{Index: whole.Index, Bytes: whole.Data})
		}
	} else if ok && whole.Kind == Commit {
		return l.commit(a)
	}
	return nil
}

func (l *Ledger) commit(a *attempt) error {
	c, _ := a.verify.Committed()
	rows := a.rows
	a.rows = nil
	if first := l.commits[c.Partition]; first != nil {
		if !first.Same(c) {
			return fmt.Errorf("two attempts at a partition give different rows: its operations do not give the same each "+
				"time: %v, and %v", first, c)
		}
		return nil
	}
	l.commits[c.Partition] = &c
	return l.deliver(c, rows)
}

// End fails unless every partition has a valid commit, and says what was wrong with each. err is what ended the
// records: io.EOF, or an error.
func (l *Ledger) End(err error) error {
	for key, a := range l.open {
		if _, ended := a.verify.Committed(); !ended && !a.failed {
			l.faults[key.partition] = append(l.faults[key.partition], a.verify.End(err))
		}
	}
	var all []error
	for _, p := range l.wanted {
		if l.commits[p] != nil {
			continue
		}
		if l.faults[p] == nil {
			l.faults[p] = []error{&OutputError{p, 0, 0, fmt.Errorf("%w: no record of it came", ErrNoCommit)}}
		}
		slices.SortFunc(l.faults[p], func(a, b error) int { return slices.Compare([]byte(a.Error()), []byte(b.Error())) })
		all = append(all, l.faults[p]...)
	}
	return errors.Join(all...)
}
