package main

import (
	"errors"
	"io/fs"

	"github.com/dl4go/dl4go/nn"
)

// spare refuses to overwrite the model of another network, unless the user named the file with --save or gave --force.
func (t *training) spare(given func(flag string) bool) error {
	if given("save") || t.force || t.dryRun {
		return nil
	}
	old, err := nn.LoadNetwork(t.save)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return usagef("%w: it exists and cannot be read as a model; name another file with --save, or overwrite it with --force", err)
	case old.Summary() != t.net.Summary():
		return usagef("%s holds another network; name another file with --save, or overwrite it with --force", t.save)
	}
	return nil
}
