package earlystopping

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/storage"
)

// Saver keeps the best network and the latest one (Deeplearning4j: EarlyStoppingModelSaver). It must copy the network:
// the caller trains it further.
type Saver interface {
	SaveBest(net *nn.Network, score float64) error
	SaveLatest(net *nn.Network, score float64) error
	// Best and Latest return the network that was saved last; nil if there is none. It then belongs to the caller.
	Best() (*nn.Network, error)
	Latest() (*nn.Network, error)
}

// InMemory keeps copies (Deeplearning4j: InMemoryModelSaver). The zero value is ready.
type InMemory struct {
	best, latest *nn.Network
}

// SaveBest copies the network.
func (s *InMemory) SaveBest(net *nn.Network, _ float64) error {
	s.best = net.Copy()
	return nil
}

// SaveLatest copies the network.
func (s *InMemory) SaveLatest(net *nn.Network, _ float64) error {
	s.latest = net.Copy()
	return nil
}

// Best returns the copy, each time the same one.
func (s *InMemory) Best() (*nn.Network, error) { return s.best, nil }

// Latest returns the copy, each time the same one.
func (s *InMemory) Latest() (*nn.Network, error) { return s.latest, nil }

// Directory keeps model files with updater state, which Deeplearning4j can open: bestModel.bin and latestModel.bin for
// a network of layers in a row (LocalFileModelSaver), bestGraph.bin and latestGraph.bin for a graph
// (LocalFileGraphSaver). A new file replaces the old one when it is complete. The directory is a local one or a URL.
// NewDirectory makes one.
type Directory struct {
	ctx   context.Context
	path  string
	saved map[string]string // the files, by best and latest
}

// NewDirectory makes the directory if it does not exist. Saved networks replace files of an earlier training; until
// then, these files are ignored. The context ends the requests for files at a URL.
func NewDirectory(ctx context.Context, path string) (*Directory, error) {
	if path == "" {
		return nil, wrong("Directory", "it has no name")
	}
	if err := storage.MkdirAll(ctx, path); err != nil {
		return nil, fmt.Errorf("early stopping: the directory for models: %w", err)
	}
	return &Directory{ctx: ctx, path: path, saved: map[string]string{}}, nil
}

// OpenDirectory is [NewDirectory] for a training that continues (see Config.Before). It uses the files in the
// directory.
func OpenDirectory(ctx context.Context, path string) (*Directory, error) {
	s, err := NewDirectory(ctx, path)
	if err != nil {
		return nil, err
	}
	for _, which := range []string{"best", "latest"} {
		for _, kind := range []string{"Model", "Graph"} {
			file := storage.Join(path, which+kind+".bin")
			there, err := storage.Exists(ctx, file)
			if err != nil {
				return nil, fmt.Errorf("early stopping: the directory for models: %w", err)
			}
			if there {
				s.saved[which] = file
			}
		}
	}
	return s, nil
}

// SaveBest writes bestModel.bin or bestGraph.bin.
func (s *Directory) SaveBest(net *nn.Network, _ float64) error { return s.save(net, "best") }

// SaveLatest writes latestModel.bin or latestGraph.bin.
func (s *Directory) SaveLatest(net *nn.Network, _ float64) error { return s.save(net, "latest") }

// Best reads the network that SaveBest wrote.
func (s *Directory) Best() (*nn.Network, error) { return s.load("best") }

// Latest reads the network that SaveLatest wrote.
func (s *Directory) Latest() (*nn.Network, error) { return s.load("latest") }

func (s *Directory) save(net *nn.Network, which string) error {
	kind := "Model"
	if _, graph := nn.As[*nn.Graph](net); graph {
		kind = "Graph"
	}
	path := storage.Join(s.path, which+kind+".bin")
	if err := net.Save(s.ctx, path, nn.SaveOptions{}); err != nil {
		return err
	}
	s.saved[which] = path
	return nil
}

func (s *Directory) load(which string) (*nn.Network, error) {
	path, ok := s.saved[which]
	if !ok {
		return nil, nil
	}
	net, err := nn.LoadNetwork(s.ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: it was written in this training, and something has removed it", err)
	}
	return net, err
}
