//go:build linux && (amd64 || arm64)

package device

import (
	"fmt"
	"os"

	"github.com/dl4go/dl4go/internal/xla/compiled"
	"github.com/dl4go/dl4go/internal/xla/pjrt"
)

// cache keeps compiled programs by a hash of the program, the plugin and the device. Programs that it cannot read or
// write are compiled again.
type cache struct {
	dir  compiled.Dir
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
	return cache{compiled.Dir{Path: dir, Most: compiled.Most},
		fmt.Sprint(plugin, info.Size(), info.ModTime().UnixNano(), device, os.Getenv("XLA_FLAGS"))}, nil
}

func (c cache) key(module string) string { return c.made + "\x00" + module }

func (c cache) load(client *pjrt.Client, module string) (*pjrt.Executable, bool) {
	b, found := c.dir.Read(c.key(module))
	if !found {
		return nil, false
	}
	x, err := client.Load(b, 0)
	return x, err == nil
}

func (c cache) store(x *pjrt.Executable, module string) {
	if c.dir.Path == "" {
		return
	}
	if b, err := x.Serialize(); err == nil {
		c.dir.Write(c.key(module), b)
	}
}
