package stats

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"
)

// WriteCSV writes a table of events, in their order, with the header
//
//	phase,worker,start,startTime,durationMs,examples
//
// start is a time of RFC 3339, startTime the same in milliseconds since 1970, as in Deeplearning4j's EventStats;
// durationMs has three decimals; examples is 0 if a phase has none.
func WriteCSV(w io.Writer, events []Event) error {
	c := csv.NewWriter(w)
	if err := c.Write([]string{"phase", "worker", "start", "startTime", "durationMs", "examples"}); err != nil {
		return err
	}
	for _, e := range events {
		ms := strconv.FormatFloat(float64(e.Duration)/float64(time.Millisecond), 'f', 3, 64)
		record := []string{string(e.Phase), e.Worker, e.Start.UTC().Format(time.RFC3339Nano),
			strconv.FormatInt(e.Start.UnixMilli(), 10), ms, strconv.Itoa(e.Examples)}
		if err := c.Write(record); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
