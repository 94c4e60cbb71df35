//go:build spark

package spark_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/engine/faulttest"
	"github.com/dl4go/dl4go/engine/spark"
	"github.com/dl4go/dl4go/engine/spark/arrow"
	"github.com/dl4go/dl4go/engine/spark/connect"
)

// asFiles makes a file of each row, and waits where a marker says so.
var asFiles = engine.Register("spark_test.asFiles", func(t *engine.Task, conf struct{ Hang string }, in engine.Rows, out engine.Writer) error {
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

// sample is rows of many sizes: none, one, and more than a record holds.
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
		if at[p] >= len(want[p]) || f.Path != fmt.Sprintf("part_%d_%d", p, at[p]) || !bytes.Equal(f.Content, want[p][at[p]].Bytes) {
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

// session is one beside the engine's.
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

// newRuns lists what runs have saved in dir, but for those of before.
func newRuns(t *testing.T, e engine.Engine, dir string, before []string) []engine.Run {
	t.Helper()
	runs, err := e.Runs(t.Context(), dir)
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
	e, temp := open(t), t.TempDir()
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

// TestSavedIsVerified: what was cut, or is gone, is never taken for what was saved.
func TestSavedIsVerified(t *testing.T) {
	e, temp := open(t), t.TempDir()
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

// TestSaveWithoutRoom: the disk is full where an executor writes.
func TestSaveWithoutRoom(t *testing.T) {
	small := t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=300k"); err != nil {
		t.Skipf("a small disk can't be made here: %v", err)
	}
	defer syscall.Unmount(small, syscall.MNT_DETACH)
	e := open(t)
	parts := make([][]engine.Row, 3)
	for p := range parts {
		parts[p] = []engine.Row{engine.Unindexed(noise(1 << 20))}
	}
	_, err := engine.Parallelize(e, parts).Map(asFiles.With(hang{})).Save(t.Context(), "file://"+small)
	if err == nil || !strings.Contains(err.Error(), "No space left on device") {
		t.Errorf("the error is %v", err)
	}
	t.Log(err)
	if left := below(t, small); left != nil {
		t.Errorf("left: %v", left)
	}
	if left := runNames(t, e, "file://"+small); left != nil {
		t.Errorf("the catalogue has %v", left)
	}
}

// noise is incompressible.
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

// TestSaveUnderKills kills workers while they give what is saved: that is exact, and nothing else is there.
func TestSaveUnderKills(t *testing.T) {
	e, temp := open(t), t.TempDir()
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

// TestSaveGivenUp: a save that is cancelled leaves nothing.
func TestSaveGivenUp(t *testing.T) {
	e, temp, marks := open(t), t.TempDir(), t.TempDir()
	d, _ := sample(e)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error)
	go func() {
		_, err := d.Map(asFiles.With(hang{filepath.Join(marks, "m")})).Save(ctx, temp)
		failed <- err
	}()
	await(t, "a task to run", func() bool { return below(t, marks) != nil })
	cancel()
	if err := <-failed; err == nil {
		t.Error("no error")
	}
	if left := runNames(t, e, temp); left != nil {
		t.Errorf("the catalogue has %v", left)
	}
	await(t, "what was written to go", func() bool { return below(t, temp) == nil })
}

// await polls.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(2 * time.Minute); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("waited for %s", what)
		}
	}
}

// TestDriverKilledWithSavedData kills drivers that have saved data, and that are saving it.
func TestDriverKilledWithSavedData(t *testing.T) {
	e, temp := open(t), t.TempDir()
	for _, c := range []struct{ dir, hang string }{{temp, ""}, {"", ""}, {temp, filepath.Join(t.TempDir(), "m")}} {
		before := runNames(t, e, c.dir)
		cmd := exec.Command(os.Args[0], "-test.run=^TestSavingDriver$")
		cmd.Env = append(os.Environ(), "DL4GO_TEST_SAVE="+c.dir+"|"+c.hang)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.hang == "" {
			for s := bufio.NewScanner(out); s.Scan() && s.Text() != "saved"; {
				t.Log(s.Text())
			}
		} else {
			await(t, "a task to run", func() bool { return below(t, filepath.Dir(c.hang)) != nil })
		}
		cmd.Process.Kill()
		cmd.Wait()
		runs := newRuns(t, e, c.dir, before)
		if len(runs) != 1 {
			t.Fatalf("the killed driver left %+v", runs)
		}
		r := runs[0]
		if r.Owner != engine.OwnerUnknown || time.Since(r.Seen) > 3*time.Minute || c.hang == "" && r.Bytes < 100_000 {
			t.Errorf("%+v", r)
		}
		if err := e.RemoveRun(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if got := newRuns(t, e, c.dir, before); got != nil {
			t.Errorf("%v is left", got)
		}
	}
	// What still ran when the last one was removed has ended, and has left nothing either.
	await(t, "the temporary directory to be empty", func() bool { return below(t, temp) == nil })
}

// TestSavingDriver is the driver that TestDriverKilledWithSavedData and TestViewsOfAKilledDriver kill.
func TestSavingDriver(t *testing.T) {
	dir, hanging, ok := strings.Cut(os.Getenv("DL4GO_TEST_SAVE"), "|")
	if !ok {
		t.Skip("it is run by other tests")
	}
	d, _ := sample(open(t))
	var err error
	if dir == "persist" {
		_, err = d.Map(asFiles.With(hang{})).Persist(engine.MemoryOnly).Count(context.Background())
	} else {
		_, err = d.Map(asFiles.With(hang{hanging})).Save(context.Background(), dir)
	}
	fmt.Println(err)
	fmt.Println("saved")
	select {}
}

// TestViewsOfAKilledDriver: what Spark keeps for a driver is listed, as its own is, and can be removed.
func TestViewsOfAKilledDriver(t *testing.T) {
	e := open(t)
	own, _ := sample(e)
	if _, err := own.Persist(engine.MemoryOnly).Count(t.Context()); err != nil {
		t.Fatal(err)
	}
	views := func() map[string]engine.Run {
		runs, err := e.Runs(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		found := make(map[string]engine.Run)
		for _, r := range runs {
			if strings.HasPrefix(r.Place, "global_temp.") {
				found[r.Name] = r
			}
		}
		return found
	}
	before := views()
	mine := engine.Run{}
	for _, r := range before {
		if r.Owner == engine.OwnerLives {
			mine = r
		}
	}
	if mine.Name == "" || e.RemoveRun(t.Context(), mine) == nil {
		t.Errorf("this engine's views are listed as %+v", before)
	}
	if err := spark.Live(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if again := views()[mine.Name]; time.Since(again.Seen) > time.Minute {
		t.Errorf("the engine was last seen %v", again.Seen)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestSavingDriver$")
	cmd.Env = append(os.Environ(), "DL4GO_TEST_SAVE=persist|")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(out); s.Scan() && s.Text() != "saved"; {
		t.Log(s.Text())
	}
	cmd.Process.Kill()
	cmd.Wait()
	left := 0
	for name, r := range views() {
		if before[name].Name != "" || r.Owner != engine.OwnerUnknown || time.Since(r.Seen) > 2*time.Minute {
			continue
		}
		left++
		if err := e.RemoveRun(t.Context(), r); err != nil {
			t.Error(err)
		}
		if views()[name].Name != "" {
			t.Errorf("%s is still there", name)
		}
	}
	if left == 0 {
		t.Error("the killed driver left nothing")
	}
	if n, err := own.Count(t.Context()); err != nil || n != 9 {
		t.Errorf("this engine's rows: %d, error %v", n, err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if left := texts(t, session(t), "SHOW VIEWS IN global_temp LIKE '"+mine.Name+"*'"); left != nil {
		t.Errorf("a closed engine leaves %v", left)
	}
}

// TestSignOfLife: what a run has saved is as young as its last sign of life.
func TestSignOfLife(t *testing.T) {
	e, temp := open(t), t.TempDir()
	d, _ := sample(e)
	saved, err := d.Map(asFiles.With(hang{})).Save(t.Context(), temp)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-30 * time.Hour).Truncate(time.Second)
	if _, err := session(t).Exec(t.Context(), fmt.Sprintf("ALTER TABLE %s.data SET TBLPROPERTIES('dl4go.seen' = '%d')", filepath.Base(saved.Place), old.Unix())); err != nil {
		t.Fatal(err)
	}
	if runs := newRuns(t, e, temp, nil); len(runs) != 1 || !runs[0].Seen.Equal(old) {
		t.Errorf("%+v, wanted to be seen last at %v", runs, old)
	}
	if err := spark.Live(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if runs := newRuns(t, e, temp, nil); len(runs) != 1 || time.Since(runs[0].Seen) > time.Minute {
		t.Errorf("%+v, wanted to be seen just now", runs)
	}
	if _, err := saved.Count(t.Context()); err != nil {
		t.Error(err)
	}
	if err := saved.Remove(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestRunsThatTheCatalogueForgot: a server that was started anew does not know what it had. What is kept stays.
func TestRunsThatTheCatalogueForgot(t *testing.T) {
	e, s, temp := open(t), session(t), t.TempDir()
	d, want := sample(e)
	saved, err := d.Map(asFiles.With(hang{})).Save(t.Context(), temp)
	if err != nil {
		t.Fatal(err)
	}
	if err := saved.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := e.(engine.SavedOpener).OpenSaved(t.Context(), saved.Place)
	if err != nil {
		t.Fatal(err)
	}
	wantSample(t, again, want)
	lost, forgotten := engine.RunName(time.Now().Add(-50*time.Hour)), engine.RunName(time.Now())
	if err := s.SaveFiles(t.Context(), connect.SQL("SELECT 1 AS a"), filepath.Join(temp, lost, "data"), "parquet", connect.ErrorIfExists, connect.Run{}); err != nil {
		t.Fatal(err)
	}
	machines := engine.RunName(time.Now().Add(-90 * time.Hour)) // what local[N] exported, and kept
	if err := os.Mkdir(filepath.Join(temp, machines), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(temp, machines, "dataset_0.bin"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(temp, forgotten), os.DirFS(strings.TrimPrefix(saved.Place, "file:"))); err != nil {
		t.Fatal(err)
	}
	if again, err = e.(engine.SavedOpener).OpenSaved(t.Context(), filepath.Join(temp, forgotten)); err != nil {
		t.Fatal(err)
	}
	wantSample(t, again, want)
	if _, err := e.(engine.SavedOpener).OpenSaved(t.Context(), filepath.Join(temp, lost)); err == nil {
		t.Error("what is no saved data is opened as such")
	}
	runs, err := e.Runs(t.Context(), temp)
	if err != nil || len(runs) != 1 || runs[0].Name != lost || time.Since(runs[0].Seen) < 49*time.Hour || runs[0].Bytes < 100 {
		t.Fatalf("%+v, error %v", runs, err)
	}
	for _, place := range []string{temp, filepath.Join(temp, "x"), "/"} {
		if err := e.RemoveRun(t.Context(), engine.Run{Name: lost, Place: place}); err == nil {
			t.Errorf("%s can be removed", place)
		}
	}
	if err := e.RemoveRun(t.Context(), runs[0]); err != nil {
		t.Error(err)
	}
	if err := saved.Remove(t.Context()); err != nil {
		t.Error(err)
	}
	if there, err := filepath.Glob(temp + "/*"); err != nil || len(there) != 2 || filepath.Base(there[0]) != machines || filepath.Base(there[1]) != forgotten {
		t.Errorf("left: %v, %v", there, err)
	}
}

// TestListedFiles: files are found whatever they are called, empty or not, and those of other directories are not.
func TestListedFiles(t *testing.T) {
	e, temp := open(t), t.TempDir()
	dir := filepath.Join(temp, "a {b}[c]*%20é")
	for name, content := range map[string]string{"z 1%20.bin": "one", "empty": "", "ä'`$\"": "x", "_hidden": "x", ".hidden": "x", "k=1/inner": "x", "sub/inner": "x"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, base := range []string{dir, "file:" + dir, "file://" + dir + "/"} {
		found, err := e.ListFiles(t.Context(), base)
		if err != nil {
			t.Fatal(err)
		}
		at := strings.TrimRight(base, "/") + "/"
		if want := fmt.Sprint([]engine.FileInfo{{Path: at + "empty"}, {Path: at + "z 1%20.bin", Size: 3}, {Path: at + "ä'`$\"", Size: 1}}); fmt.Sprint(found) != want {
			t.Fatalf("%v, wanted %v", found, want)
		}
		rows, err := engine.ReadFiles(e, [][]string{{found[2].Path, found[0].Path}, {found[1].Path, found[0].Path}}).CollectAll(t.Context())
		var read string
		for _, row := range rows {
			f, err := engine.FileOf(row)
			if err != nil {
				t.Fatal(err)
			}
			read += strings.TrimPrefix(f.Path, at) + "=" + string(f.Content) + " "
		}
		if want := "ä'`$\"=x empty= z 1%20.bin=one empty= "; err != nil || read != want {
			t.Errorf("read %s, wanted %s; error %v", read, want, err)
		}
	}
	for path, want := range map[string]string{dir + "/none": "does not exist", dir + "/empty": "not a directory"} {
		if _, err := e.ListFiles(t.Context(), path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) {
			t.Errorf("listing %s: %v", path, err)
		}
	}
	for _, path := range []string{dir + "/none", dir + "/sub", dir + "/_hidden", "nosuch://host/x"} {
		if _, err := engine.ReadFiles(e, [][]string{{path}}).Count(t.Context()); err == nil || !strings.Contains(err.Error(), path) && !strings.Contains(err.Error(), "nosuch") {
			t.Errorf("reading %s: %v", path, err)
		} else {
			t.Log(err)
		}
	}
	// Hadoop's checksum of a file says that it is not what was written.
	bad := filepath.Join(dir, "bad")
	if err := os.WriteFile(bad, []byte("changed"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".bad.crc"), []byte("crc\x00\x00\x00\x02\x00\x01\x02\x03\x04"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.ReadFiles(e, [][]string{{bad}}).Count(t.Context()); err == nil || !strings.Contains(err.Error(), "bad") {
		t.Errorf("a file that can't be read: %v", err)
	} else {
		t.Log(err)
	}
}
