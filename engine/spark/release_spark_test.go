//go:build spark

package spark_test

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/engine/spark"
)

// ask reads a broadcast.
var ask = engine.Register("spark_test.ask", func(t *engine.Task, id engine.BroadcastID, _ engine.Rows, out engine.Writer) error {
	value, err := t.Broadcast(id)
	if err != nil {
		return err
	}
	return out.Write(engine.Unindexed(value[:8]))
})

// TestSparkDisk: values that were released leave the executors' disks, and from some amount on they don't stay on the
// server's either, nor do sessions that have ended.
func TestSparkDisk(t *testing.T) {
	files := os.Getenv("DL4GO_SPARK_FILES")
	if files == "" {
		t.Fatal("DL4GO_SPARK_FILES names no folder: tools/spark.sh with sets it")
	}
	e := open(t)
	const size = 300_007
	// lying counts the files with such values, and this program's copies on the executors.
	lying := func() (executors, server, programs int) {
		filepath.WalkDir(files, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil
			}
			executor := strings.Contains(path, "/app-") || strings.HasSuffix(path, "_cache")
			if info, err := entry.Info(); err == nil && info.Size() == size {
				if executor {
					executors++
				} else {
					server++
				}
			}
			if executor && strings.HasPrefix(entry.Name(), "dl4go-") && !strings.HasSuffix(path, ".sh") {
				programs++
			}
			return nil
		})
		return
	}
	rounds := func(n int) {
		t.Helper()
		d := engine.Parallelize(e, make([][]engine.Row, 2))
		for range n {
			value := make([]byte, size)
			rand.Read(value)
			b, err := e.Broadcast(t.Context(), value)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := d.Map(ask.With(b.ID())).CollectAll(t.Context())
			if err != nil || len(rows) != 2 || string(rows[0].Bytes) != string(value[:8]) {
				t.Fatalf("%v, error %v", rows, err)
			}
			b.Release()
		}
	}
	others, _, _ := lying()
	rounds(20)
	executors, before, programs := lying()
	if executors > others+8 {
		t.Errorf("of 20 values, 2 executors have %d files", executors-others)
	}
	spark.FillServer(e)
	for range 2 {
		rounds(10)
		if err := spark.Renew(e); err != nil {
			t.Fatal(err)
		}
	}
	rounds(10)
	executors, server, more := lying()
	if spark.Forgets(e) {
		server = before // until its session times out
	}
	if executors > others+8 || server > before+10 || more > programs+2 {
		t.Errorf("of 50 values, 2 executors have %d files, and %d programs after %d; the server has %d values after %d", executors-others, more, programs, server, before)
	}
}
