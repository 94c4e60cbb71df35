package spark

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestRelease checks that released files are removed from the sessions' folders and from Spark's cache. Equal files
// that came to the cache later must stay, and so must files that only look the same.
func TestRelease(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	local := filepath.Join(dir, "local")
	for _, name := range []string{"SPARK_EXECUTOR_DIRS", "LOCAL_DIRS"} {
		t.Setenv(name, "")
	}
	t.Setenv("SPARK_LOCAL_DIRS", local)
	began := time.Now().Add(-time.Hour)
	for name, file := range map[string]struct {
		content string
		minute  int
	}{
		// The files of the old session. The cache's copies are as old as its files, or older.
		"old/program": {"program", 2}, "local/spark-1/12_cache": {"program", 1}, "local/spark-1/12_lock": {"", 1},
		"old/mark": {"", 3}, "local/13_cache": {"", 3},
		"old/value": {"value", 4}, "local/14_cache": {"value", 3}, "local/15_cache": {"other", 3},
		// The new session has the same program, and a value equal to the released one.
		"new/program": {"program", 12}, "local/spark-1/22_cache": {"program", 11}, "local/spark-1/22_lock": {"", 11},
		"new/value2": {"value", 14}, "local/24_cache": {"value", 13}, "new/value": {"value", 16},
		"local/25_cache": {"value", 15},
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(file.content), 0o666); err != nil {
			t.Fatal(err)
		}
		at := began.Add(time.Duration(file.minute) * time.Minute)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (files []string) {
		filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				name, _ := filepath.Rel(dir, path)
				files = append(files, filepath.ToSlash(name))
			}
			return err
		})
		return files
	}
	conf, _ := json.Marshal(released{Sessions: []string{"mark"}})
	release(conf)
	want := []string{"local/15_cache", "local/24_cache", "local/25_cache", "local/spark-1/22_cache",
		"local/spark-1/22_lock",
		"new/program", "new/value", "new/value2"}
	if got := left(); !slices.Equal(got, want) {
		t.Errorf("after the old session was released, %v is left, wanted %v", got, want)
	}
	conf, _ = json.Marshal(released{Values: []string{"value2"}})
	release(conf)
	want = slices.DeleteFunc(want, func(name string) bool { return name == "local/24_cache" || name == "new/value2" })
	if got := left(); !slices.Equal(got, want) {
		t.Errorf("after a value was released, %v is left, wanted %v", got, want)
	}
	if _, err := os.Stat("old"); err == nil {
		t.Error("the old session's folder is left")
	}
}

// TestTidy checks that old copies are removed: those of a session's files while its folder exists, and those of
// programs without a session.
func TestTidy(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("SPARK_LOCAL_DIRS", dir)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now().Add(-time.Hour)
	for name, file := range map[string]struct {
		content string // empty: this program
		minute  int
	}{
		"session/dl4go-1.sh": {"launcher", 0}, "session/value": {"value", 0}, "session/heartbeat": {"beat", 0},
		"others/theirs":   {"theirs", 0},
		"spark-1/1_cache": {"launcher", 1}, "spark-1/1_lock": {"lock", 1}, "2_cache": {"value", 2},
		"3_cache": {"value", 58}, "4_cache": {"beta", 4}, "5_cache": {"theirs", 5},
		"6_cache": {"", 6}, "7_cache": {"", 59}, "8_cache": {"\x7fELF of another kind", 8},
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if file.content == "" {
			b, err := os.ReadFile(program)
			if err != nil {
				t.Fatal(err)
			}
			file.content = string(b)
		}
		if err := os.WriteFile(path, []byte(file.content), 0o666); err != nil {
			t.Fatal(err)
		}
		at := began.Add(time.Duration(file.minute) * time.Minute)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	sweep(released{Sessions: []string{"none"}}, began.Add(61*time.Minute)) // as each command does at its end
	var left []string
	for _, pattern := range []string{"*_*", "*/*_*"} {
		found, _ := filepath.Glob(pattern)
		left = append(left, found...)
	}
	// 3 and 7 are young. 4, 5 and 8 are not files of dl4go.
	if want := []string{"3_cache", "4_cache", "5_cache", "7_cache", "8_cache"}; !slices.Equal(left, want) {
		t.Errorf("%v is left, wanted %v", left, want)
	}
	if files := folder("session"); len(files) != 3 {
		t.Errorf("of a session's own files, %v is left", files)
	}
}
