package spark

import (
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/worker"
	"github.com/dl4go/dl4go/storage"
)

// lendTime is how long workers may read a loan. Spark may recompute lost parts of a kept data set, and uses the loans
// of that time. A loan that has expired costs an attempt.
const lendTime = 24 * time.Hour

// lentByDriver reports whether this process lists files and lends them to the workers: files on S3, or on a file system
// that this program has registered. Spark itself has no support for them.
func lentByDriver(file string) bool {
	scheme := parsePath(file).scheme
	switch scheme {
	case "s3", "s3a":
		return true
	case "", "file", "hdfs":
		return false
	}
	registered, _ := storage.Lookup(scheme)
	_, lends := registered.(storage.Lender)
	return lends
}

// borrowing is how workers read files themselves.
type borrowing struct {
	worker.Fetch
	loans map[string][]byte // by path, sealed; nil if Spark describes the files. Empty files have an empty one
}

// lend lends files to the workers, all or none. It fails if one of them has changed.
func (j fileReader) lend(watch *storage.Watch, files []string) (*borrowing, error) {
	for _, f := range files {
		if !lentByDriver(f) || !j.fetches(f) {
			return nil, nil
		}
	}
	loans, err := storage.Lend(j.ctx, files, lendTime)
	if err != nil {
		return nil, err
	}
	for i, l := range loans {
		stamp := storage.Stamp{Size: l.Size, Modified: l.Modified, Version: l.Version}
		if err := storage.Seen(watch.In(j.ctx), files[i], stamp); err != nil {
			return nil, err
		}
	}
	id, key, err := j.seal()
	if err != nil {
		return nil, err
	}
	b := &borrowing{Fetch: worker.Fetch{Seal: id}, loans: make(map[string][]byte)}
	for i, l := range loans {
		if b.loans[files[i]] = nil; l.Size == 0 {
			continue
		}
		if b.loans[files[i]], err = worker.SealLoan(key, l); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// seal returns the key of sealed loans. It goes to the workers beside the program, and is in no query.
func (j fileReader) seal() (engine.BroadcastID, []byte, error) {
	e := j.engine
	id := e.sealID()
	e.mu.Lock()
	key := e.values[id]
	if key == nil {
		key = make([]byte, worker.SealBytes)
		rand.Read(key)
		e.values[id] = key // for later sessions
	}
	e.mu.Unlock()
	return id, key, j.carrier.ensure(j.ctx, id, key, nil)
}

func (e *cluster) sealID() engine.BroadcastID { return engine.BroadcastID(e.name + "seal") }

// looked makes workers read files that Spark has listed, if they are on the machines' disks, or on an HDFS that lends
// them. It returns nil if they can't.
func (j fileReader) looked(files []string) *borrowing {
	b := &borrowing{Fetch: worker.Fetch{Terms: make(map[string]string)}}
	for _, f := range files {
		at := parsePath(f)
		root := at.scheme + "://" + at.authority + "/"
		switch {
		case !j.fetches(f):
			return nil
		case at.scheme == "hdfs" && b.Terms[root] == "":
			loans, err := storage.Lend(j.ctx, []string{root}, lendTime)
			if err != nil {
				j.engine.options.Log.Debug("Spark reads these files: this program can't lend them to the workers", "root", root,
					"error", err)
				return nil
			}
			b.Terms[root] = loans[0].Terms
		case at.scheme != "hdfs" && at.scheme != "file":
			return nil
		}
	}
	return b
}

// fetches reports whether workers may read a file: they have not failed on a file of its directory.
func (j fileReader) fetches(file string) bool {
	e, dir := j.engine, path.Dir(file)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.unfetched[dir] != nil {
		return false
	}
	j.fetched[dir] = true
	return true
}

// alone combines the errors for files that the driver lends: its own, the workers', and Spark's. If Spark does not
// support such files at all, its error is left out.
func (e *listings) alone(file string, own, err error) error {
	if err == nil || !lentByDriver(file) {
		return err
	}
	e.mu.Lock()
	workers := e.unfetched[path.Dir(file)]
	e.mu.Unlock()
	unknown := unknownScheme(err)
	switch {
	case own == nil && workers == nil:
		return err
	case own != nil && unknown:
		return own
	case unknown:
		return fmt.Errorf("%w; and Spark, which has no file system for it (for S3: hadoop-aws), can't read it for them",
			workers)
	}
	return fmt.Errorf("%w; and Spark: %w", errors.Join(own, workers), err)
}

// unknownScheme reports whether Spark has no file system for a URL.
func unknownScheme(err error) bool {
	text := err.Error()
	return strings.Contains(text, "No FileSystem for scheme") || strings.Contains(text, "S3AFileSystem not found")
}
