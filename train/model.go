package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/dl4go/dl4go/internal/checkpoint"
	"github.com/dl4go/dl4go/internal/elsewhere"
	"github.com/dl4go/dl4go/nn"
)

// modelFile is the file of the trained model.
type modelFile struct {
	path    string // empty: there is none
	options nn.SaveOptions
	keeper  *keeper // of the same run; nil without checkpoints
	lost    bool    // the trained network could not be saved
	holds   string  // the state of the run in the file; empty before it is written
	latest  string  // the file of the latest network with early stopping, once it is written
}

// save writes a network, unless another run has the checkpoints now. what describes the network.
func (m *modelFile) save(ctx context.Context, net *nn.Network, what string) error {
	if err := m.keeper.owned(); err != nil {
		return err
	}
	if m.path == "" {
		return nil
	}
	err := net.Save(ctx, m.path, m.options)
	if m.lost = err != nil; !m.lost {
		m.holds = what
	}
	return err
}

// rescued saves a trained network that could not be saved: in the checkpoints if there are any, otherwise in another
// place on this machine. The error then names the place.
func (m *modelFile) rescued(net *nn.Network, err error) error {
	if errors.Is(err, checkpoint.ErrLost) {
		return err // the directory, and the model, belong to another run
	}
	if k := m.keeper; k != nil {
		k.between(net)
		if k.wait(); k.last != nil && k.last.Iteration == net.Iteration() {
			return sayf("%w; the checkpoints in %s have the trained network: %s %s saves it elsewhere", err,
				k.dir.Path(), RunResumed.of(k.dir.Path()), OtherSave)
		}
	}
	return m.elsewhere(net, err)
}

// elsewhere saves a network in another place than the file that can't be written. err is the reason.
func (m *modelFile) elsewhere(net *nn.Network, err error) error {
	path := elsewhere.Save(m.path, func(path string) error { return net.Save(context.Background(), path, m.options) })
	if path == "" {
		return fmt.Errorf("%w; no other place on this machine had room for the trained network", err)
	}
	return fmt.Errorf("%w; the trained network is in %s instead", err, path)
}

// told describes the file's content, for errors.
func (m *modelFile) told() string {
	if m.holds == "" {
		return "no model was saved"
	}
	return fmt.Sprintf("%s holds the network as %s", m.path, m.holds)
}

// latestTold tells where the latest network is; empty if it was not saved.
func (m *modelFile) latestTold() string {
	if m.latest == "" {
		return ""
	}
	return fmt.Sprintf("; %s holds the latest network", m.latest)
}

// OtherModelError means that a run would overwrite the model of another network.
type OtherModelError struct{ Path string }

// Error names the file, and the remedy.
func (e *OtherModelError) Error() string { return e.text(nil) }

func (e *OtherModelError) text(words map[Term]string) string {
	return Text(sayf("%s holds another network; %s", e.Path, Overwrite), words)
}

// spare refuses to overwrite the model of another network.
func (c Config) spare(ctx context.Context) error {
	if c.Overwrite {
		return nil
	}
	old, err := nn.LoadNetwork(ctx, c.Save)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return wrong("Save", "%w: it exists and cannot be read as a model; %s", err, Overwrite)
	}
	defer old.Close()
	if old.Summary() != c.network().Summary() {
		return &ConfigError{Field: "Save", Err: &OtherModelError{c.Save}, named: true}
	}
	return nil
}
