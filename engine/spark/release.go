package spark

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/internal/worker"
)

// Spark leaves a session's artifacts on the executors for half an hour after its last task there, and a second copy of
// each in its fetch cache as long as the executor lives. So workers remove what is not needed any more: the driver
// tells each the last that it has released.
type released struct {
	Values   []string // files of the sessions' folders
	Sessions []string // files that only these sessions' folders have
}

const (
	releasedValues   = 32
	releasedSessions = 4
)

func (r *released) values(name string) {
	r.Values = append(r.Values, name)
	r.Values = r.Values[max(0, len(r.Values)-releasedValues):]
}

func (r *released) session(mark string) {
	r.Sessions = append(r.Sessions, mark)
	r.Sessions = r.Sessions[max(0, len(r.Sessions)-releasedSessions):]
}

// releasedTask is what a Task says of them.
func (e *Engine) releasedTask() json.RawMessage {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.released.Values == nil && e.released.Sessions == nil {
		return nil
	}
	b, _ := json.Marshal(e.released)
	return b
}

func init() { worker.RegisterRelease(release) }

// release is the worker's side. What can't be removed, since another task is at it too, is gone or is tried again.
func release(conf json.RawMessage) {
	var r released
	if json.Unmarshal(conf, &r) != nil {
		return
	}
	var files []string
	for _, name := range r.Values {
		found, _ := filepath.Glob("./*/" + name)
		files = append(files, found...)
	}
	for _, mark := range r.Sessions {
		found, _ := filepath.Glob("./*/" + mark)
		for _, mark := range found {
			dir := filepath.Dir(mark)
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				files = append(files, filepath.Join(dir, e.Name()))
			}
		}
	}
	if len(files) == 0 {
		return
	}
	cached := fetchCache(os.Getenv)
	for _, file := range files {
		for _, copied := range cached {
			if !newer(copied, file) && sameContent(file, copied) {
				os.Remove(copied)
				os.Remove(strings.TrimSuffix(copied, "_cache") + "_lock")
			}
		}
		os.Remove(file)
		os.Remove(filepath.Dir(file)) // where it was the last one
	}
}

// fetchCache lists the files of Spark's fetch cache (Utils.fetchFile), which lie in its local directories
// (Utils.getConfiguredLocalDirs), or in a folder of theirs.
func fetchCache(env func(string) string) []string {
	var dirs []string
	for name, separator := range map[string]string{"SPARK_EXECUTOR_DIRS": string(filepath.ListSeparator),
		"LOCAL_DIRS": ",", "SPARK_LOCAL_DIRS": ","} {
		for dir := range strings.SplitSeq(env(name), separator) {
			if filepath.IsAbs(dir) && !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	var files []string
	for _, dir := range dirs {
		for _, pattern := range []string{"*_cache", "spark-*/*_cache"} {
			found, _ := filepath.Glob(filepath.Join(dir, pattern))
			files = append(files, found...)
		}
	}
	return files
}

// newer says whether the file a was written after b. A file of the cache that is newer than an artifact is of another
// one, perhaps with the same content: the program of the next session, which another executor may be about to copy.
func newer(a, b string) bool {
	aInfo, err := os.Stat(a)
	if err != nil {
		return false
	}
	bInfo, err := os.Stat(b)
	return err == nil && aInfo.ModTime().After(bInfo.ModTime())
}

func sameContent(a, b string) bool {
	aInfo, err := os.Stat(a)
	if err != nil {
		return false
	}
	bInfo, err := os.Stat(b)
	if err != nil || aInfo.Size() != bInfo.Size() {
		return false
	}
	af, err := os.Open(a)
	if err != nil {
		return false
	}
	defer af.Close()
	bf, err := os.Open(b)
	if err != nil {
		return false
	}
	defer bf.Close()
	var pieces [2][32 << 10]byte
	for {
		n, err := io.ReadFull(af, pieces[0][:])
		m, _ := io.ReadFull(bf, pieces[1][:])
		if n != m || !bytes.Equal(pieces[0][:n], pieces[1][:m]) {
			return false
		}
		if err != nil {
			return err == io.EOF || err == io.ErrUnexpectedEOF
		}
	}
}
