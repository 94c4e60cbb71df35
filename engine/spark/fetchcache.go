package spark

import (
	"crypto/sha256"
	"debug/buildinfo"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// fetchCache is what lies in Spark's fetch cache (Utils.fetchFile), by its size: in its local directories
// (Utils.getConfiguredLocalDirs), or in a folder of theirs. Its names say nothing of what is in the files.
type fetchCache map[int64][]*fetchedCopy

// fetchedCopy is a file that the executors of a machine copy to their sessions' folders.
type fetchedCopy struct {
	path string
	at   time.Time // when it came
	sum  []byte    // of its content, when that was asked for
}

func newFetchCache(env func(string) string) fetchCache {
	var dirs []string
	for name, separator := range map[string]string{"SPARK_EXECUTOR_DIRS": string(filepath.ListSeparator),
		"LOCAL_DIRS": ",", "SPARK_LOCAL_DIRS": ","} {
		for dir := range strings.SplitSeq(env(name), separator) {
			if filepath.IsAbs(dir) && !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	cache := make(fetchCache)
	for _, dir := range dirs {
		for _, pattern := range []string{"*_cache", "spark-*/*_cache"} {
			found, _ := filepath.Glob(filepath.Join(dir, pattern))
			for _, path := range found {
				if info, err := os.Stat(path); err == nil {
					cache[info.Size()] = append(cache[info.Size()], &fetchedCopy{path: path, at: info.ModTime()})
				}
			}
		}
	}
	return cache
}

// drop removes a file of a session's folder, and the copies of it.
func (f fetchCache) drop(file string) {
	f.dropCopies(file, func(c *fetchedCopy, written time.Time) bool {
		// A copy that is newer than an artifact is of another one, perhaps with the same content: the program of the next
		// session, which another executor may be about to copy.
		return !c.at.After(written)
	})
	os.Remove(file)
	os.Remove(filepath.Dir(file)) // where it was the last one
}

// dropCopies removes copies that have a file's content, where that is wanted.
func (f fetchCache) dropCopies(file string, wanted func(c *fetchedCopy, written time.Time) bool) {
	info, err := os.Stat(file)
	if err != nil {
		return
	}
	var sum []byte
	f[info.Size()] = slices.DeleteFunc(f[info.Size()], func(c *fetchedCopy) bool {
		if !wanted(c, info.ModTime()) {
			return false
		}
		if sum == nil {
			sum = contentSum(file)
		}
		if c.sum == nil {
			c.sum = contentSum(c.path)
		}
		if sum == nil || string(c.sum) != string(sum) {
			return false
		}
		c.remove()
		return true
	})
}

func (c *fetchedCopy) remove() {
	os.Remove(c.path)
	os.Remove(strings.TrimSuffix(c.path, "_cache") + "_lock")
}

// copyNeeded is how long a copy stays: until all executors of a machine have fetched it that come together. One that
// comes later asks the server.
const copyNeeded = 10 * time.Minute

// tidy removes copies that are old, of any session's files, as nobody does after a driver was killed: those of
// folders that are there, and programs, as which they are known when Spark has removed their folder.
func (f fetchCache) tidy(now time.Time) {
	old := func(c *fetchedCopy) bool { return now.Sub(c.at) > copyNeeded }
	if !slices.ContainsFunc(slices.Concat(slices.Collect(maps.Values(f))...), old) {
		return
	}
	launchers, _ := filepath.Glob("./*/dl4go-*.sh")
	for _, launcher := range launchers {
		for _, file := range folder(filepath.Dir(launcher)) {
			f.dropCopies(file, func(c *fetchedCopy, _ time.Time) bool { return old(c) })
		}
	}
	for _, copies := range f {
		for _, c := range copies {
			if old(c) && isProgram(c.path) {
				c.remove()
			}
		}
	}
}

// isProgram says whether a file is a program that uses this module.
func isProgram(path string) bool {
	const module = "github.com/dl4go/dl4go"
	its, err := buildinfo.ReadFile(path)
	return err == nil && (its.Main.Path == module ||
		slices.ContainsFunc(its.Deps, func(m *debug.Module) bool { return m.Path == module }))
}

// contentSum is nil where a file can't be read.
func contentSum(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil
	}
	return h.Sum(nil)
}
