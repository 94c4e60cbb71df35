//go:build linux && (amd64 || arm64)

package device

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dl4go/dl4go/internal/xla/pjrt"
)

// cache keeps compiled programs in a directory, by a hash of the program, the plugin and the device. It only saves
// time: programs that it cannot read or write are compiled again.
type cache struct {
	dir  string
	made string // names the plugin and the device
}

// newCache identifies the plugin by its file, size and time, because hashing it would take longer than many
// compilations.
func newCache(dir, plugin, device string) (cache, error) {
	if dir == "" {
		return cache{}, nil
	}
	info, err := os.Stat(plugin)
	if err != nil {
		return cache{}, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return cache{}, nil
	}
	return cache{dir, fmt.Sprint(plugin, info.Size(), info.ModTime().UnixNano(), device)}, nil
}

func (c cache) path(module string) string {
	sum := sha256.Sum256([]byte(c.made + "\x00" + module))
	return filepath.Join(c.dir, hex.EncodeToString(sum[:]))
}

// A file consists of the hash of the rest, and the plugin's serialized executable.
func (c cache) load(client *pjrt.Client, module string) (*pjrt.Executable, bool) {
	if c.dir == "" {
		return nil, false
	}
	b, err := os.ReadFile(c.path(module))
	if err != nil || len(b) < sha256.Size {
		return nil, false
	}
	if sum := sha256.Sum256(b[sha256.Size:]); string(sum[:]) != string(b[:sha256.Size]) {
		return nil, false
	}
	x, err := client.Load(b[sha256.Size:], 0)
	return x, err == nil
}

func (c cache) store(x *pjrt.Executable, module string) {
	if c.dir == "" {
		return
	}
	b, err := x.Serialize()
	if err != nil {
		return
	}
	f, err := os.CreateTemp(c.dir, "new-*")
	if err != nil {
		return
	}
	sum := sha256.Sum256(b)
	_, err = f.Write(append(sum[:], b...))
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), c.path(module))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
}
