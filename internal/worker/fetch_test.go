package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
)

// refer makes the row with which a worker receives a reference to a file.
func refer(path, url string, size int, modified time.Time) engine.Row {
	return engine.File{Path: path, Content: fmt.Appendf(nil, "%d %d %s", size, modified.UnixMilli(), url)}.Row()
}

func TestFetch(t *testing.T) {
	dir := t.TempDir()
	changed := time.Date(2026, 2, 3, 4, 5, 6, 789_000_000, time.UTC)
	name := func(base string) string { return filepath.Join(dir, base) }
	for _, base := range []string{"a b%20.bin", "summed"} {
		if err := os.WriteFile(name(base), []byte("contents"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name(base), changed, changed); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(name(".summed.crc"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(name("dir"), 0o777); err != nil {
		t.Fatal(err)
	}
	file := name("a b%20.bin")
	task := told("")
	n := int64(1)
	task.Links = append([]Link{{Partition: 3, Count: &n}, {Partition: 3, Fetch: &Fetch{}}}, task.Links...)
	for name, c := range map[string]struct {
		row   engine.Row
		want  string // contents, or part of the error
		again bool   // the engine reads the file in its other way
	}{
		"as it was found": {row: refer(file, "file:"+file, 8, changed), want: "contents"},
		"as a URL":        {row: refer("x", "file://"+file, 8, changed), want: "contents"},
		"whole seconds":   {row: refer(file, "file:"+file, 8, changed.Truncate(time.Second)), want: "contents"},
		"empty":           {row: engine.File{Path: file}.Row()},
		"longer now":      {row: refer(file, "file:"+file, 7, changed), want: "8 bytes here, and 7", again: true},
		"changed since": {row: refer(file, "file:"+file, 8, changed.Add(-time.Millisecond)),
			want: "04:05:06.789Z here, and at 2026-02-03T04:05:06.788Z", again: true},
		"missing":            {row: refer(file, "file:"+name("none"), 8, changed), want: "no such file", again: true},
		"a directory":        {row: refer(file, "file:"+name("dir"), 8, changed), want: "is a directory", again: true},
		"Hadoop's checksums": {row: refer(file, "file:"+name("summed"), 8, changed), want: "checksums", again: true},
		"on no disk":         {row: refer(file, "hdfs://nn"+file, 8, changed), want: "on no disk", again: true},
		"no size": {row: engine.File{Path: file, Content: []byte("x 1 file:" + file)}.Row(),
			want: "refers to no file"},
		"a negative size": {row: engine.File{Path: file, Content: []byte("-1 1 file:" + file)}.Row(),
			want: "refers to no file"},
		"a size and no more":  {row: engine.File{Path: file, Content: []byte("8")}.Row(), want: "refers to no file"},
		"much larger than is": {row: refer(file, "file:"+file, 1<<60, changed), want: "8 bytes here", again: true},
	} {
		out, _, _ := served(t, Text, bytes.NewReader(sent(Text, task, []engine.Row{c.row})))
		got := records(t, Text, out)
		last := got[len(got)-1]
		if last.Kind == Failed {
			var f Failure
			if err := json.Unmarshal(last.Data, &f); err != nil || !strings.Contains(f.Error(), c.want) ||
				(f.Unread != "") != c.again || f.Permanent == c.again {
				t.Errorf("%s: %+v, error %v; wanted %s", name, f, err, c.want)
			}
			continue
		}
		f, err := engine.FileOf(engine.Unindexed(got[0].Data))
		if original, _ := engine.FileOf(c.row); err != nil || string(f.Content) != c.want || f.Path != original.Path ||
			c.again {
			t.Errorf("%s: %s with %q, error %v; wanted %q", name, f.Path, f.Content, err, c.want)
		}
	}
}

// TestFetchCut: a worker reads a piece of a file, whether it opens the file itself or the whole file comes.
func TestFetchCut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("0123456789"), 0o666); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]engine.Cut{"234": {From: 2, To: 5}, "6789": {From: 6, To: -1}, "89": {From: 8, To: 30},
		"": {From: 40, To: 50}} {
		for _, fetched := range []bool{true, false} {
			task, row := told(""), refer(file, "file:"+file, 10, at)
			link := Link{Partition: 3, Fetch: &Fetch{Cuts: []engine.Cut{c}}}
			if !fetched {
				row = engine.File{Path: file, Content: []byte("0123456789")}.Row()
				link = Link{Partition: 3, Cuts: []engine.Cut{c}}
			}
			task.Links = append([]Link{link}, task.Links...)
			out, _, _ := served(t, Text, bytes.NewReader(sent(Text, task, []engine.Row{row})))
			f, err := engine.FileOf(engine.Unindexed(records(t, Text, out)[0].Data))
			if err != nil || f.Path != file || string(f.Content) != want {
				t.Errorf("fetched %v, %+v: %s with %q, error %v; wanted %q", fetched, c, f.Path, f.Content, err, want)
			}
		}
	}
}
