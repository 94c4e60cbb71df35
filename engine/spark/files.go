package spark

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/engine/spark/arrow"
	"github.com/dl4go/dl4go/engine/spark/connect"
)

// What workers do with files.
var (
	writing  = engine.Register("spark.write files", writeFiles)
	removing = engine.Register("spark.remove files", removeFiles)
	listing  = engine.Register("spark.list files", listFiles)
)

type writeConfig struct{ Dir string }

// writeFiles writes each row, and gives its path.
func writeFiles(_ *engine.Task, conf writeConfig, in engine.Rows, out engine.Writer) error {
	if err := os.MkdirAll(conf.Dir, 0o777); err != nil {
		return err
	}
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		file, err := engine.FileOf(row)
		if err != nil {
			return err
		}
		path := filepath.Join(conf.Dir, filepath.Base(file.Path))
		if err := writeFile(path, file.Content); err != nil {
			return err
		}
		if err := out.Write(engine.Unindexed([]byte(path))); err != nil {
			return err
		}
	}
	return nil
}

// writeFile gives the file its name when it is complete: another attempt may write it at the same time.
func writeFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".dl4go-")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// removeFiles removes the files that the rows name.
func removeFiles(_ *engine.Task, _ struct{}, in engine.Rows, _ engine.Writer) error {
	var failed []error
	dirs := make(map[string]bool)
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		name := string(row.Bytes)
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
		dirs[filepath.Dir(name)] = true
	}
	for dir := range dirs {
		if left, err := os.ReadDir(dir); err == nil && len(left) == 0 {
			failed = append(failed, os.Remove(dir))
		}
	}
	return errors.Join(failed...)
}

// listFiles gives the files in the directories that the rows name.
func listFiles(_ *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		dir := string(row.Bytes)
		entries, err := os.ReadDir(dir)
		if err != nil {
			return engine.Permanent(err)
		}
		for _, entry := range entries {
			info, err := os.Stat(filepath.Join(dir, entry.Name()))
			if err != nil {
				return err
			}
			if !info.Mode().IsRegular() || strings.HasPrefix(entry.Name(), ".") || strings.HasPrefix(entry.Name(), "_") {
				continue
			}
			b, err := json.Marshal(engine.FileInfo{Path: filepath.Join(dir, entry.Name()), Size: info.Size()})
			if err != nil {
				return err
			}
			if err := out.Write(engine.Unindexed(b)); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteFiles has the workers write files: dir is on storage that all of them see.
func (e *Engine) WriteFiles(ctx context.Context, d *engine.Dataset, dir string) ([][]string, error) {
	paths := make([][]string, d.Partitions())
	err := d.Map(writing.With(writeConfig{dir})).Collect(ctx, func(p int, row engine.Row) error {
		paths[p] = append(paths[p], string(row.Bytes))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return paths, nil
}

// RemoveFiles has a worker remove files.
func (e *Engine) RemoveFiles(ctx context.Context, paths []string) error {
	rows := make([]engine.Row, len(paths))
	for i, path := range paths {
		rows[i] = engine.Unindexed([]byte(path))
	}
	d := engine.Parallelize(e, [][]engine.Row{rows})
	defer e.forget(d)
	_, err := d.Map(removing.With(struct{}{})).Count(ctx)
	return err
}

// ListFiles lists a directory: Spark does it where dir is a URL, such as hdfs://…, and leaves out files that are empty; a
// worker where it is a path, on storage that all machines see.
func (e *Engine) ListFiles(ctx context.Context, dir string) ([]engine.FileInfo, error) {
	list := e.listByWorker
	if strings.Contains(dir, "://") {
		list = e.listBySpark
	}
	files, err := list(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("the files in %s: %w", dir, err)
	}
	slices.SortFunc(files, func(a, b engine.FileInfo) int { return cmp.Compare(path.Base(a.Path), path.Base(b.Path)) })
	return files, nil
}

func (e *Engine) listByWorker(ctx context.Context, dir string) (files []engine.FileInfo, err error) {
	d := engine.Parallelize(e, [][]engine.Row{{engine.Unindexed([]byte(dir))}})
	defer e.forget(d)
	err = d.Map(listing.With(struct{}{})).Collect(ctx, func(_ int, row engine.Row) error {
		var info engine.FileInfo
		err := json.Unmarshal(row.Bytes, &info)
		files = append(files, info)
		return err
	})
	return files, err
}

func (e *Engine) listBySpark(ctx context.Context, dir string) (files []engine.FileInfo, err error) {
	_, end, err := e.start(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	list := connect.Files("binaryFile", nil, globless.Replace(dir)).Select(connect.Col("path"), connect.Col("length"))
	err = e.session.Collect(ctx, list, connect.Run{}, func(b *arrow.Batch) error {
		for i := range b.Rows {
			files = append(files, engine.FileInfo{Path: b.Columns[0].Text(i), Size: b.Columns[1].Int(i)})
		}
		return nil
	})
	return files, err
}
