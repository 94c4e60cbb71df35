package spark

import (
	"context"
	"errors"

	"github.com/dl4go/dl4go/engine"
)

func (e *Engine) Save(ctx context.Context, d *engine.Dataset, dir string) (*engine.Saved, error) {
	return nil, errors.New("stub")
}
func (e *Engine) Runs(ctx context.Context, dir string) ([]engine.Run, error) { return nil, nil }
func (e *Engine) RemoveRun(ctx context.Context, r engine.Run) error         { return nil }
