package spark

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// TestLargeResults checks that a result that Spark refuses to collect at once comes by several queries, each partition
// once and in order. The partitions that came before the refusal are not queried again.
func TestLargeResults(t *testing.T) {
	const partitions = 11
	for _, c := range []struct {
		most    int // partitions of a result
		queries []int
		fails   bool
	}{
		{most: 11, queries: []int{11}},
		{most: 6, queries: []int{11, 5}},
		{most: 2, queries: []int{11, 5, 2, 2, 2, 1}},
		{most: 1, queries: []int{11, 5, 2, 1, 1, 1, 1, 1, 1, 1, 1}},
		{most: 0, queries: []int{11, 5, 2, 1}, fails: true},
	} {
		f, queries := startFake(t, "s"), []int(nil)
		f.execute = func(r *protocol.ExecutePlanRequest, send func(*protocol.ExecutePlanResponse) error) error {
			need := asked(r.Plan.GetRoot().GetSql().GetQuery())
			queries = append(queries, len(need))
			for i, p := range need {
				if i == c.most {
					return status.Error(codes.Internal,
						"Job aborted due to stage failure: Total size of serialized results of 3 tasks "+
							"(1124.0 KiB) is bigger than spark.driver.maxResultSize (1024.0 KiB)")
				}
				if err := send(answer(i, p)); err != nil {
					return err
				}
			}
			return send(&protocol.ExecutePlanResponse{ResponseId: "end",
				ResponseType: &protocol.ExecutePlanResponse_ResultComplete_{
					ResultComplete: new(protocol.ExecutePlanResponse_ResultComplete)}})
		}
		e := bareEngine(t)
		e.carrier = &carrier{engine: e.sessions, catalogue: catalogue{f.open(t, f.address())}}
		e.carrier.heartbeat = &heartbeat{engine: e.wants, session: e.carrier.session}
		d := engine.FromPlan(e, nil, partitions)
		e.levels[d] = engine.DiskOnly
		e.kept[d] = &keeping{dataset: d, busy: make(chan struct{}, 1), made: true,
			query:   query("SELECT p, k, line FROM kept"),
			commits: make([]engine.Commit, partitions)}
		var got []string
		err := e.Collect(t.Context(), d, func(p int, row engine.Row) error {
			got = append(got, fmt.Sprint(p, ":", string(row.Bytes)))
			return nil
		})
		if !slices.Equal(queries, c.queries) {
			t.Errorf("%d partitions a result: queries for %v partitions, wanted %v", c.most, queries, c.queries)
		}
		if c.fails {
			if err == nil || !strings.Contains(err.Error(), "give the Connect server a higher spark.driver.maxResultSize") {
				t.Errorf("%d partitions a result: %v", c.most, err)
			}
			continue
		}
		var want []string
		for p := range partitions {
			want = append(want, fmt.Sprint(p, ":row ", p))
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d partitions a result: %v, got %v", c.most, err, got)
		}
	}
}

// asked returns the partitions of a query.
func asked(sql string) (all []int) {
	for _, n := range strings.Split(regexp.MustCompile(`p IN \(([0-9, ]*)\)`).FindStringSubmatch(sql)[1], ", ") {
		p, _ := strconv.Atoi(n)
		all = append(all, p)
	}
	return all
}

// answer returns a worker's output for a partition with one row.
func answer(i, p int) *protocol.ExecutePlanResponse {
	row := engine.Row{Bytes: fmt.Append(nil, "row ", p)}
	return answerLines(i, fmt.Sprint(p, "\t0\t0\tr\t0\t", base64.StdEncoding.EncodeToString(row.Bytes)),
		commitLine(p, row))
}

// commitLine returns the last line of a partition with one row.
func commitLine(p int, row engine.Row) string {
	commit := engine.Commit{Partition: p}
	commit.Add(row)
	end, _ := json.Marshal(commit)
	return fmt.Sprint(p, "\t0\t1\tc\t0\t", base64.StdEncoding.EncodeToString(end))
}

func answerLines(i int, lines ...string) *protocol.ExecutePlanResponse {
	return &protocol.ExecutePlanResponse{ResponseId: fmt.Sprint(i),
		ResponseType: &protocol.ExecutePlanResponse_ArrowBatch_{
			ArrowBatch: &protocol.ExecutePlanResponse_ArrowBatch{RowCount: int64(len(lines)),
				Data: arrow.Write(&arrow.Batch{Rows: len(lines),
					Schema:  arrow.Schema{{Name: "line", Type: arrow.Of(arrow.String)}},
					Columns: []arrow.Column{arrow.Strings(lines)}})}}}
}
