//go:build spark

package connect

import (
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/arrow"
)

// directMemory returns the memory that the server holds outside its heap, in bytes. A query over VALUES runs in the
// server itself.
func directMemory(t *testing.T, s *Session) int64 {
	t.Helper()
	rows := collect(t, s, SQL("SELECT java_method('io.netty.util.internal.PlatformDependent', 'usedDirectMemory') FROM "+
		"VALUES (1)"))
	n, err := strconv.ParseInt(rows[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSparkDirectMemory uploads 64 MB in 16 sessions, one after the other. The server holds none of it afterwards.
func TestSparkDirectMemory(t *testing.T) {
	const sessions, size = 16, 4 << 20
	watch := open(t)
	before := directMemory(t, watch)
	for n := range sessions {
		s, err := Open(t.Context(), watch.Address(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		text := []string{strings.Repeat("x", size), strconv.Itoa(n)}
		r, err := s.Upload(t.Context(), &arrow.Batch{Rows: len(text),
			Schema:  arrow.Schema{{Name: "v", Type: arrow.Of(arrow.String)}},
			Columns: []arrow.Column{arrow.Strings(text)}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.CreateView(t.Context(), "texts", r); err != nil {
			t.Fatal(err)
		}
		expect(t, collect(t, s, SQL("SELECT min(v), count(*) FROM texts")), strconv.Itoa(n)+"|2")
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	after := directMemory(t, watch)
	if left := after - before; left > sessions*size/2 {
		t.Errorf("%d sessions with %d MB each left %d MB of direct memory on the server", sessions, size>>20, left>>20)
	}
	t.Logf("%d MB before, %d MB after", before>>20, after>>20)
}
