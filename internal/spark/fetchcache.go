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

// fetchCache lists the copies in Spark's fetch cache (Utils.fetchFile) by their size. The cache is in Spark's local
// directories (Utils.getConfiguredLocalDirs) or in a folder of theirs. The names of copies say nothing about the
// contents.
type fetchCache map[int64][]*fetchedCopy

// fetchedCopy is a file that the executors of a machine copy to their sessions' folders.
type fetchedCopy struct {
	path string
	at   time.Time // when it was written
	sum  []byte    // of its content, once it was needed
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

// drop removes a file from a session's folder, and its copies from the cache.
func (f fetchCache) drop(file string) {
	f.dropCopies(file, func(c *fetchedCopy, written time.Time) bool {
		// A copy that is newer than an artifact belongs to another artifact, perhaps with the same content: the program
		// of the next session, which another executor may be about to copy.
		return !c.at.After(written)
	})
	os.Remove(file)
	os.Remove(filepath.Dir(file)) // removes the folder after its last file
}

// dropCopies removes the copies with a file's content for which wanted is true.
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

// copyNeeded is how long a copy stays: until all executors that join together on a machine have fetched it. A later one
// fetches it from the server.
const copyNeeded = 10 * time.Minute

// tidy removes old copies, of any session, for the case that a driver was killed. It recognises copies by the files in
// existing session folders, and copies of programs even if Spark has removed their folder.
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

// isProgram reports whether a file is a program that uses this module.
func isProgram(path string) bool {
	const module = "github.com/dl4go/dl4go"
	its, err := buildinfo.ReadFile(path)
	return err == nil && (its.Main.Path == module ||
		slices.ContainsFunc(its.Deps, func(m *debug.Module) bool { return m.Path == module }))
}

// contentSum returns nil if the file can't be read.
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
