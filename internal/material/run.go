package material

import (
	"context"

	"github.com/dl4go/dl4go/serve"
	"github.com/dl4go/dl4go/train"
)

// Ready checks the configuration of a run against the material, completes it, and starts the engine. With files, it
// also checks that the files of the run can be written.
func (m *Material) Ready(ctx context.Context, c train.Config, files bool) (train.Config, error) {
	if err := c.Validate(); err != nil {
		return c, err
	}
	if err := m.Examine(ctx); err != nil {
		return c, err
	}
	c.Normalizer = m.Network.Normalizer
	if files {
		if err := c.CheckFiles(ctx); err != nil {
			return c, err
		}
	}
	var err error
	c.Engine, err = m.Place.Open(ctx)
	return c, err
}

// Begin makes a run of a configuration that is ready, and the executor of its network.
func (m *Material) Begin(ctx context.Context, c train.Config) (*train.Run, serve.Executor, error) {
	executor, err := c.NewExecutor()
	if err != nil {
		return nil, nil, err
	}
	m.Network.SetExecutor(executor)
	run, err := train.New(ctx, c)
	if err != nil {
		executor.Close()
		return nil, nil, err
	}
	return run, executor, nil
}
