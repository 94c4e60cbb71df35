package spark

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// TestRowsLostOnTheirWayIntoATable checks that a table with fewer rows than were committed is an error. The table to be
// replaced must stay.
func TestRowsLostOnTheirWayIntoATable(t *testing.T) {
	for _, arrived := range []int64{10, 9} {
		f := startFake(t, "s")
		var said []string
		f.execute = func(r *protocol.ExecutePlanRequest, send func(*protocol.ExecutePlanResponse) error) error {
			if c := r.Plan.GetCommand(); c != nil {
				if c.GetWriteOperation() != nil {
					said = append(said, "WRITE "+c.GetWriteOperation().GetTable().GetTableName())
				}
				if sql := c.GetSqlCommand().GetSql(); sql != "" {
					said = append(said, sql)
				}
			} else if err := send(&protocol.ExecutePlanResponse{ResponseId: "1",
				ResponseType: &protocol.ExecutePlanResponse_ArrowBatch_{
					ArrowBatch: &protocol.ExecutePlanResponse_ArrowBatch{RowCount: 1, Data: arrow.Write(&arrow.Batch{Rows: 1,
						Schema:  arrow.Schema{{Name: "n", Type: arrow.Of(arrow.Int64)}},
						Columns: []arrow.Column{arrow.Int64s([]int64{arrived})}})}}}); err != nil {
				return err
			}
			return send(&protocol.ExecutePlanResponse{ResponseId: "2",
				ResponseType: &protocol.ExecutePlanResponse_ResultComplete_{
					ResultComplete: new(protocol.ExecutePlanResponse_ResultComplete)}})
		}
		e := bareEngine(t)
		j := &job{carrier: &carrier{engine: e.sessions, catalogue: catalogue{f.open(t, f.address())}}, engine: e,
			ctx: t.Context()}
		err := tableWriter{j, engine.TableWrite{Table: "db.t", Mode: engine.Overwrite}, 10}.swap(connect.SQL("SELECT 1"))
		renamed := strings.Contains(strings.Join(said, "\n"), "RENAME")
		if (err != nil) != (arrived < 10) || renamed != (err == nil) {
			t.Errorf("%d rows of 10 arrived: %v; Spark was told\n%s", arrived, err, strings.Join(said, "\n"))
		}
		if err != nil && (!strings.Contains(err.Error(), "has 9 rows after they were written, wanted 10") ||
			!strings.Contains(said[len(said)-1], "DROP TABLE")) {
			t.Errorf("%v; Spark was told\n%s", err, strings.Join(said, "\n"))
		}
		// A key with a line break is two lines of such a table, and Spark counts lines.
		err = tableWriter{j, engine.TableWrite{Table: "db.t", Format: "CSV", Mode: engine.Overwrite},
			9}.swap(connect.SQL("SELECT 1"))
		if err != nil {
			t.Errorf("%d lines of a table with 9 rows: %v", arrived, err)
		}
		err = tableWriter{j, engine.TableWrite{Table: "db.t"}, 10}.save(connect.SQL("SELECT 1"))
		if (err != nil) != (arrived < 10) {
			t.Errorf("a new table, %d rows of 10 arrived: %v", arrived, err)
		}
	}
}
