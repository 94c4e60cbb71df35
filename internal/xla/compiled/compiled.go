// Package compiled keeps programs that were compiled for devices in a directory. Several processes may use it at the
// same time. It only saves time: its methods ignore files that they cannot read or write.
package compiled

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Most is the number of bytes that the directory of a user holds: some hundred programs of networks.
const Most = 1 << 30

// Dir is such a directory. The zero value keeps nothing.
type Dir struct {
	Path string // "" for none; it is created on the first Write
	Most int64  // bytes. The programs that were not used for the longest time make room for others
}

// Default is the directory in the user's cache, or none if the user has no cache.
func Default() Dir {
	cache, err := os.UserCacheDir()
	if err != nil {
		return Dir{}
	}
	return Dir{filepath.Join(cache, "dl4go", "compiled"), Most}
}

func (d Dir) file(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(d.Path, hex.EncodeToString(sum[:]))
}

// A file consists of the hash of the rest, and the program.

// Read returns the program of a key.
func (d Dir) Read(key string) (program []byte, found bool) {
	if d.Path == "" {
		return nil, false
	}
	name := d.file(key)
	b, err := os.ReadFile(name)
	if err != nil || len(b) < sha256.Size {
		return nil, false
	}
	if sum := sha256.Sum256(b[sha256.Size:]); string(sum[:]) != string(b[:sha256.Size]) {
		return nil, false
	}
	now := time.Now()
	_ = os.Chtimes(name, now, now) // says when it was last used
	return b[sha256.Size:], true
}

// Write keeps a program, and removes others if there are too many.
func (d Dir) Write(key string, program []byte) {
	if d.Path == "" || int64(len(program)) > d.Most || os.MkdirAll(d.Path, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(d.Path, "new-*")
	if err != nil {
		return
	}
	sum := sha256.Sum256(program)
	_, err = f.Write(append(sum[:], program...))
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), d.file(key))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	d.makeRoom()
}

// makeRoom removes the files that were not used for the longest time, until the others are small enough.
func (d Dir) makeRoom() {
	files := d.files()
	slices.SortFunc(files, func(a, b os.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	total := int64(0)
	for _, f := range files {
		if total += f.Size(); total > d.Most {
			_ = os.Remove(filepath.Join(d.Path, f.Name()))
		}
	}
}

// files returns the files of the directory, with those of programs that are being written.
func (d Dir) files() (list []os.FileInfo) {
	entries, err := os.ReadDir(d.Path)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			list = append(list, info)
		}
	}
	return list
}

// Size returns the number of files, and their bytes.
func (d Dir) Size() (files int, bytes int64) {
	for _, f := range d.files() {
		files++
		bytes += f.Size()
	}
	return files, bytes
}
