package worker

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/engine"
)

// Sent says where the rows of a partition are that the driver had: in the bytes From … To-1 of a broadcast value, as a
// Sender writes them with the Binary framing, attempt 1, with their commit. They replace the task's incoming rows.
type Sent struct {
	Value    engine.BroadcastID
	From, To int
}

// sent returns such rows. It reads them when the first one is asked for.
func (r *run) sent(l Link) engine.Rows {
	var from *Receiver
	var over error
	verify := NewVerifier(l.Partition, 1)
	next := func() (engine.Row, error) {
		if from == nil {
			value, err := r.worker.Broadcast(l.Sent.Value)
			if err == nil && (l.Sent.From < 0 || l.Sent.From > l.Sent.To || l.Sent.To > len(value)) {
				err = fmt.Errorf("the file of broadcast %s has %d bytes here, and partition %d is in its bytes %d to %d",
					l.Sent.Value,
					len(value), l.Partition, l.Sent.From, l.Sent.To)
			}
			if err != nil {
				return engine.Row{}, &engine.StepError{Step: "read the driver's rows", Cause: err}
			}
			from = NewReceiver(bytes.NewReader(value[l.Sent.From:l.Sent.To]), Binary)
		}
		for {
			record, err := from.Next()
			if err != nil {
				return engine.Row{}, verify.End(err)
			}
			record, whole, err := verify.Add(record)
			switch {
			case err != nil:
				return engine.Row{}, err
			case whole && record.Kind == Commit:
				return engine.Row{}, io.EOF
			case whole && record.Kind == Row:
				return engine.Row{Index: record.Index, Bytes: record.Data}, nil
			case whole:
				return engine.Row{}, verify.End(errors.New("a record came that is not a row"))
			}
		}
	}
	return engine.RowsFunc(func() (row engine.Row, err error) {
		if over == nil {
			row, over = next()
		}
		return row, over
	})
}
