package storage

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dl4go/dl4go/internal/registry"
)

// FileSystem holds the files of one scheme of URLs. Packages below this one have them (storage/s3, storage/hdfs); a program
// imports those that it wants. Its methods may be called by many goroutines at once. Their errors name the URL, are one line
// and come within a bounded time, also where nobody answers.
type FileSystem interface {
	// Open opens a file for reading. What is not there is fs.ErrNotExist; a directory is an error.
	Open(url string) (File, error)
	// Put stores size bytes of content under the name, complete or not at all, in place of a file that may be there. The
	// content may be an io.ReaderAt and an io.Seeker too, which is at its start.
	Put(url string, content io.Reader, size int64) error
	// CheckWritable fails if Put could not store the file now. It leaves nothing behind.
	CheckWritable(url string) error
	// List gives the files directly in a directory, in the order of their names, hidden ones (.name, _name) included; no
	// directories. A directory that is not there is fs.ErrNotExist.
	List(dir string) ([]Entry, error)
	// Remove removes a file. One that is not there is fs.ErrNotExist.
	Remove(url string) error
}

// File is an open file.
type File interface {
	io.Reader
	io.ReaderAt
	io.Seeker
	io.Closer
	Size() int64
	// ModTime is when the file was written, by the clock of the machine that keeps it.
	ModTime() time.Time
}

// Entry is a file in a directory.
type Entry struct {
	URL  string // or local path
	Size int64
}

var schemes = registry.New[FileSystem]("scheme of URLs")

// Register makes the file system of a scheme ("hdfs", "s3") known. Package initialisation calls it. A scheme that is taken
// panics.
func Register(scheme string, fs FileSystem) {
	schemes.Add(scheme, fs)
}

// packages are those that have schemes, by scheme, for who has not imported them.
var packages = map[string]string{"s3": "s3", "s3a": "s3", "hdfs": "hdfs"}

// remote gives the file system of a URL, and nil for a local file's path.
func remote(name string) (FileSystem, error) {
	scheme, ok := schemeOf(name)
	if !ok {
		if name == "" {
			return nil, errors.New("a file's name is empty")
		}
		return nil, nil
	}
	if fs, ok := schemes.Get(scheme); ok {
		return fs, nil
	}
	if p := packages[scheme]; p != "" {
		return nil, fmt.Errorf("%s: the program does not know %s://: it is to import github.com/dl4go/dl4go/storage/%s", name, scheme, p)
	}
	known := "only local files are known"
	if names := schemes.Names(); len(names) > 0 {
		known = "known are local files and " + strings.Join(names, "://, ") + "://" + registry.Suggest(scheme, names)
	}
	return nil, fmt.Errorf("%s: nothing is known of %s://; %s", name, scheme, known)
}

func schemeOf(name string) (string, bool) {
	scheme, _, ok := strings.Cut(name, "://")
	return scheme, ok && !strings.ContainsAny(scheme, `/\.`)
}

// IsURL says whether the name is a URL, such as s3://bucket/key, and not a local file's path. A URL's scheme may be one that
// is not registered.
func IsURL(name string) bool {
	_, ok := schemeOf(name)
	return ok
}
