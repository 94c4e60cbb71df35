//go:build spark

package connect

import (
	"context"
	"crypto/rand"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/arrow"
)

// BenchmarkSpark measures the figures in docs/spark-notes.md on a real server:
//
//	tools/spark.sh with go test -tags spark -run '^$' -bench Spark ./internal/spark/connect
func BenchmarkSpark(b *testing.B) {
	s := open(b)
	ctx := b.Context()
	if err := s.Set(ctx, map[string]string{"spark.sql.adaptive.enabled": "false"}); err != nil {
		b.Fatal(err)
	}
	run := func(b *testing.B, r Relation) (rows, size int) {
		if err := s.Collect(ctx, r, Run{}, func(batch *arrow.Batch) error {
			rows += batch.Rows
			for c := range batch.Columns {
				if batch.Columns[c].Type.Kind == arrow.String {
					for i := range batch.Rows {
						size += len(batch.Columns[c].Bytes(i))
					}
				}
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
		return rows, size
	}
	b.Run("setting", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Get(ctx, "spark.sql.adaptive.enabled"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("no rows", func(b *testing.B) {
		for b.Loop() {
			run(b, SQL("SELECT 1 WHERE false"))
		}
	})
	b.Run("two tasks", func(b *testing.B) {
		for b.Loop() {
			run(b, Range(0, 2, 1, 2))
		}
	})
	for _, size := range []int{1 << 20, 16 << 20, 64 << 20} {
		b.Run(fmt.Sprintf("artifact of %d MiB", size>>20), func(b *testing.B) {
			content := make([]byte, size)
			rand.Read(content)
			b.SetBytes(int64(size))
			for b.Loop() {
				if err := s.AddArtifacts(ctx, ArtifactBytes("files/"+newUUID(), content)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	// 100,000 rows of 1 KB text.
	const rows, width = 100_000, 1000
	r := Range(0, rows, 1, 2).Select(Text(fmt.Sprintf("repeat(chr(int(97 + id %% 26)), %d)", width)).As("line"))
	if err := s.Persist(ctx, r, StorageLevel{Memory: true, Disk: true}); err != nil {
		b.Fatal(err)
	}
	view := "lines" + newUUID()
	if err := s.CreateView(ctx, view, r); err != nil {
		b.Fatal(err)
	}
	begun := time.Now()
	if err := s.Collect(ctx, r.Select(Func("count", Col("line"))), Run{},
		func(*arrow.Batch) error { return nil }); err != nil {
		b.Fatal(err)
	}
	b.Logf("persisting 100 MB took %v", time.Since(begun))
	b.Run("two tasks on cached rows", func(b *testing.B) {
		for b.Loop() {
			run(b, r.Select(Func("count", Col("line"))))
		}
	})
	b.Run("100 MB of rows to the client", func(b *testing.B) {
		b.SetBytes(rows * width)
		for b.Loop() {
			if n, size := run(b, r); n != rows || size != rows*width {
				b.Fatalf("%d rows with %d bytes", n, size)
			}
		}
	})
	binary := filepath.Join(b.TempDir(), "echo")
	if out, err := exec.Command("go", "build", "-o", binary, "./testdata/echo").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	name := "echo-" + newUUID()
	worker, err := ArtifactFile("files/"+name, binary)
	if err != nil {
		b.Fatal(err)
	}
	if err := s.AddArtifacts(ctx, worker); err != nil {
		b.Fatal(err)
	}
	begun = time.Now()
	transform := "SELECT TRANSFORM(line) USING 'exec ./*/" + name + "' AS (line STRING) FROM " + Quote(view)
	run(b, SQL(transform+" LIMIT 1"))
	b.Logf("the first TRANSFORM with a new binary took %v", time.Since(begun))
	b.Run("TRANSFORM of 2 rows", func(b *testing.B) {
		for b.Loop() {
			run(b, SQL("SELECT TRANSFORM(id) USING 'exec ./*/"+name+"' AS (line STRING) FROM range(0, 2, 1, 2)"))
		}
	})
	b.Run("TRANSFORM of 100 MB", func(b *testing.B) {
		b.SetBytes(rows * width)
		for b.Loop() {
			run(b, SQL("SELECT count(line) FROM ("+transform+")"))
		}
	})
	b.Run("TRANSFORM of 100 MB to the client", func(b *testing.B) {
		b.SetBytes(rows * width)
		for b.Loop() {
			if n, size := run(b, SQL(transform)); n != rows || size != rows*width {
				b.Fatalf("%d rows with %d bytes", n, size)
			}
		}
	})
	b.Run("cancel", func(b *testing.B) {
		slow := Range(0, 2, 1, 2).Select(Text("java_method('java.lang.Thread', 'sleep', bigint(60000))"))
		total := time.Duration(0)
		for range b.N {
			ctx, cancel := context.WithCancel(ctx)
			running := make(chan bool, 100)
			done := make(chan error)
			go func() {
				done <- s.Collect(ctx, slow, Run{Progress: func(p Progress) { running <- p.Running > 0 }},
					func(*arrow.Batch) error { return nil })
			}()
			for !<-running {
			}
			begun := time.Now()
			cancel()
			<-done
			total += time.Since(begun)
		}
		b.ReportMetric(float64(total.Milliseconds())/float64(b.N), "ms-to-interrupt")
	})
}
