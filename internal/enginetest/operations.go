package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/dl4go/dl4go/engine"
)

var (
	tag         = engine.Register("enginetest.tag", runTag)
	identity    = engine.Register("enginetest.identity", runIdentity)
	first       = engine.Register("enginetest.first", runFirst)
	paths       = engine.Register("enginetest.paths", runPaths)
	middles     = engine.Register("enginetest.middles", runMiddles)
	named       = engine.Register("enginetest.named", runNamed)
	different   = engine.Register("enginetest.different", runDifferent)
	join        = engine.Register("enginetest.join", runJoin)
	discard     = engine.Register("enginetest.discard", runDiscard)
	addValue    = engine.Register("enginetest.addValue", runAddValue)
	build       = engine.Register("enginetest.build", runBuild)
	buildShared = engine.Register("enginetest.buildShared", runBuildShared)
	misbehave   = engine.Register("enginetest.misbehave", runMisbehave)
	swallow     = engine.Register("enginetest.swallow", runSwallow)
	untilCancel = engine.Register("enginetest.untilCancel", runUntilCancel)
	untilFile   = engine.Register("enginetest.untilFile", runUntilFile)
)

type tagConfig struct{ Text string }

// runTag appends the text and the partition's number to each row.
func runTag(t *engine.Task, conf tagConfig, in engine.Rows, out engine.Writer) error {
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		row.Bytes = fmt.Appendf(nil, "%s%s%d", row.Bytes, conf.Text, t.Partition)
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return nil
}

type markConfig struct{ Dir string }

// runIdentity returns the rows unchanged and leaves a mark.
func runIdentity(_ *engine.Task, conf markConfig, in engine.Rows, out engine.Writer) error {
	if conf.Dir != "" {
		if err := mark(conf.Dir); err != nil {
			return err
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
	return nil
}

type firstConfig struct{ Rows int }

// runFirst returns the first rows and doesn't read the others.
func runFirst(_ *engine.Task, conf firstConfig, in engine.Rows, out engine.Writer) error {
	for range conf.Rows {
		row, err := in.Next()
		if err != nil {
			return err
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return nil
}

// runPaths returns each file's name and content.
func runPaths(_ *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		f, err := engine.FileOf(row)
		if err != nil {
			return err
		}
		row.Bytes = fmt.Appendf(nil, "%s %s", filepath.Base(f.Path), f.Content)
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return nil
}

// runMiddles opens each file, and returns its name, its bytes 1 to 3, and its size.
func runMiddles(t *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		f, err := engine.FileOf(row)
		if err != nil {
			return err
		}
		opened, err := t.Open(f)
		if err != nil {
			return err
		}
		b := make([]byte, 3)
		n, err := opened.ReadAt(b, 1)
		if err != nil && err != io.EOF {
			return err
		}
		row.Bytes = fmt.Appendf(nil, "%s %s of %d", filepath.Base(f.Path), b[:n], opened.Size())
		if err := errors.Join(opened.Close(), out.Write(row)); err != nil {
			return err
		}
	}
	return nil
}

// runNamed makes a file of each row. Partition and place form its name.
func runNamed(t *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
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
	return nil
}

// runDifferent returns one more row each time it runs.
func runDifferent(_ *engine.Task, conf markConfig, _ engine.Rows, out engine.Writer) error {
	if err := mark(conf.Dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(conf.Dir)
	for range entries {
		err = errors.Join(err, out.Write(engine.Unindexed([]byte("x"))))
	}
	return err
}

// runJoin combines rows so that the result shows how: a, b and c become (abc).
func runJoin(_ *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
	b := []byte("(")
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		b = append(b, row.Bytes...)
	}
	return out.Write(engine.Unindexed(append(b, ')')))
}

// runDiscard returns no rows.
func runDiscard(_ *engine.Task, _ struct{}, in engine.Rows, _ engine.Writer) error {
	for _, err := range engine.All(in) {
		if err != nil {
			return err
		}
	}
	return nil
}

type valueConfig struct{ Value engine.BroadcastID }

// runAddValue appends the broadcast value to each row.
func runAddValue(t *engine.Task, conf valueConfig, in engine.Rows, out engine.Writer) error {
	value, err := t.Broadcast(conf.Value)
	if err != nil {
		return err
	}
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		row.Bytes = bytes.Join([][]byte{row.Bytes, value}, nil)
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return nil
}

type buildConfig struct {
	Value engine.BroadcastID
	Dir   string
	Fail  bool
}

// built leaves a mark when it is built and another when it is closed.
type built struct {
	dir   string
	value []byte
}

func (b *built) Close() error { return mark(b.dir) }

// runBuild returns a cached value. It leaves a mark when it has to build the value.
func runBuild(t *engine.Task, conf buildConfig, _ engine.Rows, out engine.Writer) error {
	b, err := engine.Cached(t, conf.Value, "built", func(value []byte) (*built, error) {
		return &built{conf.Dir, value}, mark(conf.Dir)
	})
	if err != nil {
		return err
	}
	if conf.Fail && t.Attempt == 1 {
		return errors.New("asked to fail")
	}
	return out.Write(engine.Unindexed(b.value))
}

// runBuildShared is runBuild with a value that all tasks of the process share.
func runBuildShared(t *engine.Task, conf buildConfig, _ engine.Rows, out engine.Writer) error {
	b, err := engine.Shared(t, conf.Value, "shared", func(value []byte) (*built, error) {
		return &built{conf.Dir, value}, mark(conf.Dir)
	})
	if err != nil {
		return err
	}
	if conf.Fail && t.Attempt == 1 {
		return errors.New("asked to fail")
	}
	return out.Write(engine.Unindexed(b.value))
}

type misbehaveConfig struct {
	Partition int    // the partition that misbehaves
	Attempts  int    // the number of attempts that misbehave
	How       string // "fail", "permanent", "typed" or "panic"
	Dir       string // each attempt leaves a mark
}

// runMisbehave returns its rows. In one partition, it fails after the first row.
func runMisbehave(t *engine.Task, conf misbehaveConfig, in engine.Rows, out engine.Writer) error {
	if t.Partition == conf.Partition {
		if err := mark(conf.Dir); err != nil {
			return err
		}
	}
	for row, err := range engine.All(in) {
		if err == nil {
			err = out.Write(row)
		}
		if err != nil {
			return err
		}
		if t.Partition != conf.Partition || t.Attempt > conf.Attempts {
			continue
		}
		switch err := errors.New("misbehaving in attempt " + strconv.Itoa(t.Attempt)); conf.How {
		case "permanent":
			return fmt.Errorf("wrapped: %w", engine.Permanent(err))
		case "typed":
			return fmt.Errorf("wrapped: %w", engine.Permanent(&odd{t.Partition, math.Inf(-1), []string{err.Error()}}))
		case "panic":
			panic(err)
		default:
			return err
		}
	}
	return nil
}

// odd is an error that reaches the driver with its type and fields.
type odd struct {
	Partition int
	Score     float64
	Reasons   []string
}

func (e *odd) Error() string { return fmt.Sprint("odd: ", e.Reasons) }

func init() { engine.RegisterError[*odd]("enginetest.odd") }

// runSwallow treats an error of its input as the end.
func runSwallow(_ *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
	for row, err := range engine.All(in) {
		if err != nil {
			return nil
		}
		if err := out.Write(row); err != nil {
			return nil
		}
	}
	return nil
}

// runUntilCancel leaves a mark and blocks until the job is cancelled.
func runUntilCancel(t *engine.Task, conf markConfig, _ engine.Rows, _ engine.Writer) error {
	if err := mark(conf.Dir); err != nil {
		return err
	}
	<-t.Context().Done()
	return t.Context().Err()
}
