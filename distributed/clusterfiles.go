package distributed

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"
	"syscall"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/storage"
)

// clusterFiles are files on a cluster's storage: one file, a directory of files, or a run's kept export. The engine
// lists and reads them.
type clusterFiles struct {
	ctx    context.Context
	by     filesOf
	saved  bool // the files are saved DataSets
	survey *Survey
	paths  []string
	list   *fileList       // that names the paths; nil if there is none
	rows   *engine.Dataset // the files
	kept   bool            // rows are a kept export, not paths

	mu   sync.Mutex
	next int // number of the next file from come
	come chan engine.File
	stop context.CancelFunc
	err  error // why come ended
}

// openFiles lets the workers look through files.
func openFiles(ctx context.Context, e engine.Engine, reader source.FileReader, n source.Name,
	o OpenOptions) (source.Source, error) {
	ctx = storage.Watched(ctx)
	c := &clusterFiles{ctx: ctx, by: filesOf{Name: n, For: o.Options}}
	_, c.saved = reader.(source.SavedReader)
	find := c.find(reader)
	if folders, ok := reader.(source.FolderReader); ok {
		find = c.findIn(ctx, folders)
	}
	if lists, ok := reader.(source.ListReader); ok && lists.IsList(n) {
		find = c.findListed(lists)
	}
	table, isTable := reader.(source.TableFiles)
	if isTable {
		find = c.findTable(reader)
	}
	if err := find(e, n.Place); err != nil {
		return nil, err
	}
	defer o.busy("looking through files")()
	if isTable {
		if err := c.lookAtTable(e, table); err != nil {
			return nil, err
		}
	}
	by, err := c.list.send(ctx, e, c.by, c.rows.Partitions())
	var bad *source.BadRows
	if skips, ok := reader.(source.SkipsFiles); ok {
		bad = skips.SkipsFiles(n)
	}
	if err == nil {
		c.survey, err = surveyFiles(ctx, by, c.rows, bad != nil && bad.Limit > 0)
	}
	if err == nil && len(c.survey.broken) > 0 {
		err = c.skipBroken(e, bad)
	}
	if err == nil && isTable {
		c.surveyedTable(e)
	}
	if err != nil {
		c.list.release()
		return nil, err
	}
	if as := c.by.For.As; as != nil && as.Images != nil {
		c.survey.Info.Schema = c.survey.Info.Schema.With(&data.Schema{Images: as.Images})
	}
	if folders, ok := reader.(source.FolderReader); ok && c.survey.Info.Examples == len(c.paths) {
		return singleFiles{c, folders}, nil
	}
	return c, nil
}

// skipBroken removes the files that can't be read, in the order of their paths, up to the number that may be skipped.
func (c *clusterFiles) skipBroken(e engine.Engine, bad *source.BadRows) error {
	var paths []string
	var at []int
	for i, p := range c.paths {
		if broken := c.survey.broken[p]; broken == nil {
			paths, at = append(paths, p), append(at, i)
		} else if err := bad.Allow(broken); err != nil {
			return err
		}
	}
	if len(paths) == 0 {
		return fmt.Errorf("%s: none of the files can be read: %w", c.by.Name, bad.First[0])
	}
	list := c.list.part(at)
	c.list.release()
	c.paths, c.list, c.rows = paths, list, c.by.files(e, paths, 0)
	c.survey.Info.Notes = append(c.survey.Info.Notes, bad.Notice())
	return nil
}

// find finds the files of a directory, and those in directories of partitions.
func (c *clusterFiles) find(reader source.FileReader) func(engine.Engine, string) error {
	return func(e engine.Engine, place string) error {
		list := e.ListFiles
		tree, lists := e.(engine.TreeLister)
		if deep, ok := reader.(source.RawFiles); ok && deep.Deep() && lists {
			list = tree.ListTree
		}
		return c.findBy(list, e, place)
	}
}

func (c *clusterFiles) findBy(list func(context.Context, string) ([]engine.FileInfo, error), e engine.Engine,
	place string) (err error) {
	saved, ok := e.(engine.SavedOpener)
	if _, run := engine.RunTime(path.Base(place)); ok && run && c.saved {
		c.kept = true
		c.rows, err = saved.OpenSaved(c.ctx, place)
		return err
	}
	files, err := list(c.ctx, place)
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
	c.rows = c.by.files(e, c.paths, 0)
	return nil
}

// findIn finds the files of directories below the place.
func (c *clusterFiles) findIn(ctx context.Context, reader source.FolderReader) func(engine.Engine, string) error {
	return func(e engine.Engine, place string) error {
		tree, ok := e.(engine.TreeLister)
		if !ok {
			return fmt.Errorf("%s does not list directories with directories in them", e.Master())
		}
		files, err := tree.ListTree(ctx, place)
		paths := []string{place}
		if err == nil {
			paths = nil
			for _, f := range files {
				paths = append(paths, f.Path)
			}
		} else if !errors.Is(err, syscall.ENOTDIR) {
			return err
		}
		if c.paths, c.by.For, err = reader.Among(c.by.Name, c.by.For, paths); err != nil {
			return err
		}
		if len(c.paths) == 0 {
			return fmt.Errorf("there are no %s: files in %s", c.by.Name.Kind, place)
		}
		c.rows = c.by.files(e, c.paths, 0)
		return nil
	}
}

// findListed finds the files that a list names. A worker reads the list.
func (c *clusterFiles) findListed(reader source.ListReader) func(engine.Engine, string) error {
	return func(e engine.Engine, place string) error {
		err := ReadFiles(e, []string{place}, 1).Collect(c.ctx, func(_ int, row engine.Row) error {
			f, err := engine.FileOf(row)
			if err != nil {
				return err
			}
			c.list = &fileList{}
			c.list.files, c.by.For, err = reader.ReadList(c.by.Name, c.by.For, engine.InMemory(f.Content))
			return err
		})
		if err != nil {
			return err
		}
		for _, f := range c.list.files {
			c.paths = append(c.paths, f.Path)
		}
		c.rows = c.by.files(e, c.paths, 0)
		return nil
	}
}

// Info describes the data.
func (c *clusterFiles) Info() source.Info { return c.survey.Info }

// Objects returns the number of files.
func (c *clusterFiles) Objects() int { return c.survey.Files }

// Bytes returns the total size of the files.
func (c *clusterFiles) Bytes() int64 { return c.survey.Bytes }

// Samples returns the examples that the workers found. They have checked the numbers of all examples.
func (c *clusterFiles) Samples() (samples []source.Sample) {
	for i, m := range c.survey.Samples {
		samples = append(samples, source.Sample{Example: m, From: c.survey.From[i]})
	}
	return samples
}

// Object fetches file i. Reading the files in order takes one job.
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
			return c.read(f, i)
		}
	}
}

// read gives the examples of file i.
func (c *clusterFiles) read(f engine.File, i int) (*data.MultiDataSet, error) {
	var all []*data.MultiDataSet
	by := c.by
	by.For.Listed = c.list.at(i)
	err := by.read(f.Path, engine.InMemory(f.Content), func(m *data.MultiDataSet) error {
		all = append(all, m)
		return nil
	})
	if err != nil || len(all) == 1 {
		return append(all, nil)[0], err
	}
	return data.Merge(all)
}

// begin starts a job that sends the files to come, one after the other.
func (c *clusterFiles) begin() {
	ctx, cancel := context.WithCancel(c.ctx)
	come := make(chan engine.File)
	c.next, c.come, c.stop, c.err = 0, come, cancel, nil
	rows := c.rows
	if !c.kept {
		rows = ReadFiles(rows.Engine(), c.paths, 0)
	}
	go func() {
		defer close(come)
		c.err = rows.Collect(ctx, func(_ int, row engine.Row) error {
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

// end ends that job.
func (c *clusterFiles) end() {
	if c.come == nil {
		return
	}
	c.stop()
	for range c.come {
	}
	c.come = nil
}

// Close ends a job of Object.
func (c *clusterFiles) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end()
	c.list.release()
	return nil
}

// Spread distributes the files to the workers. A kept export stays in its partitions.
func (c *clusterFiles) Spread(ctx context.Context, _ engine.Engine, norm data.Normalizer, partitions int) (*Data,
	error) {
	d := FromSaved(c.rows)
	if !c.kept {
		e := c.rows.Engine()
		if partitions <= 0 {
			partitions = e.Slots()
		}
		by, err := c.list.send(ctx, e, c.by, partitions)
		if err != nil {
			return nil, err
		}
		d = fromFiles(e, by, c.paths, partitions)
	}
	if norm == nil {
		return d, nil
	}
	return d.Normalize(norm)
}

// fromFiles spreads files of a kind over the given number of partitions.
func fromFiles(e engine.Engine, by filesOf, paths []string, partitions int) *Data {
	k, _ := source.KindOf(by.Name.Kind)
	if _, saved := k.(source.SavedReader); saved {
		return FromFiles(e, paths, partitions)
	}
	return FromRows(by.files(e, paths, partitions).Map(loadKind.With(by)))
}
