package train

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/checkpoint"
	"github.com/dl4go/dl4go/nn"
)

// Resumed is the newest checkpoint of a run to be resumed. It claims the directory until it is closed.
type Resumed struct {
	// Network is the network as it was when the checkpoint was written.
	Network *nn.Network
	// Notes are the notes of the run.
	Notes Notes
	// Written is when the checkpoint was written, Began when the run began.
	Written, Began time.Time
	// Epochs is the number of completed epochs, or 1 if the run has completed its iterations. Examples is the number
	// of examples trained in the current epoch.
	Epochs, Examples int
	// InEpoch reports that the checkpoint was written in the middle of an epoch.
	InEpoch bool
	// Damaged has the errors of newer checkpoints that can't be read.
	Damaged []error

	record record
	beside []byte          // distributed.Checkpoint.State
	ctx    context.Context // of Resume
	dir    *checkpoint.Directory
	place  string // the caller's name of it
}

// Resume reads the newest checkpoint in a directory and claims the directory as c says. It fails with
// [ErrNoCheckpoint] if there is none.
func Resume(ctx context.Context, dir string, c Claim) (*Resumed, error) {
	d, err := checkpoint.Open(ctx, dir, c.options())
	if err != nil {
		return nil, err
	}
	r := &Resumed{ctx: ctx, dir: d, place: dir}
	if err := r.read(ctx); err != nil {
		d.Close(ctx)
		return nil, err
	}
	return r, nil
}

func (r *Resumed) read(ctx context.Context) (err error) {
	var model []byte
	if model, r.Damaged, err = r.dir.Last(ctx, &r.record); err != nil {
		return err
	}
	was := &r.record
	if was.Version != recordVersion {
		return badCheckpoint(r.Dir(), "these checkpoints are of version %d, and this dl4go goes on from version %d: "+
			"train on with the dl4go that wrote them, or begin a new run with their network: each of the files is %s",
			was.Version, recordVersion, ModelFile)
	}
	if r.Network, err = nn.UnmarshalNetwork(model); err != nil {
		return badCheckpoint(r.Dir(), "the model: %w", err)
	}
	if r.beside, err = masterState(model); err != nil {
		return badCheckpoint(r.Dir(), "the training master: %w", err)
	}
	r.Notes = Notes{was.Flags, was.Secret}
	r.Written, r.Began = was.Written, was.Began
	r.Epochs, r.Examples, r.InEpoch = was.Epochs, was.Part.Examples, was.Place != nil
	return nil
}

// masterState reads the training master's state that is not in the network; it returns nil if there is none.
func masterState(file []byte) ([]byte, error) {
	m, err := dl4j.ReadModel(bytes.NewReader(file), int64(len(file)))
	if err != nil || !m.Has(masterEntry) {
		return nil, err
	}
	return m.Bytes(masterEntry, int64(len(file))) // the entry is not compressed
}

// Dir returns the path of the directory.
func (r *Resumed) Dir() string { return r.dir.Path() }

// Close releases the directory for other runs. A run that continues from it also closes it. If the context of Resume
// has ended, Close tries for a short time.
func (r *Resumed) Close() error { return r.dir.Close(r.ctx) }

// workersOr returns the number of workers of the run, unless a number is given.
func (r *Resumed) workersOr(given int) int {
	if r == nil || given != 0 || len(r.record.Flags["workers"]) != 1 {
		return given
	}
	n, _ := strconv.Atoi(r.record.Flags["workers"][0])
	return max(0, n)
}

// fromFits checks that the run can continue from its checkpoint.
func (c Config) fromFits() error {
	r := c.From
	if r == nil {
		return nil
	}
	if c.network() != r.Network {
		return wrong("Network", "it is another one than From.Network, which the run in %s goes on with", r.Dir())
	}
	if c.Epochs > 0 && c.Epochs < r.Epochs {
		return wrong("Epochs", "%d: the run in %s has done %d; give more than %[3]d", c.Epochs, r.Dir(), r.Epochs)
	}
	return nil
}

// unchanged checks the settings that must not change when a run is resumed.
func (r *course) unchanged() error {
	from := r.conf.From
	if from == nil {
		return nil
	}
	now := r.settled()
	for name, field := range map[string]Term{"training": "Method", "seed": "Seed", "batch": "Batch",
		"iterations": "Iterations", "workers": "Method", "augment": "Augment"} {
		had, given := from.record.Flags[name], now[name]
		if len(had) == 1 && given != "" && !slices.Equal(had, []string{given}) && !strings.EqualFold(had[0], given) {
			return wrong(field, "%s: the run in %s has %s, which can't change when it goes on", given, from.Dir(), had[0])
		}
	}
	return nil
}

// sameData checks that the data is that of the run's beginning.
func (r *course) sameData() error {
	from := r.conf.From
	found, err := fingerprintOf(r.conf.Data)
	if err != nil {
		return err
	}
	if d := found.differs(from.record.Data); d != "" {
		return badFile("Data", "%s has %s as when the run in %s began, which can only go on with the same data",
			r.conf.Data.Info().Name, d, from.Dir())
	}
	return nil
}
