//go:build spark

package spark_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/faulttest"
	"github.com/dl4go/dl4go/internal/spark"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// asFiles makes a file of each row. With Hang, it then writes a file with that prefix and waits until it is cancelled.
var asFiles = engine.Register("spark_test.asFiles", func(t *engine.Task, conf struct{ Hang string }, in engine.Rows,
	out engine.Writer) error {
	n := 0
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		f := engine.File{Path: fmt.Sprintf("part_%d_%d", t.Partition, n), Content: row.Bytes}
		if err := out.Write(f.Row()); err != nil {
			return err
		}
		n++
	}
	if conf.Hang == "" {
		return nil
	}
	if err := os.WriteFile(fmt.Sprintf("%s-%d", conf.Hang, t.Partition), nil, 0o666); err != nil {
		return err
	}
	<-t.Context().Done()
	return t.Context().Err()
})

type hang = struct{ Hang string }

// sample returns rows of many sizes, including empty ones and some that are larger than a record.
func sample(e engine.Engine) (*engine.Dataset, [][]engine.Row) {
	parts := make([][]engine.Row, 5)
	for p, sizes := range [][]int{{10, 0, 300_000}, {}, {3 << 20, 1, 1 << 20}, {5}, {70_000, 70_000}} {
		for i, n := range sizes {
			b := make([]byte, n)
			for k := range b {
				b[k] = byte(k*k>>7 ^ k>>3 ^ i ^ p)
			}
			parts[p] = append(parts[p], engine.Unindexed(b))
		}
	}
	return engine.Parallelize(e, parts), parts
}

func wantSample(t *testing.T, saved *engine.Dataset, want [][]engine.Row) {
	t.Helper()
	at := make([]int, len(want))
	err := saved.Collect(t.Context(), func(p int, row engine.Row) error {
		f, err := engine.FileOf(row)
		if err != nil {
			return err
		}
		if at[p] >= len(want[p]) || f.Path != fmt.Sprintf("part_%d_%d", p, at[p]) ||
			!bytes.Equal(f.Content, want[p][at[p]].Bytes) {
			return fmt.Errorf("partition %d, row %d: %s with %d bytes", p, at[p], f.Path, len(f.Content))
		}
		at[p]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for p := range want {
		if at[p] != len(want[p]) {
			t.Errorf("partition %d has %d rows, wanted %d", p, at[p], len(want[p]))
		}
	}
}

// below lists all files and directories below dir.
func below(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path != dir {
			return nil // Spark has just removed it
		}
		if path != dir {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// session opens a session beside the engine's.
func session(t *testing.T) *connect.Session {
	t.Helper()
	a, err := connect.ParseAddress(os.Getenv("DL4GO_SPARK"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := connect.Open(t.Context(), a, connect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

func texts(t *testing.T, s *connect.Session, sql string) (rows []string) {
	t.Helper()
	r, err := s.Exec(t.Context(), sql)
	if err == nil {
		err = s.Collect(t.Context(), r, connect.Run{}, func(b *arrow.Batch) error {
			for i := range b.Rows {
				rows = append(rows, b.Columns[min(1, len(b.Columns)-1)].Text(i))
			}
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// newRuns lists the runs that have saved data in dir since before.
func newRuns(t *testing.T, e engine.Engine, dir string, before []string) []engine.Run {
	t.Helper()
	runs, err := e.(engine.Cleaner).Runs(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	runs = slices.DeleteFunc(runs, func(r engine.Run) bool {
		return slices.Contains(before, r.Name) || strings.HasPrefix(r.Place, "global_temp.")
	})
	if len(runs) == 0 {
		return nil
	}
	return runs
}

func runNames(t *testing.T, e engine.Engine, dir string) (names []string) {
	t.Helper()
	for _, r := range newRuns(t, e, dir, nil) {
		names = append(names, r.Name)
	}
	return names
}

// TestSaveAnywhere saves to directories whose names have a meaning elsewhere, and to the warehouse.
func TestSaveAnywhere(t *testing.T) {
	e, temp := shared(t), t.TempDir()
	d, want := sample(e)
	d = d.Map(asFiles.With(hang{}))
	const databases = "SHOW DATABASES LIKE 'dl4go_run_*'"
	there := texts(t, session(t), databases)
	for _, dir := range []string{"file://" + temp + "/it's a%20é`$(x)\"); DROP -- /u0027", "file:" + temp + "/new/😀", ""} {
		before := runNames(t, e, dir)
		saved, err := d.Save(t.Context(), dir)
		if err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		wantSample(t, saved.Dataset, want)
		runs := newRuns(t, e, dir, before)
		if len(runs) != 1 || runs[0].Owner != engine.OwnerLives || runs[0].Bytes < 100_000 {
			t.Errorf("%s: runs %+v", dir, runs)
		}
		if err := saved.Remove(t.Context()); err != nil {
			t.Error(err)
		}
		if got := newRuns(t, e, dir, before); got != nil {
			t.Errorf("%s: %v is left", dir, got)
		}
	}
	for _, path := range below(t, temp) {
		if strings.Contains(path, "dl4go_run") {
			t.Errorf("%s is left", path)
		}
	}
	for _, dir := range []string{"relative", temp + "/a*b", "nosuch://host/x"} {
		if saved, err := d.Save(t.Context(), dir); err == nil {
			t.Errorf("%s: saved to %s", dir, saved.Place)
		} else {
			t.Log(err)
		}
	}
	if left := texts(t, session(t), databases); !slices.Equal(left, there) {
		t.Errorf("databases are left: %v", left)
	}
}

// TestSavedIsVerified checks that cut or missing files are never accepted as saved data.
func TestSavedIsVerified(t *testing.T) {
	t.Parallel()
	e, temp := shared(t), t.TempDir()
	d, _ := sample(e)
	d = d.Map(asFiles.With(hang{}))
	for name, spoil := range map[string]func(path string) error{
		"a file is gone": os.Remove,
		"a file is cut": func(path string) error {
			os.Remove(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".crc"))
			return os.Truncate(path, 1000)
		},
		"a byte is another": func(path string) error {
			os.Remove(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".crc"))
			b, err := os.ReadFile(path)
			if err == nil {
				b[len(b)/2] ^= 1
				err = os.WriteFile(path, b, 0o666)
			}
			return err
		},
	} {
		saved, err := d.Save(t.Context(), temp)
		if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(temp, "dl4go_run_*", "data", "part-*"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, f := range files {
			if err := spoil(f); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := saved.Count(t.Context()); err == nil {
			t.Errorf("%s: %d rows are read", name, n)
		} else {
			t.Logf("%s: %v", name, err)
		}
		if err := saved.Remove(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if left := below(t, temp); left != nil {
		t.Errorf("left: %v", left)
	}
}

// TestSaveWithoutRoom saves to a full disk of an executor.
func TestSaveWithoutRoom(t *testing.T) {
	t.Parallel()
	small := t.TempDir()
	faulttest.MountSmall(t, small, "300k")
	e := shared(t)
	parts := make([][]engine.Row, 3)
	for p := range parts {
		parts[p] = []engine.Row{engine.Unindexed(noise(1 << 20))}
	}
	_, err := engine.Parallelize(e, parts).Map(asFiles.With(hang{})).Save(t.Context(), "file://"+small)
	for _, part := range []string{"No space left on device", "disk is full", small} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error is %v, without %q", err, part)
		}
	}
	t.Log(err)
	if left := runNames(t, e, "file://"+small); left != nil {
		t.Errorf("the catalogue has %v", left)
	}
	wantRemoved(t, e, small)
}

// noise returns incompressible bytes.
func noise(n int) []byte {
	b := make([]byte, n)
	x := uint64(n) | 1
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x >> 32)
	}
	return b
}

// TestSaveUnderKills kills workers while their output is saved. The saved data must be exact, with no other files
// beside it.
func TestSaveUnderKills(t *testing.T) {
	e, temp := shared(t), t.TempDir()
	d, want := sample(e)
	for _, f := range []faulttest.Fault{
		{Deed: faulttest.Kill, Point: faulttest.Wrote, Row: 1, Task: asFiles.Name(), Partition: 2},
		{Deed: faulttest.Kill, Point: faulttest.End, Task: asFiles.Name(), Partition: 0},
		{Deed: faulttest.Cut, Point: faulttest.Wrote, Row: 1, Task: asFiles.Name(), Partition: 4},
		{Deed: faulttest.Kill, Point: faulttest.Committed, Task: asFiles.Name(), Partition: 3},
	} {
		armed := faulttest.Arm(t, f)
		saved, err := d.Map(asFiles.With(hang{})).Save(t.Context(), temp)
		if err != nil {
			t.Fatalf("%v: %v", f, err)
		}
		armed.WantHappened()
		armed.Disarm()
		wantSample(t, saved.Dataset, want)
		for _, path := range below(t, temp) {
			if strings.Contains(path, "_temporary") {
				t.Errorf("%v: %s is left", f, path)
			}
		}
		if err := saved.Remove(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if left := below(t, temp); left != nil {
		t.Errorf("left: %v", left)
	}
}

// TestSaveGivenUp checks that a cancelled save leaves nothing, even if a task makes its directory and opens its file
// after the directory was dropped. The test imitates such a task once more.
func TestSaveGivenUp(t *testing.T) {
	e, temp := open(t), t.TempDir()
	mark := filepath.Join(t.TempDir(), "mark")
	late := t.TempDir()
	attempt := filepath.Join(late, "data", "_temporary", "0", "_temporary", "attempt_late")
	if err := errors.Join(os.MkdirAll(attempt, 0o777), os.WriteFile(filepath.Join(attempt, "part-late.parquet"),
		noise(100), 0o666)); err != nil {
		t.Fatal(err)
	}
	d, _ := sample(e)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var runs []string
	made := errors.New("nothing has watched for late tasks")
	spark.BeforeSweep(e, func() { made = os.Rename(late, runs[0]) })
	failed := make(chan error)
	go func() {
		_, err := d.Map(asFiles.With(hang{mark})).Save(ctx, temp)
		failed <- err
	}()
	await.Until(t, "a task to run", func() (any, bool) {
		started, _ := filepath.Glob(mark + "-*")
		runs, _ = filepath.Glob(filepath.Join(temp, "dl4go_run_*"))
		return [][]string{started, runs}, started != nil && runs != nil
	})
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if made != nil && !errors.Is(made, fs.ErrExist) { // a task was late, too
		t.Error(made)
	}
	for _, path := range below(t, temp) {
		if strings.HasSuffix(path, "part-late.parquet") {
			t.Errorf("left: %v", path)
		}
	}
	if left := runNames(t, e, temp); left != nil {
		t.Errorf("the catalogue has %v", left)
	}
	wantRemoved(t, e, temp)
}
