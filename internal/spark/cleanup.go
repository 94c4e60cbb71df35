package spark

import (
	"context"
	"time"
)

// cleaning bounds the clean-up after a job if the server does not answer: of views, kept rows, and workers that should
// hear that their job is over. Everything that remains goes with the session.
const cleaning = 30 * time.Second

// cleanup returns a context for a clean-up, also after the job was given up.
func cleanup(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), cleaning)
}
