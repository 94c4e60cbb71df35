package main

import (
	"context"
	"errors"
	"io"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/console"
)

// workplace is the engine that the flags name. It is started when it is first needed: for data on a cluster, that is
// before anything else.
type workplace struct {
	flags    *engineFlags
	settings *dataFlags
	out      *console.Output
	engine   engine.Engine
	opened   []source.Source
}

func (w *workplace) open(ctx context.Context) (engine.Engine, error) {
	if w.engine == nil {
		e, err := w.flags.open(ctx, w.out)
		if err != nil {
			return nil, err
		}
		w.engine = e
	}
	return w.engine, nil
}

// close closes the data, then the engine.
func (w *workplace) close() error {
	var errs []error
	for _, s := range w.opened {
		if c, ok := s.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	if w.engine != nil {
		errs = append(errs, w.engine.Close())
	}
	return errors.Join(errs...)
}

// cluster reports whether files are on the cluster, not on this machine.
func (w *workplace) cluster() bool { return w != nil && w.flags.kind() == "sc" }

// busy shows what the workers do.
func (w *workplace) busy(what string) (done func()) {
	w.out.Start(what, 0)
	return w.out.Stop
}
