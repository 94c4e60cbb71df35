package compiled

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A full directory drops the program that was not used for the longest time. Reading a program is using it.
func TestLeastRecentlyUsed(t *testing.T) {
	d := Dir{filepath.Join(t.TempDir(), "new"), 400}
	program := make([]byte, 68) // 100 bytes in a file
	for i, key := range []string{"a", "b", "c", "d"} {
		d.Write(key, program)
		long := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(d.file(key), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if _, found := d.Read("a"); !found {
		t.Error("a program is missing before the directory is full")
	}
	d.Write("e", program)
	for key, want := range map[string]bool{"a": true, "b": false, "c": true, "d": true, "e": true} {
		if got, found := d.Read(key); found != want || found && len(got) != len(program) {
			t.Errorf("%s: %d bytes, %t; want %t", key, len(got), found, want)
		}
	}
	if files, bytes := d.Size(); files != 4 || bytes != 400 {
		t.Errorf("%d files of %d bytes", files, bytes)
	}
	d.Write("large", make([]byte, 401))
	if files, _ := d.Size(); files != 4 {
		t.Errorf("a program above the limit left %d files", files)
	}
}

// A damaged file is no program, and neither is one of another key.
func TestDamaged(t *testing.T) {
	d := Dir{t.TempDir(), Most}
	d.Write("a", []byte("program"))
	if got, found := d.Read("a"); !found || string(got) != "program" {
		t.Errorf("read %q, %t", got, found)
	}
	for _, size := range []int64{0, 31, 38} {
		if err := os.Truncate(d.file("a"), size); err != nil {
			t.Fatal(err)
		}
		if _, found := d.Read("a"); found {
			t.Errorf("%d bytes of a file were read", size)
		}
	}
	if _, found := d.Read("b"); found {
		t.Error("a program was found that was never written")
	}
	if _, found := (Dir{}).Read("a"); found {
		t.Error("a program was found in no directory")
	}
	(Dir{}).Write("a", nil)
}
