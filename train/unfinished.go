package train

import (
	"context"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/nn"
)

// UnfinishedError is the error of a run that failed or was interrupted after it had begun. It tells what was saved.
type UnfinishedError struct {
	Err         error // why it ended
	Interrupted bool  // the context ended it
	// Network is the network of an interrupted run after the last complete step; with Stopping, the best network so far.
	// It is Config.Network or, with Stopping, another network, which the caller closes. It is nil if nothing was trained,
	// or if the context did not end the run.
	Network *nn.Network
	// Iteration and Epoch are those of Config.Network.
	Iteration, Epoch int
	// Model and Latest are the model files that the run has written, Checkpoint is the directory of its checkpoints.
	// They are empty if there are none.
	Model, Latest, Checkpoint string
	// Left describes the saved files, and where a run can continue from. It may be nil.
	Left error
}

// Error tells why the run ended, and what was saved.
func (e *UnfinishedError) Error() string { return e.text(nil) }

func (e *UnfinishedError) text(words map[Term]string) string {
	text := Text(e.Err, words)
	if e.Left != nil {
		text += "; " + Text(e.Left, words)
	}
	return text
}

func (e *UnfinishedError) Unwrap() error { return e.Err }

// unsaved rescues the network of a completed run that could not be saved.
func (r *Run) unsaved(ctx context.Context, err error) error {
	net := r.conf.network()
	if err = r.model.rescued(net, err); ctx.Err() == nil && r.saving.Err() == nil {
		return err
	}
	return &UnfinishedError{Err: err, Interrupted: true, Network: net, Iteration: net.Iteration(), Epoch: net.Epoch()}
}

// failed adds to an error where the model is. It saves an interrupted run that has trained something since the last
// save.
func (r *Run) failed(ctx context.Context, err error, trained bool, epochs int) error {
	if err := r.keeper.owned(); err != nil {
		return err
	}
	net := r.conf.network()
	u := &UnfinishedError{Err: err, Interrupted: ctx.Err() != nil, Iteration: net.Iteration(), Epoch: net.Epoch()}
	if u.Interrupted && r.at.Examples+r.at.Part.Examples > 0 {
		u.Network = net
	}
	if u.Interrupted && (trained || r.model.lost) && r.conf.Save != "" && !r.conf.FastDevRun {
		place := fmt.Sprintf("after %s and iteration %d", progress.Plural(epochs, "complete epoch"), net.Iteration())
		if err := r.model.save(r.saving, net, place); err != nil {
			u.Err = r.model.elsewhere(net, err)
			return u
		}
	}
	if u.Interrupted {
		r.keeper.interrupted(&r.course)
	}
	hint := r.keeper.hint()
	u.Left = errors.New(r.model.told() + r.model.latestTold())
	if hint != nil {
		u.Left = sayf("%s; %w%s", r.model.told(), hint, r.model.latestTold())
	}
	if r.model.holds != "" {
		u.Model = r.model.path
	}
	if hint != nil {
		u.Checkpoint = r.keeper.dir.Path()
	}
	u.Latest = r.model.latest
	return u
}
