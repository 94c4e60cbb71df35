package spark

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/storage"
)

// ListFiles lists a directory. Spark interprets the path, and lists it: a path without a scheme is on the cluster's
// default file system, file:///… on the machines' own disks, which must then have the same files.
//
// This process lists s3:// and s3a:// itself, with its own settings and credentials, and lends the files to the workers
// (see storage.Lender). If it can't, Spark lists them, provided that it has hadoop-aws.
func (e *Engine) ListFiles(ctx context.Context, dir string) ([]engine.FileInfo, error) {
	return e.list(ctx, dir, false)
}

// ListTree lists a directory and all directories below it.
func (e *Engine) ListTree(ctx context.Context, dir string) ([]engine.FileInfo, error) {
	return e.list(ctx, dir, true)
}

func (e *Engine) list(ctx context.Context, dir string, deep bool) ([]engine.FileInfo, error) {
	var files []engine.FileInfo
	var stamps map[string]storage.Stamp
	var own error
	if lentByDriver(dir) {
		if files, own = stored(ctx, dir, deep); own == nil {
			return files, nil
		}
		if errors.Is(own, syscall.ENOTDIR) {
			return nil, e.fileError("list", dir, own)
		}
	}
	err := e.do(ctx, func(j *job) (err error) {
		files, stamps, err = j.files().list(dir, deep)
		return err
	})
	if err == nil || errors.Is(err, syscall.ENOTDIR) {
		for path, stamp := range stamps {
			if err := storage.Seen(ctx, path, stamp); err != nil {
				return nil, err
			}
		}
		e.mu.Lock()
		maps.Copy(e.stamps, stamps)
		e.mu.Unlock()
	}
	if err != nil {
		return nil, e.alone(dir, own, e.fileError("list", dir, err))
	}
	return files, nil
}

// stored lists a directory by package storage.
func stored(ctx context.Context, dir string, deep bool) ([]engine.FileInfo, error) {
	if deep {
		return engine.StoredTree(ctx, dir)
	}
	return engine.StoredFiles(ctx, dir)
}

// list asks for the names of the relation's files, because Spark leaves out empty files when it reads. If a file is in
// the place of a directory, list returns ENOTDIR and the file's stamp.
func (j fileReader) list(dir string, deep bool) (files []engine.FileInfo, stamps map[string]storage.Stamp, err error) {
	all := connect.Files("binaryFile", map[string]string{"recursiveFileLookup": "true"}, globless.Replace(dir))
	found, err := j.session.InputFiles(j.ctx, all)
	if err != nil {
		return nil, nil, err
	}
	root, single := parsePath(dir), false
	stamps = make(map[string]storage.Stamp)
	for _, f := range found {
		at := parseURL(f)
		if root.names(at.path) {
			stamps, single = map[string]storage.Stamp{dir: {}}, true
			break
		}
		if name, ok := root.within(at.path); ok && (deep || !strings.Contains(name, "/")) {
			stamps[strings.TrimRight(dir, "/")+"/"+name] = storage.Stamp{}
		}
	}
	if len(stamps) == 0 {
		return nil, nil, nil
	}
	err = j.session.Collect(j.ctx, all.Select(connect.Col("path"), connect.Col("length"),
		connect.Text("unix_millis(modificationTime)").As("modified")), connect.Run{Timeout: lookup},
		func(b *arrow.Batch) error {
			for i := range b.Rows {
				path := dir
				if !single {
					name, _ := root.within(parsePath(b.Columns[0].Text(i)).path)
					path = strings.TrimRight(dir, "/") + "/" + name
				}
				if _, ok := stamps[path]; ok {
					stamps[path] = storage.Stamp{Size: b.Columns[1].Int(i), Modified: time.UnixMilli(b.Columns[2].Int(i))}
				}
			}
			return nil
		})
	if single && err == nil {
		err = syscall.ENOTDIR
	}
	files = make([]engine.FileInfo, 0, len(stamps))
	for path, stamp := range stamps {
		files = append(files, engine.FileInfo{Path: path, Size: stamp.Size})
	}
	slices.SortFunc(files, func(a, b engine.FileInfo) int { return cmp.Compare(a.Path, b.Path) })
	return files, stamps, err
}

// resolve finds Spark's names of files, by which a relation can be joined with them.
func (j fileReader) resolve(files []string, all connect.Relation) (map[string]string, error) {
	found, err := j.session.InputFiles(j.ctx, all)
	if err != nil {
		return nil, j.engine.fileError("read", "", err)
	}
	at := make(map[string][]location)
	for _, f := range found {
		l := parseURL(f)
		at[path.Base(l.path)] = append(at[path.Base(l.path)], l)
	}
	resolved := make(map[string]string, len(files))
	for _, file := range files {
		wanted := parsePath(file)
		var is []location
		for _, l := range at[path.Base(wanted.path)] {
			if wanted.names(l.path) && (wanted.scheme == "" || wanted.scheme == l.scheme) &&
				(wanted.authority == "" || wanted.authority == l.authority) && !slices.Contains(is, l) {
				is = append(is, l)
			}
		}
		switch len(is) {
		case 1:
			resolved[file] = is[0].String()
		case 0:
			return nil, &fs.PathError{Op: "read", Path: file, Err: errors.New("it is left out by Spark: it is a directory, " +
				"or its name begins with . or _")}
		default:
			return nil, &fs.PathError{Op: "read", Path: file,
				Err: fmt.Errorf("it may be %v or %v: give its whole URL", is[0], is[1])}
		}
	}
	return resolved, nil
}

// fileError names the file in an error of Spark, and says what to do.
func (e *cluster) fileError(op, file string, err error) error {
	const where = "a path without a scheme is on the cluster's default file system, file:///… on its machines' own disks"
	var spark *connect.Error
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return &fs.PathError{Op: op, Path: file, Err: err}
	case !errors.As(err, &spark):
		return err
	case spark.Class == "PATH_NOT_FOUND":
		if file == "" {
			_, file, _ = strings.Cut(spark.Message, "Path does not exist: ")
			file, _, _ = strings.Cut(file, ". SQLSTATE")
			file = unglob.Replace(strings.TrimSuffix(file, "."))
		}
		return fmt.Errorf("%w (%s reads it; %s)", &fs.PathError{Op: op, Path: file, Err: fs.ErrNotExist}, e.Master(), where)
	case file == "":
		return err
	}
	return fmt.Errorf("%s %s: %w", op, file, err)
}
