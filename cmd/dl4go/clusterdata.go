package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"syscall"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/normalizer"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
)

// workplace is the engine that the flags name, started when it is first needed: data that lies on a cluster needs it
// before anything else does.
type workplace struct {
	flags  *engineFlags
	query  *queryFlags
	out    *output
	engine engine.Engine
	last   []func() // to be done before the engine is closed
}

func (w *workplace) open(ctx context.Context) (engine.Engine, error) {
	if w.engine == nil {
		e, err := w.flags.open(ctx, w.out)
		if err != nil {
			return nil, err
		}
		w.engine = e
	}
	return w.engine, nil
}

func (w *workplace) close() error {
	if w.engine == nil {
		return nil
	}
	for _, do := range w.last {
		do()
	}
	return w.engine.Close()
}

// cluster says whether files are the cluster's, and not this machine's.
func (w *workplace) cluster() bool { return w != nil && w.flags.kind() == "sc" }

// clusterFiles are files on a cluster's storage, of saved DataSets or in LIBSVM's format: one, a directory of such, or what a
// run exported and kept. The engine lists and reads them.
type clusterFiles struct {
	ctx    context.Context
	libSVM *source.LibSVM // nil: saved DataSets
	survey *distributed.Survey
	paths  []string
	rows   *engine.Dataset // the files
	kept   bool            // rows are not of paths

	mu   sync.Mutex
	next int // that comes
	come chan engine.File
	stop context.CancelFunc
	err  error // that ended come
}

// openClusterFiles has the workers look through saved DataSets.
func openClusterFiles(ctx context.Context, w *workplace, place string) (*clusterFiles, error) {
	if place == "" {
		return nil, usagef("a file or directory of the cluster's storage is needed: dl4j:FILE-OR-DIRECTORY")
	}
	c := &clusterFiles{ctx: ctx}
	return c, c.open(w, "dl4j:"+place, place)
}

// clusterLibSVM says whether workers read what libsvm: names: its place is a URL, and the options say what one file, or the part
// of it that a worker has, does not tell. Other files are this machine's.
func clusterLibSVM(w *workplace, rest string) bool {
	place, o, err := source.ParseLibSVM(rest)
	return w.cluster() && err == nil && strings.Contains(place, "://") && o.Complete() == nil
}

// openClusterLibSVM has the workers look through files in LIBSVM's format.
func openClusterLibSVM(ctx context.Context, w *workplace, rest string, as *data.Schema) (*clusterFiles, error) {
	place, o, err := source.ParseLibSVM(rest)
	if err == nil {
		o, err = o.As(as)
	}
	if err != nil {
		return nil, err
	}
	c := &clusterFiles{ctx: ctx, libSVM: &o}
	return c, c.open(w, "libsvm:"+rest, place)
}

func (c *clusterFiles) open(w *workplace, name, place string) error {
	e, err := w.open(c.ctx)
	if err != nil {
		return err
	}
	if err := c.find(e, place); err != nil {
		return err
	}
	w.out.start("looking through files", 0)
	defer w.out.stop()
	if c.libSVM != nil {
		c.survey, err = distributed.SurveyLibSVM(c.ctx, name, c.rows, *c.libSVM)
	} else {
		c.survey, err = distributed.SurveyFiles(c.ctx, name, c.rows)
	}
	w.last = append(w.last, c.rest)
	return err
}

func (c *clusterFiles) find(e engine.Engine, place string) (err error) {
	saved, ok := e.(engine.SavedOpener)
	if _, run := engine.RunTime(path.Base(place)); ok && run && c.libSVM == nil {
		c.kept = true
		c.rows, err = saved.OpenSaved(c.ctx, place)
		return err
	}
	files, err := e.ListFiles(c.ctx, place)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		c.paths = []string{place}
	case err != nil:
		return err
	case len(files) == 0:
		return fmt.Errorf("there are no files in %s", place)
	}
	for _, f := range files {
		c.paths = append(c.paths, f.Path)
	}
	c.rows = distributed.ReadFiles(e, c.paths, 0)
	return nil
}

// Info tells what the data is like.
func (c *clusterFiles) Info() source.Info { return c.survey.Info }

// Objects is the number of files.
func (c *clusterFiles) Objects() int { return c.survey.Files }

// Object fetches file i. One that follows the last one costs no job of its own.
func (c *clusterFiles) Object(i int) (*data.MultiDataSet, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.come == nil || c.next > i {
		c.end()
		c.begin()
	}
	for {
		f, ok := <-c.come
		if !ok {
			err := c.err
			c.end()
			if err == nil {
				err = fmt.Errorf("%s has fewer files than it had", c.survey.Info.Name)
			}
			return nil, err
		}
		if c.next++; c.next > i {
			return c.read(f)
		}
	}
}

// read gives a file's examples.
func (c *clusterFiles) read(f engine.File) (*data.MultiDataSet, error) {
	if c.libSVM == nil {
		m, err := data.Read(bytes.NewReader(f.Content), int64(len(f.Content)))
		return m, dl4j.In(err, f.Path, "")
	}
	var all []*data.MultiDataSet
	err := source.ReadLibSVM(f.Path, bytes.NewReader(f.Content), *c.libSVM, func(m *data.MultiDataSet) error {
		all = append(all, m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return data.Merge(all)
}

// begin has the files come, one after the other.
func (c *clusterFiles) begin() {
	ctx, cancel := context.WithCancel(c.ctx)
	come := make(chan engine.File)
	c.next, c.come, c.stop, c.err = 0, come, cancel, nil
	go func() {
		defer close(come)
		c.err = c.rows.Collect(ctx, func(_ int, row engine.Row) error {
			f, err := engine.FileOf(row)
			if err != nil {
				return err
			}
			select {
			case come <- f:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
}

// end ends what begin began.
func (c *clusterFiles) end() {
	if c.come == nil {
		return
	}
	c.stop()
	for range c.come {
	}
	c.come = nil
}

// rest is for when no object is asked for any more.
func (c *clusterFiles) rest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end()
}

// examine checks that the samples fit the network: the workers have looked at the numbers.
func (c *clusterFiles) examine(flag string, net *network, norm normalizer.Normalizer, labels bool) error {
	for i, m := range c.survey.Samples {
		if err := examineObject(m.Slice(0, 1), net, norm, labels); err != nil {
			return fmt.Errorf("--%s: %s: %w", flag, c.survey.From[i], err)
		}
	}
	return nil
}

// Spread gives the files to the workers. What was kept stays in the partitions that it has.
func (c *clusterFiles) Spread(_ context.Context, _ engine.Engine, by normalizer.Normalizer, partitions int) (*distributed.Data, error) {
	var d *distributed.Data
	switch {
	case c.kept:
		d = distributed.FromSaved(c.rows)
	case c.libSVM != nil:
		d = distributed.FromPaths(c.rows.Engine(), c.paths, distributed.LibSVM(*c.libSVM), partitions)
	default:
		d = distributed.FromFiles(c.rows.Engine(), c.paths, partitions)
	}
	if by == nil {
		return d, nil
	}
	return d.Normalize(by)
}

// Size is that of the files.
func (c *clusterFiles) Size() (bytes int64, inFiles bool) { return c.survey.Bytes, true }
