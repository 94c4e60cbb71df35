// Package workplace is where a command works: the engine, and the networks and the data that flags name, which are
// opened on this machine or on the engine. Errors name the flags.
package workplace

import (
	"context"
	"errors"
	"io"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/console"
)

// Place is the engine that the flags name, and the data that is open. The engine is started when it is first needed:
// for data on a cluster, that is before anything else. A nil *Place has all data on this machine.
type Place struct {
	Engine *Engine
	Data   *Data
	Out    *console.Output

	engine engine.Engine
	opened []source.Source
}

// notOpened is the error of an engine that did not start: data is not at fault, if it was to be read there.
type notOpened struct{ error }

func (e *notOpened) Unwrap() error { return e.error }

// Open returns the engine. The first call starts it.
func (w *Place) Open(ctx context.Context) (engine.Engine, error) {
	if w.engine == nil {
		e, err := w.Engine.Open(ctx, w.Out)
		if err != nil {
			return nil, &notOpened{err}
		}
		w.engine = e
	}
	return w.engine, nil
}

// Own makes Close close data, too.
func (w *Place) Own(opened ...source.Source) { w.opened = append(w.opened, opened...) }

// Close closes the data, then the engine.
func (w *Place) Close() error {
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

// Cluster reports whether files are on the cluster, not on this machine.
func (w *Place) Cluster() bool { return w != nil && w.Engine.Kind() == "sc" }

// Busy shows what the workers do.
func (w *Place) Busy(what string) (done func()) {
	w.Out.Start(what, 0)
	return w.Out.Stop
}
