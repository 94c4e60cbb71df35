package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/storage"
)

// shorten shortens a trial run: see Config.OverfitBatches and Config.FastDevRun.
func (c *Config) shorten() (err error) {
	batch := cmp.Or(c.Batch, c.Method.minibatch())
	if n := c.OverfitBatches; n > 0 {
		c.Data, err = take(c.Data, n, batch, c.Seed)
		c.HeldOut = c.Data
		return errors.Join(err, nn.HoldLearningRate(c.network())) // a schedule by epochs would end before the network learns
	}
	if !c.FastDevRun {
		return nil
	}
	if c.Data, err = take(c.Data, c.Method.among(c.Engine), batch, c.Seed); err != nil {
		return err
	}
	if c.HeldOut != nil {
		if c.HeldOut, err = take(c.HeldOut, 1, batch, c.Seed); err != nil {
			return err
		}
	}
	c.Epochs, c.Iterations = 1, 0
	c.Checkpoint, c.StatsFile, c.Trackers = Checkpoint{}, "", nil
	if c.Save != "" {
		ext := filepath.Ext(c.Save)
		c.Save, c.Overwrite = strings.TrimSuffix(c.Save, ext)+"-fast-dev-run"+ext, true
	}
	if c.Stopping != nil {
		s := *c.Stopping
		s.Latest = ""
		s = s.withDefaults(c.Save)
		c.Stopping = &s
	}
	if c.Pretraining != nil {
		p := *c.Pretraining
		p.Epochs = 1
		c.Pretraining = &p
	}
	return nil
}

// take returns some minibatches of a source. The result's name says so.
func take(s source.Source, minibatches, batch int, seed int64) (source.Source, error) {
	name := fmt.Sprintf("%s of %s", progress.Plural(minibatches, "minibatch"), s.Info().Name)
	return source.Take(s, name, minibatches, batch, uint64(seed))
}

// tryFiles returns the files that a FastDevRun writes.
func (c Config) tryFiles() []string {
	var files []string
	if c.Save != "" {
		files = append(files, c.Save)
	}
	if s := c.Stopping; s != nil && s.Latest != "" {
		files = append(files, s.Latest)
	}
	return files
}

// removeTried removes the files of a FastDevRun that failed.
func (c Config) removeTried(ctx context.Context) {
	for _, file := range c.tryFiles() {
		if there, err := storage.Exists(ctx, file); err == nil && there {
			if err := storage.Remove(ctx, file); err != nil {
				c.Log.Warn("the file of a fast-dev-run is left", "error", err)
			}
		}
	}
}

// readBack reads the models that a FastDevRun has saved, and removes them.
func (c Config) readBack(ctx context.Context, trained *nn.Network) error {
	for i, file := range c.tryFiles() {
		net, err := nn.LoadNetwork(ctx, file)
		if err != nil {
			return badFile("Save", "the model that was saved does not read back: %w", err)
		}
		same := slices.Equal(net.Params(), trained.Params())
		net.Close()
		if i == 0 && !same {
			return badFile("Save", "%s: the model that was saved reads back with other parameters", file)
		}
		if err := storage.Remove(ctx, file); err != nil {
			return &FileError{Field: "Save", Err: err}
		}
	}
	return nil
}
