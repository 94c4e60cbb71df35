package resident

import (
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/local"
)

// TestLateReplacement loses a worker at the end, when all is committed. Its replacement comes after the coordinator has
// ended, or not at all. The job ends at once in the first case, and within a second in the second.
func TestLateReplacement(t *testing.T) {
	for name, comes := range map[string]bool{"it comes": true, "it is on its way": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := slog.New(slog.DiscardHandler)
				e := local.New(2, engine.Options{Log: log})
				defer e.Close()
				over := make(chan struct{})
				late.over, late.greets = over, comes
				j, err := Start(t.Context(), Plan{Name: "test", Engine: e, Log: log, Reference: NoReference{},
					Config: coordination.Config{Term: 1, Partitions: 2, Min: 2, Timing: coordination.DefaultTiming()},
					Work: func(access engine.BroadcastID) (*engine.Dataset, error) {
						return engine.Parallelize(e, make([][]engine.Row, 2)).Map(lateWorker.With(access)), nil
					}})
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range []coordination.Event{coordination.Open{Begin: true}, coordination.Settle{Group: 2},
					coordination.Shut{Reason: "the fit is over"}} {
					if _, err := j.Command(t.Context(), c); err != nil {
						t.Fatal(err)
					}
				}
				ended := time.Now()
				close(over)
				if err := j.Stop(nil); err != nil {
					t.Error(err)
				}
				if took := time.Since(ended); took > time.Second || comes && took > 300*time.Millisecond {
					t.Errorf("the job ended %v after its coordinator", took)
				}
			})
		})
	}
}

// late configures the workers of TestLateReplacement.
var late struct {
	over   chan struct{} // the coordinator has ended
	greets bool          // the replacement comes
}

var lateWorker = engine.Register("resident.late",
	func(t *engine.Task, access engine.BroadcastID, _ engine.Rows, _ engine.Writer) error {
		if t.Partition == 1 && t.Attempt > 1 {
			select {
			case <-late.over:
			case <-t.Context().Done():
			}
			if !late.greets {
				<-t.Context().Done()
				return t.Context().Err()
			}
		}
		w := Worker{Access: access, Replica: idler{partition: t.Partition},
			Shares: []coordination.Share{{Partition: uint32(t.Partition)}},
			Train:  func(coordination.Train) coordination.Trained { return coordination.Trained{} }}
		return w.Serve(t)
	})

// idler is a replica that has nothing to train. The one of partition 1 fails at the end.
type idler struct {
	coordination.Replica
	partition int
}

func (idler) Install([]byte, []byte) error { return nil }

func (r idler) Report(bool, []*coordination.Update) ([]byte, error) {
	if r.partition == 1 {
		return nil, errors.New("it is lost in the end")
	}
	return []byte{1}, nil
}
