// Package elsewhere writes files in other places if their own can't be written, so that a full disk loses nothing.
package elsewhere

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dl4go/dl4go/stats"
)

// Save calls write with other paths on this machine for the file until one can be written: in the directory of
// temporary files, the current one and the user's. It returns that path, or "" if none could.
func Save(file string, write func(path string) error) string {
	home, _ := os.UserHomeDir()
	name := "dl4go-" + time.Now().UTC().Format("20060102-150405.000-") + filepath.Base(file)
	for _, dir := range []string{os.TempDir(), ".", home} {
		path := filepath.Join(cmp.Or(dir, "."), name)
		if write(path) == nil {
			return path
		}
	}
	return ""
}

// Keep writes a run to the file, or to another one if that can't be written, and returns the path.
func Keep(run stats.Run, file string) (string, error) {
	write := func(path string) error { return run.Export(context.Background(), path) }
	err := write(file)
	if err == nil {
		return file, nil
	}
	if path := Save(file, write); path != "" {
		return path, nil
	}
	return "", fmt.Errorf("the run could not be kept: %w", err)
}
