package spark

import (
	"context"

	"github.com/dl4go/dl4go/engine"
)

// Live has an engine say now that its run lives.
func Live(ctx context.Context, e engine.Engine) error { return e.(*Engine).live(ctx) }
