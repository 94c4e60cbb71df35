package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dl4go/dl4go/internal/registry"
)

// FileSystem holds the files of one scheme of URLs. The packages storage/s3 and storage/hdfs have two. A program
// imports those that it needs, or registers its own with [Register]. Many goroutines may call its methods at once.
//
// Each method takes a context. When it is done, the method ends its requests and returns an error that wraps the
// context's, without waiting for a server. It leaves no goroutine behind. Errors name the URL, and are one line.
// Methods return within a bounded time, even if no server responds.
//
// A file system may have more methods. Each is a separate interface, so that a program can check its signature:
//   - [DirectoryLister], [DirectoryMaker] and [DirectoryRemover], for file systems with directories,
//   - [NewPutter], which checkpoints need to tell runs apart,
//   - [Sweeper], for file systems that keep pieces of incomplete files,
//   - [Lender], for file systems whose files another process can read without this one's credentials,
//   - [PartLender], for those that read parts of lent files.
type FileSystem interface {
	// Open opens a file for reading. A missing file is fs.ErrNotExist; a directory is an error. The context also governs
	// the file's reads, until it is closed.
	Open(ctx context.Context, url string) (File, error)
	// Put stores size bytes of content under the name, completely or not at all, and replaces an existing file. The
	// content may also be an io.ReaderAt and an io.Seeker, positioned at its start.
	Put(ctx context.Context, url string, content io.Reader, size int64) error
	// CheckWritable fails if Put could not store the file now. It leaves nothing behind.
	CheckWritable(ctx context.Context, url string) error
	// List returns the files directly in a directory, but no directories, in the order of their names, including
	// hidden ones (.name, _name). The error for a missing directory is fs.ErrNotExist.
	List(ctx context.Context, dir string) ([]Entry, error)
	// Remove removes a file. A missing file is fs.ErrNotExist.
	Remove(ctx context.Context, url string) error
}

// DirectoryLister is a FileSystem that can list directories.
type DirectoryLister interface {
	// Directories returns the directories directly in a directory. A missing directory is fs.ErrNotExist.
	Directories(ctx context.Context, dir string) ([]string, error)
}

// DirectoryMaker is a FileSystem with real directories. A file system without them (S3) has nothing to create.
type DirectoryMaker interface {
	// MkdirAll creates a directory and its missing parents.
	MkdirAll(ctx context.Context, dir string) error
}

// DirectoryRemover is a FileSystem with real directories. In a file system without them, a directory consists of its
// files only.
type DirectoryRemover interface {
	// RemoveAll removes a directory and all below it. A missing directory is no error.
	RemoveAll(ctx context.Context, dir string) error
}

// NewPutter is a FileSystem that can create a file only if there is none.
type NewPutter interface {
	// PutNew stores a small file, or fails with fs.ErrExist; see [WriteNew].
	PutNew(ctx context.Context, url string, content []byte) error
}

// Sweeper is a FileSystem that keeps pieces of incomplete files.
type Sweeper interface {
	// Sweep removes the pieces of incomplete files directly in a directory whose names begin with prefix; see [Sweep].
	Sweep(ctx context.Context, dir, prefix string) error
}

// File is an open file.
type File interface {
	io.Reader
	io.ReaderAt
	io.Seeker
	io.Closer
	Size() int64
	// ModTime returns when the file was written, by the clock of the machine that stores it.
	ModTime() time.Time
}

// Entry is a file in a directory.
type Entry struct {
	URL  string // or local path
	Size int64
}

var schemes = registry.New[FileSystem]("scheme of URLs")

// Register makes a file system known to all functions that take a path, under the scheme of its URLs ("hdfs", "s3").
// Call it when the program starts, also in workers: main and init run there as well. It panics if the scheme is taken.
//
// Two accounts of one kind of storage are two file systems with different schemes. See storage/s3's New.
func Register(scheme string, fs FileSystem) {
	schemes.Add(scheme, fs)
}

// Lookup returns the file system of a scheme, for one that wraps it; false if none is registered.
func Lookup(scheme string) (FileSystem, bool) { return schemes.Get(scheme) }

// packages are the packages that provide schemes, by scheme, for errors of programs that have not imported them.
var packages = map[string]string{"s3": "s3", "s3a": "s3", "hdfs": "hdfs"}

// remote returns the file system of a URL, and its name; for a local file no file system, and its path.
func remote(name string) (_ FileSystem, path string, _ error) {
	path, err := Path(name)
	if err != nil {
		return nil, "", err
	}
	scheme, ok := schemeOf(path)
	if !ok {
		if path == "" {
			return nil, "", errors.New("a file's name is empty")
		}
		return nil, path, nil
	}
	if fs, ok := schemes.Get(scheme); ok {
		return fs, name, nil
	}
	if p := packages[scheme]; p != "" {
		return nil, "", fmt.Errorf("%s: the program does not know %s://: it is to import github.com/dl4go/dl4go/storage/%s",
			name, scheme, p)
	}
	known := "only local files are known"
	if names := schemes.Names(); len(names) > 0 {
		known = "known are local files and " + strings.Join(names, "://, ") + "://" + registry.Suggest(scheme, names)
	}
	return nil, "", fmt.Errorf("%s: nothing is known of %s://; %s", name, scheme, known)
}

func schemeOf(name string) (string, bool) {
	scheme, _, ok := strings.Cut(name, "://")
	return scheme, ok && !strings.ContainsAny(scheme, `/\.`) && !strings.EqualFold(scheme, "file")
}

// IsURL reports whether the name is a URL, such as s3://bucket/key, and not a local file's name. The URL's scheme need
// not be registered. A file: URL names a local file: see [Path].
func IsURL(name string) bool {
	_, ok := schemeOf(name)
	return ok
}
