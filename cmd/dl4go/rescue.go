package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/storage/checkpoint"
)

// rescued keeps a trained network that could not be saved: in the checkpoints if there are any, or else in another
// place on this machine. The error then says where.
func (t *training) rescued(err error) error {
	if errors.Is(err, checkpoint.ErrLost) {
		return err // the directory, and the model, are another run's
	}
	if t.keeper != nil {
		t.keeper.between(t.net.Network)
		if t.keeper.wait(); t.keeper.last != nil && t.keeper.last.Iteration == t.net.Iteration() {
			return fmt.Errorf("%w; the checkpoints in %s have the trained network: dl4go train --resume %s --save FILE saves it elsewhere", err,
				t.keeper.dir.Path(), t.keeper.dir.Path())
		}
	}
	return t.elsewhere(t.net.Network, t.save, err)
}

// elsewhere saves a network in another place than the file that can't be written. err is the reason.
func (t *training) elsewhere(net nn.Network, file string, err error) error {
	home, _ := os.UserHomeDir()
	name := "dl4go-" + time.Now().UTC().Format("20060102-150405.000-") + filepath.Base(file)
	for _, dir := range []string{os.TempDir(), ".", home} {
		path := filepath.Join(cmp.Or(dir, "."), name)
		if net.Save(path, nn.SaveOptions{WithoutUpdater: t.withoutUpdater}) == nil {
			return fmt.Errorf("%w; the trained network is in %s instead", err, path)
		}
	}
	return fmt.Errorf("%w; no other place on this machine had room for the trained network", err)
}
