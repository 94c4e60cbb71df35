package worker

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/engine"
)

// Receiver reads records.
type Receiver struct {
	from    *bufio.Reader
	framing Framing
	slab    slab
}

// NewReceiver makes a receiver.
func NewReceiver(from io.Reader, f Framing) *Receiver {
	return &Receiver{from: bufio.NewReaderSize(from, 256<<10), framing: f}
}

// Next returns the next record, with its own copy of the data. It fails with io.EOF at the end.
func (r *Receiver) Next() (Record, error) { return r.framing.read(r.from, &r.slab) }

// idle reports whether no more bytes have arrived yet.
func (r *Receiver) idle() bool { return r.from.Buffered() == 0 }

// OutputError says why the rows of an attempt do not count.
type OutputError struct {
	Partition, Attempt int
	Rows               int64 // rows that had arrived in good order
	Reason             error
}

func (e *OutputError) Error() string {
	return fmt.Sprintf("the rows of partition %d, attempt %d, do not count: after row %d, %v", e.Partition,
		e.Attempt, e.Rows, e.Reason)
}

func (e *OutputError) Unwrap() error { return e.Reason }

// Reasons of an OutputError, besides FramingError and Failure.
var (
	ErrNoCommit = errors.New("they end without a commit")
	ErrCommit   = errors.New("the commit is not that of these rows")
	ErrForeign  = errors.New("a record of another attempt came")
	ErrSequence = errors.New("a record is missing, or came twice")
	ErrAfterEnd = errors.New("a record came after the commit")
)

// Verifier assembles the records of one attempt, in their order, and checks them against its commit.
type Verifier struct {
	got   engine.Commit
	seq   int64
	part  []byte
	ended bool
	open  bool // records are neither numbered nor committed
}

// NewVerifier makes a Verifier for the records of this attempt.
func NewVerifier(partition, attempt int) *Verifier {
	return &Verifier{got: engine.Commit{Partition: partition, Attempt: attempt}}
}

// Add takes the next record. For the last piece of a row it returns the row, for a Job record its data; it passes on
// Alive records. After the commit, Committed returns it. A Failed record is returned as an error, a *Failure.
func (v *Verifier) Add(r Record) (whole Record, ok bool, err error) {
	if !r.Kind.inSequence() {
		return r, false, nil
	}
	switch {
	case v.ended:
		return r, false, v.fail(ErrAfterEnd)
	case !v.open && (r.Partition != v.got.Partition || r.Attempt != v.got.Attempt):
		return r, false, v.fail(fmt.Errorf("%w: of partition %d, attempt %d", ErrForeign, r.Partition, r.Attempt))
	case !v.open && r.Seq != v.seq:
		return r, false, v.fail(fmt.Errorf("%w: number %d came, wanted %d", ErrSequence, r.Seq, v.seq))
	}
	v.seq++
	if r.Kind == Piece {
		v.part = append(v.part, r.Data...)
		return r, false, nil
	}
	if v.part != nil {
		r.Data, v.part = append(v.part, r.Data...), nil
	}
	switch r.Kind {
	case Row:
		v.got.Add(engine.Row{Index: r.Index, Bytes: r.Data})
	case Commit:
		var c engine.Commit
		if err := json.Unmarshal(r.Data, &c); err != nil {
			return r, false, v.fail(fmt.Errorf("%w: %v", ErrCommit, err))
		}
		if c != v.got {
			return r, false, v.fail(fmt.Errorf("%w: it says %v, attempt %d; they are %v, attempt %d", ErrCommit, c, c.Attempt,
				v.got, v.got.Attempt))
		}
		v.ended = true
	case Failed:
		f := new(Failure)
		if err := json.Unmarshal(r.Data, f); err != nil {
			return r, false, v.fail(&FramingError{Reason: "a failure that does not read: " + err.Error()})
		}
		v.ended = true
		return r, false, f
	}
	return r, true, nil
}

// Committed returns the commit, and whether it has come.
func (v *Verifier) Committed() (engine.Commit, bool) { return v.got, v.ended }

// End returns the error of an attempt without further records. err is what ended them.
func (v *Verifier) End(err error) error {
	if err == io.EOF {
		err = ErrNoCommit
	}
	return v.fail(err)
}

func (v *Verifier) fail(err error) error {
	return &OutputError{v.got.Partition, v.got.Attempt, v.got.Rows, err}
}
