package storage

import (
	"context"
	"fmt"
	"io/fs"
	"sync"
	"time"
)

// Stamp identifies the content of a file, so that a change can be found.
type Stamp struct {
	Size     int64
	Modified time.Time // zero: unknown
	Version  string    // the ETag, on S3; empty if there is none
}

// ChangedError means that a file of data has changed since it was first read.
type ChangedError struct {
	Path   string
	Change string // "it had 100 bytes, and has 60"
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s changed while it was in use: %s; start again when nothing writes to it", e.Path, e.Change)
}

// change describes how a file differs from an earlier stamp; it is empty if it does not.
func (was Stamp) change(is Stamp) string {
	clock := func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
	switch {
	case was.Size != is.Size:
		return fmt.Sprintf("it had %d bytes, and has %d", was.Size, is.Size)
	case was.Version != "" && is.Version != "":
		if was.Version != is.Version {
			return fmt.Sprintf("its ETag was %s, and is %s", was.Version, is.Version)
		}
	case was.Size > 0 && !was.Modified.IsZero() && !is.Modified.IsZero() && !was.Modified.Equal(is.Modified):
		return fmt.Sprintf("it was written at %s, and again at %s", clock(was.Modified), clock(is.Modified))
	}
	return ""
}

// Watch makes sure that files have not changed since they were first opened, so that all passes over data read the
// same. Pipes and devices are exempt. It is safe for concurrent use.
type Watch struct {
	mu    sync.Mutex
	seen  map[string]Stamp
	open  map[*watchedFile]bool
	found error // the first change
}

// NewWatch returns a Watch that has seen no file.
func NewWatch() *Watch {
	return &Watch{seen: make(map[string]Stamp), open: make(map[*watchedFile]bool)}
}

type watchKey struct{}

func watchOf(ctx context.Context) *Watch {
	w, _ := ctx.Value(watchKey{}).(*Watch)
	return w
}

// In returns a context under which [OpenWatched] uses w. If the context already has a Watch, that stays. w may be nil.
func (w *Watch) In(ctx context.Context) context.Context {
	if w == nil || watchOf(ctx) != nil {
		return ctx
	}
	return context.WithValue(ctx, watchKey{}, w)
}

// Watched returns a context under which files of data must not change: a source that is opened with it fails with a
// [ChangedError] if a file has changed since it was first read.
func Watched(ctx context.Context) context.Context {
	if watchOf(ctx) != nil {
		return ctx
	}
	return NewWatch().In(ctx)
}

// OpenWatched is [Open] for files of data. It fails with a [ChangedError] if the context watches files and the file has
// changed. Reading fails in the same way if the file changes meanwhile, whether or not the context watches files.
func OpenWatched(ctx context.Context, path string) (File, error) {
	f, err := Open(ctx, path)
	if err != nil {
		return nil, err
	}
	stamp, ok := stampOf(f)
	if !ok {
		return f, nil
	}
	of := &watchedFile{File: f, watch: watchOf(ctx), path: path, stamp: stamp}
	if err := of.watch.begin(of); err != nil {
		f.Close()
		return nil, err
	}
	return of, nil
}

// OpenStamped is [OpenWatched] for a file that another process has seen. It fails with a [ChangedError] if the file has
// another stamp now.
func OpenStamped(ctx context.Context, path string, seen Stamp) (File, error) {
	f, err := OpenWatched(ctx, path)
	if err != nil {
		return nil, err
	}
	is, _ := stampOf(f)
	if change := seen.change(is); change != "" {
		f.Close()
		return nil, &ChangedError{path, change}
	}
	return f, nil
}

// StampOf returns the stamp of a file of data, or a pipe's contents. It opens the file as [OpenWatched] does.
func StampOf(ctx context.Context, path string) (s Stamp, piped []byte, err error) {
	f, err := OpenWatched(ctx, path)
	if err != nil {
		return s, nil, err
	}
	defer f.Close()
	s, ok := stampOf(f)
	if ok {
		return s, nil, nil
	}
	piped, err = readWhole(f, path)
	return s, append([]byte{}, piped...), err
}

// ReadWatched is [ReadFile] for files of data: see [OpenWatched].
func ReadWatched(ctx context.Context, path string) ([]byte, error) {
	f, err := OpenWatched(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readWhole(f, path)
}

// Seen tells the context's watch the stamp of a file that another process has found. It fails with a *[ChangedError] if
// the watch knows another stamp of the file. Without a watch it does nothing.
func Seen(ctx context.Context, path string, s Stamp) error {
	w := watchOf(ctx)
	if w == nil {
		return nil
	}
	return w.remember("engine "+path, path, s) // an engine's clock may be coarser than this machine's
}

// Unchanged fails with a *[ChangedError] if one of the files that the context watches changed while it was read.
// Readers call it when a file makes no sense, or if they do not read it to its end.
func Unchanged(ctx context.Context) error {
	w := watchOf(ctx)
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for f := range w.open {
		if err := f.change(); err != nil && w.found == nil {
			w.found = err
		}
	}
	return w.found
}

func (w *Watch) remember(key, path string, s Stamp) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	was, known := w.seen[key]
	if !known {
		w.seen[key] = s
		return nil
	}
	if change := was.change(s); change != "" {
		return &ChangedError{path, change}
	}
	return nil
}

func (w *Watch) begin(f *watchedFile) error {
	if w == nil {
		return nil
	}
	if err := w.remember(f.path, f.path, f.stamp); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open[f] = true
	return nil
}

// end removes an open file from the watch. err is its change, if any.
func (w *Watch) end(f *watchedFile, err error) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if delete(w.open, f); w.found == nil {
		w.found = err
	}
}

// stampOf returns an open file's stamp, or false for a pipe or a device.
func stampOf(f File) (Stamp, bool) {
	if watched, ok := f.(*watchedFile); ok {
		return watched.stamp, true
	}
	if local, ok := f.(localFile); ok && !local.info.Mode().IsRegular() {
		return Stamp{}, false
	}
	s := Stamp{Size: f.Size(), Modified: f.ModTime()}
	if v, ok := f.(interface{ Version() string }); ok {
		s.Version = v.Version()
	}
	return s, true
}

// watchedFile is a File that must not change while it is read.
type watchedFile struct {
	File
	watch *Watch // nil: none
	path  string
	stamp Stamp
}

// change compares the file with its stamp from when it was opened. File systems behind URLs do that themselves.
func (f *watchedFile) change() error {
	local, ok := f.File.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return nil
	}
	st, err := local.Stat()
	if err != nil {
		return nil // it is closed
	}
	if change := f.stamp.change(Stamp{Size: st.Size(), Modified: st.ModTime()}); change != "" {
		return &ChangedError{f.path, change}
	}
	return nil
}

// judge returns the file's change, if there is one, instead of an error of reading.
func (f *watchedFile) judge(err error) error {
	if err == nil {
		return nil
	}
	if changed := f.change(); changed != nil {
		return changed
	}
	return err
}

// Read reads on. At the end of the file, or at an error, it checks whether the file has changed.
func (f *watchedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	return n, f.judge(err)
}

// ReadAt reads at an offset.
func (f *watchedFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(p, at)
	return n, f.judge(err)
}

// Close also fails if the file has changed.
func (f *watchedFile) Close() error {
	changed := f.change()
	f.watch.end(f, changed)
	if err := f.File.Close(); err != nil {
		return err
	}
	return changed
}
