//go:build spark

package spark_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// These tests check the facts about Spark's TRANSFORM that the engine depends on. If one fails after an update of
// Spark, its message says what depends on the fact.

// transform is a session in which a test runs commands under TRANSFORM. The executors are on this machine. Commands
// leave files in dir, where pids finds their process IDs.
type transform struct {
	*connect.Session
	t   *testing.T
	dir string
}

func newTransform(t *testing.T) *transform {
	t.Helper()
	tr := &transform{t: t, dir: t.TempDir()}
	tr.Session = tr.open(master(t), connect.Options{})
	t.Cleanup(tr.kill)
	return tr
}

func (tr *transform) open(master string, o connect.Options) *connect.Session {
	tr.t.Helper()
	a, err := connect.ParseAddress(master)
	if err != nil {
		tr.t.Fatal(err)
	}
	o.Insecure = true
	s, err := connect.Open(tr.t.Context(), a, o)
	if err != nil {
		tr.t.Fatal(err)
	}
	tr.t.Cleanup(func() { s.Close(context.Background()) })
	if err := s.Set(tr.t.Context(), map[string]string{"spark.sql.adaptive.enabled": "false"}); err != nil {
		tr.t.Fatal(err)
	}
	return s
}

const tabs = `ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t'`

// query returns a query that runs a command under TRANSFORM over the column id of a relation in SQL. columns names the
// output's columns. In the command, $DIR is the test's directory.
func (tr *transform) query(command, from, columns string) string {
	command = strings.ReplaceAll(command, "$DIR", tr.dir)
	return fmt.Sprintf(`SELECT TRANSFORM(id) %s USING '%s' AS (%s) %s FROM %s`, tabs,
		strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(command), columns, tabs, from)
}

// rows runs a query and prints its rows with a | between columns.
func (tr *transform) rows(ctx context.Context, query string) ([]string, error) {
	rows := []string{}
	err := tr.Collect(ctx, connect.SQL(query), connect.Run{}, func(b *arrow.Batch) error {
		for i := range b.Rows {
			var values []string
			for c := range b.Columns {
				col := &b.Columns[c]
				switch {
				case col.IsNull(i):
					values = append(values, "NULL")
				case col.Type.Kind == arrow.String:
					values = append(values, col.Text(i))
				default:
					values = append(values, fmt.Sprint(col.Float(i)))
				}
			}
			rows = append(rows, strings.Join(values, "|"))
		}
		return nil
	})
	return rows, err
}

// expect runs a query and compares its rows. A failure says what depends on them.
func (tr *transform) expect(query, depends string, want ...string) {
	tr.t.Helper()
	got, err := tr.rows(tr.t.Context(), query)
	if err != nil {
		tr.t.Fatal(err)
	}
	tr.fact(strings.Join(got, "\n") == strings.Join(want, "\n"), depends, "gave %q, wanted %q", got, want)
}

// fact fails the test if Spark no longer does what something depends on.
func (tr *transform) fact(holds bool, depends, format string, args ...any) {
	tr.t.Helper()
	if !holds {
		tr.t.Errorf("Spark %s %s.\nOn this depends: %s", tr.Version(), fmt.Sprintf(format, args...), depends)
	}
}

// notePID is the start of a command that pids can find.
const notePID = `echo >$DIR/pid.$$; `

// pids returns the process IDs of the commands that are still alive.
func (tr *transform) pids() []int {
	var pids []int
	for _, path := range tr.files("pid.*") {
		pid, _ := strconv.Atoi(strings.TrimPrefix(filepath.Ext(path), "."))
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if strings.Contains(string(line), tr.dir) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (tr *transform) files(pattern string) []string {
	paths, _ := filepath.Glob(filepath.Join(tr.dir, pattern))
	return paths
}

func (tr *transform) kill() {
	for _, pid := range tr.pids() {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// cancelled runs a query, cancels it when both partitions have a process, and returns when Spark has handled that.
func (tr *transform) cancelled(query string) {
	tr.t.Helper()
	ctx, cancel := context.WithCancel(tr.t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := tr.rows(ctx, query)
		done <- err
	}()
	await.Until(tr.t, "two processes", func() (any, bool) {
		select {
		case err := <-done:
			tr.t.Fatalf("the query was to be cancelled, and ended: %v", err)
		default:
		}
		pids := tr.pids()
		return pids, len(pids) == 2
	})
	cancel()
	<-done
}

// wait runs a query that needs both slots.
func (tr *transform) wait(within time.Duration) error {
	return tr.Collect(tr.t.Context(), connect.Range(0, 2, 1, 2), connect.Run{Timeout: within},
		func(*arrow.Batch) error { return nil })
}

func TestSparkTransformEmptyPartition(t *testing.T) {
	t.Parallel()
	tr := newTransform(t)
	tr.expect(tr.query(`cat >/dev/null; echo ran`, `range(0, 1, 1, 2)`, `x STRING`),
		"every partition of a table begins with a header, so that its task has a worker that commits it (table.go)", "ran")
}

func TestSparkTransformColumns(t *testing.T) {
	t.Parallel()
	tr := newTransform(t)
	const depends = "columns are STRING, data is base64 or -, and no record ends with an empty column (internal/worker)"
	print := func(line string) string { return `cat >/dev/null; printf '` + line + `\n'` }
	one := `range(0, 1, 1, 1)`
	tr.expect(tr.query(print(`300\tx\t1.5`), one, `a TINYINT, b DOUBLE, c INT`), depends, "NULL|NULL|NULL")
	tr.expect(tr.query(print(`a\t\t`), one, `a STRING, b STRING, c STRING`), depends, "a||")
	tr.expect(tr.query(print(`a\tb`), one, `a STRING, b STRING, c STRING`), depends, "a|b|NULL")
	tr.expect(tr.query(print(`a\tb\tc\td`), one, `a STRING, b STRING, c STRING`), depends, "a|b|c")
	tr.expect(tr.query(print(`a\rb`), one, `a STRING`), depends, "a", "b")
	null := `(SELECT CAST(NULL AS STRING) AS id UNION ALL SELECT '')`
	tr.expect(tr.query(`tr '\134' B`, null, `a STRING`), depends, "BN", "")
	tr.expect(tr.query(`cat`, null, `a STRING`), depends, "NULL", "")
	if base64, err := tr.rows(t.Context(), `SELECT base64(unhex(repeat('00', 100)))`); err != nil {
		t.Error(err)
	} else {
		tr.fact(strings.Contains(base64[0], "\r\n"), "what Spark encodes is cleaned of line ends (table.go)",
			"gives base64 %q", base64)
	}
}

func TestSparkTransformAdaptiveExecution(t *testing.T) {
	t.Parallel()
	tr := newTransform(t)
	query := tr.query(`cat >/dev/null; echo ran`, `(SELECT id FROM range(0, 1000, 1, 4) DISTRIBUTE BY id)`, `x STRING`)
	const depends = "the engine switches adaptive execution off for its session (spark.go)"
	for adaptive, all := range map[string]bool{"false": true, "true": false} {
		if err := tr.Set(t.Context(), map[string]string{"spark.sql.adaptive.enabled": adaptive,
			"spark.sql.shuffle.partitions": "8"}); err != nil {
			t.Fatal(err)
		}
		got, err := tr.rows(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		tr.fact((len(got) == 8) == all, depends, "made %d partitions of 8 with adaptive execution %s", len(got), adaptive)
	}
}

// TestSparkTransformExit tests processes that don't end as they should.
func TestSparkTransformExit(t *testing.T) {
	t.Parallel()
	tr := newTransform(t)
	timeout := func(seconds string) {
		const key = "spark.sql.scriptTransformation.exitTimeoutInSeconds"
		if err := tr.Set(t.Context(), map[string]string{key: seconds}); err != nil {
			t.Fatal(err)
		}
	}
	timeout("1")
	tr.expect(tr.query(notePID+`cat; exec >&-; exec -a $DIR sleep 600`, `range(0, 2, 1, 2)`, `x STRING`),
		"what a partition gives counts only with its commit record (internal/worker)", "0", "1")
	tr.fact(len(tr.pids()) == 2, "workers end by themselves (internal/worker)", "left %d of 2 processes", len(tr.pids()))
	// A process that fails during this time is a failure.
	timeout("3600")
	const depends = "a worker that fails says why in its last 2 KB of stderr (internal/worker)"
	says := func(command string) string {
		_, err := tr.rows(t.Context(), tr.query(command, `range(0, 1000000, 1, 2)`, `x STRING`))
		if err == nil {
			t.Fatal("a process failed, and the query did not")
		}
		return err.Error()
	}
	// Spark reads standard error on another thread. The pipe and the buffers hold less than this, so Spark has kept as
	// much of it as it can when the process ends. It must not write to its buffer any more: see docs/spark-notes.md.
	said := says(`cat >/dev/null; exec 9</proc/self/fd/2; head -c 100000 /dev/zero | tr '\0' % >&2; ` +
		`while read -t 0 <&9; do :; done; exec >&-; sleep 1; exit 3`)
	kept := strings.Count(said, "%")
	tr.fact(strings.Contains(said, "exited with status 3") && (kept == 2048 || tr.Version() < "4.0" && kept > 1700),
		depends, "gives back %d characters of stderr: %s", kept, said)
	// If input is left, Spark reports either the exit status or that it could not write the rest, by chance.
	said = says(`exec >&-; sleep 1; exit 3`)
	tr.fact(strings.Contains(said, "exited with status 3") || strings.Contains(said, "java.io.IOException"),
		"a worker that fails reads its input to the end (internal/worker)",
		"says of a process that did not read its input %s", said)
}

// TestSparkTransformCancel tests processes of a cancelled query.
func TestSparkTransformCancel(t *testing.T) {
	t.Run("while rows go in", func(t *testing.T) {
		tr := newTransform(t)
		tr.cancelled(tr.query(`trap 'echo >$DIR/term.$$; exit 1' TERM; `+notePID+
			`while read x; do :; done; exec -a $DIR sleep 600`,
			// more rows than a process reads in an hour
			`(SELECT id FROM (SELECT /*+ REPARTITION(2) */ id FROM range(0, 1000000, 1, 2) SORT BY id) `+
				`LATERAL VIEW explode(sequence(1, 10000)) AS i)`, `x STRING`))
		await.Until(t, "both processes to end", func() (any, bool) {
			pids := tr.pids()
			return pids, pids == nil
		})
		tr.fact(len(tr.files("term.*")) == 2, "a worker is told by SIGTERM as long as it reads (internal/worker)",
			"sent %d of 2 processes a SIGTERM", len(tr.files("term.*")))
	})
	t.Run("in silence", func(t *testing.T) {
		tr := newTransform(t)
		// Spark sends SIGTERM to a process that has not read all its input, so this one notes itself after that.
		tr.cancelled(tr.query(`cat >/dev/null; `+notePID+`exec -a $DIR sleep 7200`, `range(0, 2, 1, 2)`, `x STRING`))
		// Spark reports a query's progress every 2 s, and later if it is busy.
		err := tr.wait(3 * time.Second)
		for within := 6 * time.Second; tr.Version() >= "4.0" && err != nil &&
			!strings.Contains(err.Error(), "of 2 tasks") && within < time.Hour; within *= 2 {
			err = tr.wait(within)
		}
		tr.fact(err != nil && len(tr.pids()) == 2, "workers give signs of life, and look whether somebody reads them",
			"ends silent processes: %d of 2 are left", len(tr.pids()))
		if tr.Version() >= "4.0" && !strings.Contains(err.Error(),
			"of 2 tasks, 0 are done, 0 run and 2 wait for a free slot") {
			t.Errorf("a query that gets no slot says %v", err)
		}
		tr.kill()
		if err := tr.wait(time.Hour); err != nil {
			t.Errorf("the slots are not free again: %v", err)
		}
	})
	t.Run("with signs of life", func(t *testing.T) {
		tr := newTransform(t)
		query := tr.query(`cat >/dev/null; `+notePID+`while true; do echo h; echo h; read -t 0.2 <>$DIR/none; done`,
			`range(0, 2, 1, 2)`, `x STRING`)
		if err := syscall.Mkfifo(filepath.Join(tr.dir, "none"), 0o600); err != nil {
			t.Fatal(err)
		}
		tr.cancelled(`SELECT * FROM (` + query +
			`) WHERE CASE WHEN x = 'h' THEN java_method('java.lang.Thread', 'sleep', bigint(0)) IS NOT NULL ELSE true END`)
		err := tr.wait(time.Hour)
		tr.fact(err == nil, "a cancelled worker's signs of life free its slot", "still keeps the slots: %v", err)
		tr.fact(len(tr.pids()) == 2, "workers look whether somebody reads them",
			"ended processes of cancelled tasks: %d of 2 are left", len(tr.pids()))
		for _, pid := range tr.pids() {
			await.Until(t, "output that nobody reads", func() (any, bool) {
				n := unread(t, pid)
				return n, n > 0
			})
		}
	})
}

// unread returns how many bytes of a process' standard output have not been read.
func unread(t *testing.T, pid int) int {
	pipe, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/1", pid), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	n, err := unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSparkTransformArtifacts looks for a session's files while it lasts and after it. Executors forget a session half
// an hour after its last task. They keep the copies that others of their machine can use until they end. The server
// also keeps a copy.
func TestSparkTransformArtifacts(t *testing.T) {
	tr := newTransform(t)
	name := "art" + strings.ReplaceAll(tr.ID(), "-", "")
	if err := tr.AddArtifacts(t.Context(), connect.ArtifactBytes("files/"+name, []byte(name))); err != nil {
		t.Fatal(err)
	}
	paths, err := tr.rows(t.Context(), tr.query(`cat >/dev/null; echo $(realpath ./*/`+name+`)`,
		`range(0, 2, 1, 2)`, `x STRING`))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		tr.fact(err == nil && info.Mode()&0o100 != 0, "workers are started as ./*/NAME (job.go)",
			"has the artifact at %s, %v", path, err)
	}
	// An executor's directory is RUN/work1/app-…/0. The server's files are in RUN, too.
	work, _, _ := strings.Cut(paths[0], "/app-")
	run := filepath.Dir(work)
	const depends = "nothing is sent as a file that only one split needs"
	server, executors := copies(t, run, name)
	tr.fact(server > 0 && executors >= 2, depends, "keeps %d and %d copies", server, executors)
	if err := tr.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	serverAfter, executorsAfter := copies(t, run, name)
	tr.fact(serverAfter > 0 && executorsAfter == executors, depends,
		"keeps %d of %d copies on the server, and %d of %d on executors, "+
			"after the session's end", serverAfter, server, executorsAfter, executors)
}

// copies counts the files below a directory that have these contents, the server's and the executors'. An executor has
// one for the session, and one that others of its machine can copy.
func copies(t *testing.T, dir, contents string) (server, executors int) {
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // it was removed meanwhile
		}
		if info, err := d.Info(); err != nil || info.Size() != int64(len(contents)) {
			return nil
		}
		if b, err := os.ReadFile(path); err == nil && string(b) == contents {
			if strings.Contains(path, "/app-") || strings.Contains(path, "/executor-") {
				executors++
			} else {
				server++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return server, executors
}
