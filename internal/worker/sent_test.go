package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
)

// TestSent checks that a task reads its partition from a file of several, and checks it against the written checksums.
func TestSent(t *testing.T) {
	var b bytes.Buffer
	s := NewSender(&b, Binary)
	var ends []int
	for p := range 5 {
		s.Begin(p, 1)
		for i := range p * 100 {
			s.Write(engine.Row{Index: int64(i), Bytes: fmt.Appendf(nil, "%d.%d", p, i)})
		}
		s.Commit()
		ends = append(ends, b.Len())
	}
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	damaged := bytes.Clone(b.Bytes())
	damaged[bytes.Index(damaged, []byte("3.150"))] = '4'
	files := map[engine.BroadcastID]string{"all": file("all", b.Bytes()), "cut": file("cut", b.Bytes()[:ends[3]-1]),
		"damaged": file("damaged", damaged)}
	for name, c := range map[string]struct {
		value    engine.BroadcastID
		from, to int
		want     string // part of the error
	}{
		"as they are":       {value: "all", from: ends[2], to: ends[3]},
		"another partition": {value: "all", from: ends[1], to: ends[2], want: "another attempt"},
		"too few":           {value: "all", from: ends[2], to: ends[3] - 100, want: "end"},
		"none":              {value: "all", from: ends[2], to: ends[2], want: "without a commit"},
		"a shorter file":    {value: "cut", from: ends[2], to: ends[3], want: fmt.Sprintf("has %d bytes here", ends[3]-1)},
		"other bytes":       {value: "damaged", from: ends[2], to: ends[3], want: "not that of these rows"},
		"below the file":    {value: "all", from: -1, to: ends[3], want: "bytes -1 to"},
		"backwards":         {value: "all", from: ends[3], to: ends[2], want: "is in its bytes"},
		"no file":           {value: "gone", from: ends[2], to: ends[3], want: "released"},
	} {
		task := told("")
		task.Broadcasts, task.Open, task.Answer = files, true, true
		task.Links = append([]Link{{Partition: 3, Sent: &Sent{c.value, c.from, c.to}}}, task.Links...)
		var in bytes.Buffer
		NewSender(&in, Text).Job(task)
		out, _, err := served(t, Text, &in)
		got := records(t, Text, out)
		last := got[len(got)-1]
		if last.Kind == Failed {
			var f Failure
			if err := json.Unmarshal(last.Data, &f); err != nil || c.want == "" || !strings.Contains(f.Error(), c.want) {
				t.Errorf("%s: %+v, error %v; wanted %s", name, f, err, c.want)
			}
			continue
		}
		if c.want != "" || err != nil || len(got) != 301 || string(got[150].Data) != "3.150" || got[150].Index != 150 {
			t.Errorf("%s: %d records, error %v", name, len(got), err)
		}
	}
}
