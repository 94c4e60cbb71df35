//go:build spark

package spark_test

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/spark"
	"github.com/dl4go/dl4go/internal/spark/deploy"
	"github.com/dl4go/dl4go/internal/worker"
)

// ask reads a broadcast.
var ask = engine.Register("spark_test.ask", func(t *engine.Task, id engine.BroadcastID, _ engine.Rows,
	out engine.Writer) error {
	value, err := t.Broadcast(id)
	if err != nil {
		return err
	}
	return out.Write(engine.Unindexed(value[:8]))
})

// sparkFiles returns the folder of all files that the Spark of these tests writes.
func sparkFiles(t *testing.T) string {
	t.Helper()
	files := os.Getenv("DL4GO_SPARK_FILES")
	if files == "" {
		t.Fatal("DL4GO_SPARK_FILES names no folder: tools/spark.sh with sets it")
	}
	return files + "/" // the folder may be a link
}

// TestSparkDisk checks that released values are removed from the executors' disks. Beyond a certain amount, they and
// the ended sessions must also leave the server.
func TestSparkDisk(t *testing.T) {
	files := sparkFiles(t)
	e := open(t)
	const size = 300_007
	// lying counts the files with such values, and the copies of this program on the executors.
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
		t.Errorf("of 50 values, 2 executors have %d files, and %d programs after %d; the server has %d values after %d",
			executors-others, more, programs, server, before)
	}
}

// TestSparkInstalled checks that a program installed on the executors is not sent, and that one of another build is
// refused.
func TestSparkInstalled(t *testing.T) {
	files := sparkFiles(t)
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	build, err := worker.Build()
	if err != nil {
		t.Fatal(err)
	}
	programs := func() map[string]bool {
		found := map[string]bool{}
		filepath.WalkDir(files, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && strings.HasPrefix(entry.Name(), "dl4go-"+build) {
				found[path] = true
			}
			return nil
		})
		return found
	}
	for name, program := range map[string][]byte{"same": self, "other": append(self[:len(self):len(self)], 'x')} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, program, 0o755); err != nil {
			t.Fatal(err)
		}
		before := programs()
		e, err := engine.Open(t.Context(), os.Getenv("DL4GO_SPARK"), engine.Options{
			WorkerBinaries: map[string]string{deploy.Own().String(): "file://" + path}})
		if err != nil {
			t.Fatal(err)
		}
		b, err := e.Broadcast(t.Context(), []byte("12345678"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := engine.Parallelize(e, make([][]engine.Row, 4)).Map(ask.With(b.ID())).CollectAll(t.Context())
		switch {
		case name == "same" && (err != nil || len(rows) != 4):
			t.Errorf("%d rows, %v", len(rows), err)
		case name == "other" && (err == nil || !strings.Contains(err.Error(), "both must be the same program")):
			t.Errorf("a program of another build: %v", err)
		}
		for path := range programs() {
			if !before[path] { // copies of earlier sessions are removed meanwhile
				t.Errorf("%s: the program was sent: %s", name, path)
			}
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// tidied makes the copies in the executors' fetch caches old, like those of a killed driver. A command that only opens
// and closes an engine, such as dl4go clean, must remove them.
func tidied(t *testing.T, files string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	aged := func(age bool) (n int) {
		filepath.WalkDir(files, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_cache") {
				return nil
			}
			info, err := entry.Info()
			if err != nil || info.Size() < 10<<20 {
				return nil
			}
			if age {
				err = os.Chtimes(path, old, old)
			}
			if err == nil && (age || !info.ModTime().After(old)) {
				n++
			}
			return nil
		})
		return n
	}
	if aged(true) == 0 {
		t.Error("the executors have no copies of the program: the test does not see them")
	}
	// Close doesn't wait long for a busy executor.
	await.Until(t, "commands to remove the old copies of the program", func() (any, bool) {
		if err := open(t).Close(); err != nil {
			t.Fatal(err)
		}
		left := aged(false)
		return left, left == 0
	})
}

// TestSparkNothingStays checks that a closed engine leaves nothing on the executors and no program on the server.
// Another engine of the same program must go on working.
func TestSparkNothingStays(t *testing.T) {
	files := sparkFiles(t)
	// lying counts the executors' folders of a session and all copies of programs, in their fetch caches and on the
	// server.
	lying := func(mark string) (folders, cached, server int) {
		filepath.WalkDir(files, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil
			}
			if strings.Contains(path, "/app-") && entry.Name() == mark {
				folders++
			}
			info, err := entry.Info()
			switch {
			case err != nil || info.Size() < 10<<20:
			case strings.HasSuffix(path, "_cache"):
				cached++
			case strings.HasPrefix(entry.Name(), "dl4go-") && !strings.Contains(path, "/app-"):
				server++
			}
			return nil
		})
		return
	}
	use := func(e engine.Engine) {
		t.Helper()
		b, err := e.Broadcast(t.Context(), []byte("12345678"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := engine.Parallelize(e, make([][]engine.Row, 4)).Map(ask.With(b.ID())).CollectAll(t.Context())
		if err != nil || len(rows) != 4 || string(rows[3].Bytes) != "12345678" {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
	}
	// closed opens an engine, uses it, closes it, and counts what is left.
	closed := func() (folders, programs, server int) {
		_, cached, sessions := lying("")
		e := open(t)
		use(e)
		mark, forgets := spark.Mark(e), spark.Forgets(e)
		if folders, _, _ := lying(mark); folders == 0 {
			t.Error("no executor has a folder for the session: the test does not see it")
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		folders, after, server := lying(mark)
		if forgets {
			server = sessions // until its session times out
		}
		return folders, max(0, after-cached), max(0, server-sessions)
	}
	other := open(t)
	use(other)
	tidied(t, files)
	if _, _, sessions := lying(""); sessions == 0 {
		t.Error("the server has no program: the test does not see it")
	}
	// Close doesn't wait long for a busy executor, so only one of several closes must find all of them free.
	await.Until(t, "a close that leaves nothing", func() (any, bool) {
		folders, programs, server := closed()
		if server > 0 {
			t.Errorf("%d programs stay on the server", server)
		}
		return fmt.Sprintf("%d folders of the session, and %d programs", folders, programs), folders == 0 && programs == 0
	})
	use(other)
}
