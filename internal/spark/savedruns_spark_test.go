//go:build spark

package spark_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/spark"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// TestDriverKilledWithSavedData kills drivers that have saved data, and drivers that are saving it.
func TestDriverKilledWithSavedData(t *testing.T) {
	begun := time.Now().Truncate(time.Second)
	e, temp := shared(t), t.TempDir()
	for _, c := range []struct{ dir, hang string }{{temp, ""}, {"", ""}, {temp, filepath.Join(t.TempDir(), "m")}} {
		before := runNames(t, e, c.dir)
		driver := startDriver(t, c.dir+"|"+c.hang)
		if c.hang == "" {
			driver.says("saved")
		} else {
			await.Until(t, "a task to run", func() (any, bool) {
				marks := below(t, filepath.Dir(c.hang))
				return marks, marks != nil
			})
		}
		driver.kill()
		runs := newRuns(t, e, c.dir, before)
		if len(runs) != 1 {
			t.Fatalf("the killed driver left %+v", runs)
		}
		r := runs[0]
		if r.Owner != engine.OwnerUnknown || r.Seen.Before(begun) || c.hang == "" && r.Bytes < 100_000 {
			t.Errorf("%+v", r)
		}
		if err := e.(engine.Cleaner).RemoveRun(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if got := newRuns(t, e, c.dir, before); got != nil && c.hang == "" {
			t.Errorf("%v is left", got)
		}
		driver.endSession() // otherwise its tasks would wait a minute for the driver
	}
	wantRemoved(t, e, temp)
	if left := runNames(t, e, temp); left != nil {
		t.Errorf("%v is left", left)
	}
}

// wantRemoved waits until a directory is empty. Spark does not say when the tasks of a run that ended early have ended.
// A task that was about to open its file makes the run's directory again. It can be removed again.
func wantRemoved(t *testing.T, e engine.Engine, dir string) {
	t.Helper()
	await.Until(t, dir+" to be empty", func() (any, bool) {
		left := below(t, dir)
		for _, path := range left {
			if _, ok := engine.RunTime(filepath.Base(path)); !ok {
				continue
			}
			if err := e.(engine.Cleaner).RemoveRun(t.Context(), engine.Run{Name: filepath.Base(path), Place: path}); err != nil {
				t.Fatal(err)
			}
		}
		return left, left == nil
	})
}

// driver is a process that runs TestSavingDriver.
type driver struct {
	*testing.T
	cmd     *exec.Cmd
	out     *bufio.Scanner
	session string
}

func startDriver(t *testing.T, save string) *driver {
	t.Helper()
	d := &driver{T: t, cmd: exec.Command(os.Args[0], "-test.run=^TestSavingDriver$")}
	d.cmd.Env = append(os.Environ(), "DL4GO_TEST_SAVE="+save)
	out, err := d.cmd.StdoutPipe()
	if err == nil {
		err = d.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	d.out = bufio.NewScanner(out)
	d.session = d.says("session ")
	return d
}

// says waits for a line with this prefix and returns the rest of the line.
func (d *driver) says(begin string) string {
	d.Helper()
	for d.out.Scan() {
		if rest, ok := strings.CutPrefix(d.out.Text(), begin); ok {
			return rest
		}
		d.Log(d.out.Text())
	}
	d.Fatalf("the driver never says %q", begin)
	return ""
}

func (d *driver) kill() {
	d.cmd.Process.Kill()
	d.cmd.Wait()
}

// endSession makes the server forget the session of a killed driver.
func (d *driver) endSession() {
	d.Helper()
	a, err := connect.ParseAddress(os.Getenv("DL4GO_SPARK"))
	if err != nil {
		d.Fatal(err)
	}
	a.SessionID = d.session
	s, err := connect.Open(d.Context(), a, connect.Options{})
	if err == nil {
		err = s.Close(d.Context())
	}
	if err != nil {
		d.Error(err)
	}
}

// TestSavingDriver is the driver that TestDriverKilledWithSavedData and TestViewsOfAKilledDriver kill.
func TestSavingDriver(t *testing.T) {
	dir, hanging, ok := strings.Cut(os.Getenv("DL4GO_TEST_SAVE"), "|")
	if !ok {
		return // this is an ordinary test run
	}
	e := open(t)
	fmt.Println("session", spark.SessionID(e))
	d, _ := sample(e)
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

// TestViewsOfAKilledDriver checks that the tables that Spark keeps for a killed driver are listed like a live driver's,
// and can be removed.
func TestViewsOfAKilledDriver(t *testing.T) {
	e := open(t)
	own, _ := sample(e)
	if _, err := own.Persist(engine.MemoryOnly).Count(t.Context()); err != nil {
		t.Fatal(err)
	}
	views := func() map[string]engine.Run {
		runs, err := e.(engine.Cleaner).Runs(t.Context(), "")
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
	if mine.Name == "" || e.(engine.Cleaner).RemoveRun(t.Context(), mine) == nil {
		t.Errorf("this engine's views are listed as %+v", before)
	}
	begun := time.Now().Truncate(time.Second)
	if err := spark.Live(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if again := views()[mine.Name]; again.Seen.Before(begun) {
		t.Errorf("the engine was last seen %v", again.Seen)
	}
	driver := startDriver(t, "persist|")
	driver.says("saved")
	driver.kill()
	left := 0
	for name, r := range views() {
		if before[name].Name != "" || r.Owner != engine.OwnerUnknown || r.Seen.Before(begun) {
			continue
		}
		left++
		s := session(t)
		var again []connect.Relation // other names for the driver's tables
		for i, view := range texts(t, s, "SHOW VIEWS IN global_temp LIKE '"+name+"*'") {
			if err := s.CreateView(t.Context(), fmt.Sprint("again", i), connect.Table("global_temp."+view)); err != nil {
				t.Fatal(err)
			}
			again = append(again, connect.Table(fmt.Sprint("again", i)))
		}
		kept := func() (n int) {
			for _, a := range again {
				if l, err := s.StorageLevel(t.Context(), a); err != nil {
					t.Error(err)
				} else if l.Memory {
					n++
				}
			}
			return n
		}
		if n := kept(); n != 1 {
			t.Errorf("Spark keeps %d of the killed driver's data sets, wanted 1", n)
		}
		if err := e.(engine.Cleaner).RemoveRun(t.Context(), r); err != nil {
			t.Error(err)
		}
		if n := kept(); n != 0 {
			t.Errorf("Spark still keeps %d of the killed driver's data sets", n)
		}
		if views()[name].Name != "" {
			t.Errorf("%s is still there", name)
		}
	}
	if left == 0 {
		t.Error("the killed driver left nothing")
	}
	count := func() {
		t.Helper()
		if n, err := own.Map(pass.With(struct{}{})).Count(t.Context()); err != nil || n != 9 {
			t.Errorf("this engine's rows: %d, error %v", n, err)
		}
	}
	count()
	// The executors' copies of its program are removed when they are old, like those of any other session.
	if copies := agedPrograms(t); len(copies) == 0 {
		t.Error("no executor has a copy of a program: the test does not see it")
	}
	await.Until(t, "the old copies of programs to go", func() (any, bool) {
		count()
		old := agedPrograms(t)
		return old, old == nil
	})
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if left := texts(t, session(t), "SHOW VIEWS IN global_temp LIKE '"+mine.Name+"*'"); left != nil {
		t.Errorf("a closed engine leaves %v", left)
	}
}

// agedPrograms returns the copies of programs in the executors' fetch caches after making them an hour old.
func agedPrograms(t *testing.T) (found []string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	filepath.WalkDir(sparkFiles(t), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_cache") {
			return nil
		}
		if spark.IsProgram(path) && os.Chtimes(path, old, old) == nil {
			found = append(found, path)
		}
		return nil
	})
	return found
}

// TestSignOfLife checks that the age of a run's saved data is the time since its driver last recorded that it was
// alive.
func TestSignOfLife(t *testing.T) {
	e, temp := shared(t), t.TempDir()
	d, _ := sample(e)
	saved, err := d.Map(asFiles.With(hang{})).Save(t.Context(), temp)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now().Truncate(time.Second)
	old := begun.Add(-30 * time.Hour)
	if _, err := session(t).Exec(t.Context(), fmt.Sprintf("ALTER TABLE %s.data SET TBLPROPERTIES('dl4go.seen' = '%d')",
		filepath.Base(saved.Place), old.Unix())); err != nil {
		t.Fatal(err)
	}
	if runs := newRuns(t, e, temp, nil); len(runs) != 1 || !runs[0].Seen.Equal(old) {
		t.Errorf("%+v, wanted to be seen last at %v", runs, old)
	}
	if err := spark.Live(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if runs := newRuns(t, e, temp, nil); len(runs) != 1 || runs[0].Seen.Before(begun) {
		t.Errorf("%+v, wanted to be seen just now", runs)
	}
	// Another server's catalogue doesn't know the run, so the files in its directory decide.
	elsewhere := t.TempDir()
	lost := engine.RunName(time.Now().Add(-50 * time.Hour))
	if err := os.CopyFS(filepath.Join(elsewhere, lost), os.DirFS(strings.TrimPrefix(saved.Place, "file:"))); err != nil {
		t.Fatal(err)
	}
	if runs := newRuns(t, e, elsewhere, nil); len(runs) != 1 || runs[0].Seen.Before(begun) {
		t.Errorf("where the catalogue knows nothing: %+v, wanted to be seen just now", runs)
	}
	if _, err := saved.Count(t.Context()); err != nil {
		t.Error(err)
	}
	if err := saved.Remove(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestRunsThatTheCatalogueForgot checks runs that the catalogue of a restarted server has forgotten. They must be
// listed, and kept data must stay.
func TestRunsThatTheCatalogueForgot(t *testing.T) {
	t.Parallel()
	e, s, temp := shared(t), session(t), t.TempDir()
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
	begun := time.Now()
	lost, forgotten := engine.RunName(begun.Add(-50*time.Hour)), engine.RunName(begun)
	if err := s.SaveFiles(t.Context(), connect.SQL("SELECT 1 AS a"), filepath.Join(temp, lost, "data"), "parquet",
		connect.ErrorIfExists, connect.Run{}); err != nil {
		t.Fatal(err)
	}
	machines := engine.RunName(time.Now().Add(-90 * time.Hour)) // a kept export of local[N]
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
	runs, err := e.(engine.Cleaner).Runs(t.Context(), temp)
	if err != nil || len(runs) != 1 || runs[0].Name != lost || runs[0].Seen.After(begun.Add(-49*time.Hour)) ||
		runs[0].Bytes < 100 {
		t.Fatalf("%+v, error %v", runs, err)
	}
	for _, place := range []string{temp, filepath.Join(temp, "x"), "/"} {
		if err := e.(engine.Cleaner).RemoveRun(t.Context(), engine.Run{Name: lost, Place: place}); err == nil {
			t.Errorf("%s can be removed", place)
		}
	}
	if err := e.(engine.Cleaner).RemoveRun(t.Context(), runs[0]); err != nil {
		t.Error(err)
	}
	if err := saved.Remove(t.Context()); err != nil {
		t.Error(err)
	}
	if there, err := filepath.Glob(temp + "/*"); err != nil || len(there) != 2 || filepath.Base(there[0]) != machines ||
		filepath.Base(there[1]) != forgotten {
		t.Errorf("left: %v, %v", there, err)
	}
}

// TestSavedByOthers checks that sizes named in foreign files don't make the driver allocate memory.
func TestSavedByOthers(t *testing.T) {
	t.Parallel()
	e, s, temp := shared(t), session(t), t.TempDir()
	for name, query := range map[string]string{
		"huge":     "SELECT 2147483647 AS p, 'x' AS told",
		"negative": "SELECT -7 AS p, 'x' AS told",
		"empty":    "SELECT 1 AS p, 'x' AS told WHERE false",
		"others":   "SELECT 'a' AS b",
	} {
		place := filepath.Join(temp, name)
		for dir, rows := range map[string]string{"data": query, "dl4go_kept": "SELECT 'kept' AS value"} {
			format := map[string]string{"data": "parquet", "dl4go_kept": "text"}[dir]
			if err := s.SaveFiles(t.Context(), connect.SQL(rows), filepath.Join(place, dir), format, connect.ErrorIfExists,
				connect.Run{}); err != nil {
				t.Fatal(err)
			}
		}
		_, err := e.(engine.SavedOpener).OpenSaved(t.Context(), place)
		var saved *engine.SavedError
		if !errors.As(err, &saved) || !strings.Contains(err.Error(), place) {
			t.Errorf("%s: %v", name, err)
		}
		t.Log(err)
	}
}
