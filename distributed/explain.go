package distributed

import (
	"context"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
)

// explain adds the cause to a job's failure if files are no saved DataSets, or if their examples don't fit together:
// which files, and how many. To find out, the workers look through all files.
func (d *Data) explain(ctx context.Context, err error) error { return d.explainFor(ctx, nil, err) }

// explainFor is explain that also names files with labelled examples that the network can't take.
func (d *Data) explainFor(ctx context.Context, net *nn.Network, err error) error {
	var failed *engine.WorkerError
	var already *explained
	if !errors.As(err, &failed) || errors.As(err, &already) || ctx.Err() != nil {
		return err
	}
	if d.results != nil && d.results.Load() {
		return &explained{errReleased, err}
	}
	var diverged *nn.DivergedError // not the files' fault
	var anomaly *nn.AnomalyError
	if d.from == nil || errors.As(err, &diverged) || errors.As(err, &anomaly) {
		return err
	}
	found, cause := SurveyFiles(ctx, source.Name{Kind: "dl4j", Text: "the saved DataSets"}, d.from, source.Options{})
	for i := 0; cause == nil && net != nil && i < len(found.Samples); i++ {
		if cause = net.Check(found.Samples[i]); cause != nil {
			cause = fmt.Errorf("%s: %w", found.From[i], cause)
		}
	}
	if cause == nil || errors.As(cause, &failed) {
		return err
	}
	return &explained{cause, err}
}

// explained is a job's failure with its cause.
type explained struct{ cause, failure error }

func (e *explained) Error() string { return fmt.Sprintf("%v (%v)", e.cause, e.failure) }

func (e *explained) Unwrap() []error { return []error{e.cause, e.failure} }
