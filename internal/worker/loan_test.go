package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/storage"
)

// lending is a file system that takes the terms of its loans, or their errors, from the files' contents.
type lending struct{ storage.FileSystem }

func (lending) Lend(context.Context, []string, time.Duration) ([]storage.Loan, error) {
	return nil, errors.ErrUnsupported
}

func (lending) Borrow(_ context.Context, l storage.Loan) (io.ReadCloser, error) {
	switch l.Terms {
	case "over":
		return nil, fmt.Errorf("%s: over: %w", l.URL, storage.ErrLapsed)
	case "refused":
		return nil, errors.New("refused")
	}
	return io.NopCloser(strings.NewReader(l.Terms)), nil
}

func init() { storage.Register("lent", lending{}) }

// TestFetchLent checks that lent files are read, by sealed loans and by terms. If another loan may help, the attempt
// fails. Otherwise the engine reads the file in its other way. Sealed text must reveal nothing of a loan.
func TestFetchLent(t *testing.T) {
	key, foreign := bytes.Repeat([]byte{1}, SealBytes), bytes.Repeat([]byte{2}, SealBytes)
	place := filepath.Join(t.TempDir(), "seal")
	if err := os.WriteFile(place, key, 0o666); err != nil {
		t.Fatal(err)
	}
	sealed := func(key []byte, terms string, size int) engine.Row {
		b, err := SealLoan(key, storage.Loan{URL: "lent://there/x", Terms: terms, Size: int64(size), Secret: true})
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := SealLoan(key, storage.Loan{}); len(again) < 12 || bytes.Contains(b, []byte(terms)) ||
			bytes.HasPrefix(b, again[:12]) {
			t.Errorf("a sealed loan is %q", b)
		}
		return engine.File{Path: "x", Content: b}.Row()
	}
	task := told("")
	task.Broadcasts = map[engine.BroadcastID]string{"seal": place}
	task.Links = append([]Link{{Partition: 3, Fetch: &Fetch{Seal: "seal",
		Terms: map[string]string{"lent://here/": "contents"}}}}, task.Links...)
	for name, c := range map[string]struct {
		row          engine.Row
		want         string
		again, other bool // another attempt helps; the engine's other way helps
	}{
		"sealed":          {row: sealed(key, "contents", 8), want: "contents"},
		"by terms":        {row: refer("x", "lent://here/x", 8, time.Now()), want: "contents"},
		"without terms":   {row: refer("x", "lent://elsewhere/x", 8, time.Now()), want: "on no disk", other: true},
		"cut":             {row: sealed(key, "content", 8), want: "unexpected EOF", other: true},
		"over":            {row: sealed(key, "over", 8), want: "over", again: true},
		"refused":         {row: sealed(key, "refused", 8), want: "refused", other: true},
		"with no key":     {row: sealed(foreign, "contents", 8), want: "sealed with another key"},
		"no loan at all":  {row: engine.File{Path: "x", Content: []byte(sealMark)}.Row(), want: "sealed with another key"},
		"of no such file": {row: refer("x", "none://here/x", 8, time.Now()), want: "on no disk", other: true},
	} {
		out, _, _ := served(t, Text, bytes.NewReader(sent(Text, task, []engine.Row{c.row})))
		got := records(t, Text, out)
		last := got[len(got)-1]
		if last.Kind == Failed {
			var f Failure
			if err := json.Unmarshal(last.Data, &f); err != nil || !strings.Contains(f.Error(), c.want) ||
				(f.Unread != "") != c.other || f.Permanent == (c.other || c.again) {
				t.Errorf("%s: %+v, error %v; wanted %s", name, f, err, c.want)
			}
			continue
		}
		f, err := engine.FileOf(engine.Unindexed(got[0].Data))
		if err != nil || string(f.Content) != c.want || c.again || c.other {
			t.Errorf("%s: %q, error %v; wanted %q", name, f.Content, err, c.want)
		}
	}
}
