package spark

import (
	"context"
	"time"
)

// cleaning is how long what a job leaves behind is looked after where the server does not answer: views, kept rows, and
// workers that should hear that nobody waits for them. What is left then goes with the session.
const cleaning = 10 * time.Second

// cleanup is a context for taking away what was made, also where the job was given up.
func cleanup(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), cleaning)
}
