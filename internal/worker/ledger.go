package worker

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/engine"
)

// Ledger reads the outputs of a job's partitions, as Spark gives them back: attempts one after the other or mixed, some
// of them cut, repeated or late. The rows of each partition count once, with a valid commit.
type Ledger struct {
	deliver func(c engine.Commit, rows []engine.Row) error
	wanted  []int
	commits map[int]*engine.Commit // of the wanted partitions; nil until they are committed
	open    map[attemptKey]*attempt
	faults  map[int][]error // of each partition's attempts that do not count
}

type attemptKey struct{ partition, attempt int }

type attempt struct {
	verify *Verifier
	rows   []engine.Row
	failed bool
}

// NewLedger is for the outputs of these partitions. deliver receives each partition's rows, when they are complete.
func NewLedger(partitions []int, deliver func(c engine.Commit, rows []engine.Row) error) *Ledger {
	l := &Ledger{deliver: deliver, wanted: partitions, commits: make(map[int]*engine.Commit),
		open:   make(map[attemptKey]*attempt),
		faults: make(map[int][]error)}
	for _, p := range partitions {
		l.commits[p] = nil
	}
	return l
}

// Add takes a record. It fails where the job can't succeed any more: a permanent failure of a worker, two attempts at
// a partition that give different rows, an error of deliver. What is wrong with one attempt, End tells, if no other one
// made up for it.
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
		return nil // the same output once more, which was given, or refused, already
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

// End fails unless every partition has a valid commit, and says for each what was wrong. err is what ended the
// records: io.EOF, or what went wrong.
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
