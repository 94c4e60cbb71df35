package sharing

import (
	"context"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/resident"
)

// lifetime is the job of a run's workers, which may outlast the fit.
type lifetime struct {
	*resident.Job
	working context.Context // of the workers
	stop    context.CancelCauseFunc
	unhook  func() bool // lets the workers go on after the end of the fit's context
	keeps   bool        // the workers stay for the next fit
}

// outlast gives the workers a context, and ends it with the fit's if they may go. Otherwise they go on until stop is
// called.
func (l *lifetime) outlast(ctx context.Context, may func() bool) {
	if l.working == nil {
		l.working, l.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	}
	l.unhook = context.AfterFunc(ctx, func() {
		if may() {
			l.stop(context.Cause(ctx))
		}
	})
}

// end ends the workers, after an error or after the last command.
func (l *lifetime) end(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		l.stop(context.Cause(ctx))
	}
	if err == nil && l.keeps {
		err = l.shut()
	}
	err = l.Stop(err)
	l.unhook()
	l.stop(nil)
	return err
}

// shut dismisses the workers.
func (l *lifetime) shut() error {
	_, err := l.Command(context.Background(), coordination.Shut{Reason: "the fit is over"})
	return err
}
