package faulttest

import (
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/await"
)

type endConfig struct {
	Partition int
	How       string
	Dir       string // the directory for the operation's files
	Marks     string // the folder in which each attempt leaves its Process
}

// ends returns its rows unchanged. In one partition, every attempt ends the worker in the way that How names.
var ends = engine.Register("faulttest.ends", func(t *engine.Task, conf endConfig, in engine.Rows,
	out engine.Writer) error {
	if t.Partition == conf.Partition {
		if err := Leave(conf.Marks); err != nil {
			return err
		}
		if conf.How == "killed early" {
			kill()
		}
	}
	for row, err := range engine.All(in) {
		if err == nil {
			err = out.Write(row)
		}
		if err != nil {
			return err
		}
	}
	if t.Partition != conf.Partition {
		return nil
	}
	switch conf.How {
	case "killed":
		kill()
	case "exit 0":
		os.Exit(0)
	case "crash":
		go func() { panic("a user's goroutine") }()
		select {}
	case "memory":
		return hog()
	case "disk":
		return fill(conf.Dir)
	}
	return errors.New("not known: " + conf.How)
})

// fill writes a file until the disk is full. It then removes the file.
func fill(dir string) error {
	f, err := os.CreateTemp(dir, "full-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 1<<20))
	}
	return err
}

// Ending is the expected outcome of a job whose worker ends in every attempt at a task.
type Ending struct {
	Attempts int
	Says     []string // parts of the job's error
	// Lost, if not empty, is a part of the error when the engine has lost some of the worker's last output, which some
	// engines do by chance. The job is repeated while its error has that part and lacks one of Says.
	Lost string
}

// RunEnds tests jobs whose worker ends in every attempt at a task. It checks that the job fails, that the error says
// how the worker ended, that the engine still works afterwards, and that no process is left.
func RunEnds(t *testing.T, open func(t *testing.T) engine.Engine, all map[string]Ending) {
	e := open(t)
	attempts := make(map[string]int) // by the folder of their marks
	for how, want := range all {
		if raceDetector && how == "memory" {
			continue
		}
		marks := t.TempDir()
		t.Run(how, func(t *testing.T) { attempts[marks] = want.Attempts * fails(t, e, how, marks, want) })
	}
	must(t, e.Close())
	for marks, want := range attempts {
		if n := WantLeftGone(t, marks); n != want {
			t.Errorf("there were %d attempts, wanted %d", n, want)
		}
	}
}

// fails runs a job that fails, and one that does not. It returns how often the first one was run.
func fails(t *testing.T, e engine.Engine, how, marks string, want Ending) (jobs int) {
	dir := t.TempDir()
	rows := [][]engine.Row{{engine.Unindexed([]byte("a"))}, {engine.Unindexed([]byte("b"))}, {}, {}}
	switch how {
	case "disk":
		MountSmall(t, dir, "1m")
	case "killed early": // while the rows are still on their way
		rows[1] = slices.Repeat([]engine.Row{engine.Unindexed(make([]byte, 1<<20))}, 8)
	}
	d := engine.Parallelize(e, rows).Map(ends.With(endConfig{1, how, dir, marks}))
	ctx := await.Context(t)
	var err error
	lacking := want.Says
	for again := true; again; again = len(lacking) > 0 && want.Lost != "" && strings.Contains(err.Error(), want.Lost) {
		jobs++
		if _, err = d.Count(ctx); err == nil {
			t.Fatal("the job did not fail")
		}
		t.Log(err)
		lacking = slices.DeleteFunc(slices.Clone(want.Says),
			func(part string) bool { return strings.Contains(err.Error(), part) })
	}
	for _, part := range lacking {
		t.Errorf("the error lacks %q", part)
	}
	if n, err := engine.Parallelize(e, rows).Map(Mix("")).Count(ctx); n != int64(1+len(rows[1])) || err != nil {
		t.Errorf("after that, the engine counts %d rows; error %v", n, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v; error %v", left, err)
	}
	return jobs
}

// RunFullDisk tests saving more data than fits on a disk. It checks that the error says so and that no files are left
// behind. before is the prefix of a directory's name, such as a URL scheme.
func RunFullDisk(t *testing.T, open func(t *testing.T) engine.Engine, before string) {
	dir := t.TempDir()
	MountSmall(t, dir, "1m")
	e := open(t)
	rows := make([][]engine.Row, 3)
	content := make([]byte, 1<<20)
	mathrand.NewChaCha8([32]byte{}).Read(content)
	for p := range rows {
		rows[p] = []engine.Row{engine.File{Path: fmt.Sprintf("part-%d", p), Content: content}.Row()}
	}
	ctx := await.Context(t)
	_, err := engine.Parallelize(e, rows).Save(ctx, before+dir)
	if err == nil {
		t.Fatal("3 MB were saved on a disk of 1")
	}
	t.Log(err)
	for _, part := range []string{"o space left on device", "disk is full", dir} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error lacks %q", part)
		}
	}
	must(t, e.Close())
	left, err := os.ReadDir(dir)
	must(t, err)
	for _, entry := range left {
		t.Errorf("%s is left behind", entry.Name())
	}
}
