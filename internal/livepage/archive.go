package livepage

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/storage"
)

// Archive is a page of the finished runs of a directory and its subdirectories, given by their files of statistics.
// Each request reads the directory again.
type Archive struct {
	// Dir is a directory, or its URL.
	Dir string

	mu   sync.Mutex
	read map[string]summary // the summaries of files that were read, by path
}

// summary is a run in the list.
type summary struct {
	name  string // the file's path below the directory
	path  string
	err   error // why the run can't be shown
	title string
	began time.Time
	steps int
	last  map[string]float64 // the last values of its figures

	size    int64
	written time.Time
}

// The limits of an archive's lists and comparisons.
const (
	mostListed   = 2000
	mostCompared = 18
)

func (a *Archive) handler(<-chan struct{}, *guard) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", a.list)
	mux.HandleFunc("GET /run", a.run)
	mux.HandleFunc("GET /compare", a.compare)
	return mux
}

// Check reads the directory once, to find errors.
func (a *Archive) Check(ctx context.Context) (runs int, err error) {
	files, err := a.files(ctx)
	return len(files), err
}

// files returns the files of the directory and its subdirectories that have an extension of statistics.
func (a *Archive) files(ctx context.Context) (files []storage.Entry, err error) {
	if files, err = storage.List(ctx, a.Dir); err != nil {
		return nil, err
	}
	dirs, err := storage.Directories(ctx, a.Dir)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, err
	}
	for _, dir := range dirs {
		within, err := storage.List(ctx, dir)
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files = append(files, within...)
	}
	files = slices.DeleteFunc(files, func(e storage.Entry) bool { return !strings.EqualFold(path.Ext(e.URL), ".json") })
	return files[:min(len(files), mostListed)], nil
}

// runs returns the directory's runs, including broken ones, the latest first.
func (a *Archive) runs(ctx context.Context) ([]summary, error) {
	files, err := a.files(ctx)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	known := a.read
	a.read = map[string]summary{}
	var out []summary
	for _, f := range files {
		s := a.summarize(ctx, f.URL, known[f.URL])
		a.read[f.URL] = s
		if s.title != "" || s.err != nil {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b summary) int { return b.began.Compare(a.began) })
	return out, nil
}

// summarize reads a run, unless the file is unchanged. For a file of another kind it returns neither title nor error.
func (a *Archive) summarize(ctx context.Context, file string, known summary) summary {
	s := summary{name: strings.TrimLeft(strings.TrimPrefix(file, strings.TrimRight(a.Dir, "/")), "/"), path: file}
	if !strings.HasPrefix(file, strings.TrimRight(a.Dir, "/")+"/") { // paths in "." do not begin with "./"
		s.name = file
	}
	in, err := storage.Open(ctx, file)
	if err != nil {
		s.err = err
		return s
	}
	defer in.Close()
	s.size, s.written = in.Size(), in.ModTime()
	if known.path == file && known.size == s.size && known.written.Equal(s.written) {
		return known
	}
	head := make([]byte, len(runsBegin))
	if _, err := in.ReadAt(head, 0); err != nil || string(head) != runsBegin {
		return s
	}
	r, err := stats.ReadJSON(in)
	if err != nil {
		s.err = err
		return s
	}
	s.title, s.began, s.last = cmp.Or(r.Title, s.name), r.Began, map[string]float64{}
	for _, one := range r.Series {
		if v, ok := one.Last(); ok {
			s.last[one.Name] = v
			s.steps = max(s.steps, one.Iterations[len(one.Iterations)-1])
		}
	}
	return s
}

// runsBegin is the beginning of files of statistics, which tells them from other JSON.
const runsBegin = `{"format":"dl4go training statistics"`
