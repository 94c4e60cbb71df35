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
	Dir       string // for its files
	Marks     string // a folder where each attempt leaves its Process
}

// ends gives its rows, but in one partition something happens to the worker, in every attempt.
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

// fill writes until nothing more can be written, and leaves nothing behind.
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

// Ending is what becomes of a job whose worker ends in every attempt at a task.
type Ending struct {
	Attempts int
	Says     []string // the job's error
	// Lost, if not empty, is in the error where the engine has lost a worker's last words, which some do by chance. The
	// job is tried again then, twice at most.
	Lost string
}

// RunEnds has workers end in every attempt at a task. The job fails and says how they ended, the engine goes on to
// work, and no process is left.
func RunEnds(t *testing.T, open func(t *testing.T) engine.Engine, all map[string]Ending) {
	for how, want := range all {
		if raceDetector && how == "memory" {
			continue
		}
		t.Run(how, func(t *testing.T) {
			e := open(t)
			marks, dir := t.TempDir(), t.TempDir()
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
			jobs := 0
			for again := true; again; again = want.Lost != "" && strings.Contains(err.Error(), want.Lost) && jobs < 3 {
				jobs++
				if _, err = d.Count(ctx); err == nil {
					t.Fatal("the job did not fail")
				}
				t.Log(err)
			}
			for _, part := range want.Says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error lacks %q", part)
				}
			}
			if n, err := engine.Parallelize(e, rows).Map(Mix("")).Count(ctx); n != int64(1+len(rows[1])) || err != nil {
				t.Errorf("after that, the engine counts %d rows; error %v", n, err)
			}
			must(t, e.Close())
			if n := WantLeftGone(t, marks); n != jobs*want.Attempts {
				t.Errorf("there were %d attempts in %d jobs, wanted %d in each", n, jobs, want.Attempts)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("left behind: %v; error %v", left, err)
			}
		})
	}
}

// RunFullDisk saves more than a disk holds: that is said, and nothing is left behind. before is what a directory's
// name begins with.
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
