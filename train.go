package dl4go

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/prepare"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/train"
)

// Train trains in this process, and returns the model, which the caller closes. If the context ends, it returns an
// error and a model of all complete steps, or with Patience of the best network so far. The model is nil if nothing
// was trained. If training fails or the context ends, the error is a [train.UnfinishedError] with the state of the
// run.
func Train(ctx context.Context, c Config) (*Model, error) {
	return c.train(ctx, nil, train.Plain{})
}

// On trains on the workers of an engine, with Averaging{} or Sharing{}. Otherwise it is Train. The caller still owns
// the engine, and the model does not need it afterwards. Averaging with the same seed, data and number of workers
// gives the same bits on every engine.
func On(ctx context.Context, e engine.Engine, method train.Method, c Config) (*Model, error) {
	if e == nil {
		return nil, errNoEngine
	}
	return c.train(ctx, e, method)
}

func (c Config) train(ctx context.Context, e engine.Engine, method train.Method) (*Model, error) {
	run, err := c.run(ctx, e, method)
	if err != nil {
		return nil, err
	}
	result, err := c.fit(ctx, run)
	trained := interrupted(err)
	if err == nil {
		trained = result.Network
	}
	if trained == nil {
		return nil, ofConfig(err)
	}
	if net := run.Network.Base(); trained != net {
		net.Close()
	}
	m, bad := NewModel(trained)
	if bad != nil {
		return nil, cmp.Or(err, bad)
	}
	m.result = result
	return m, err
}

// FindLearningRate tries rising learning rates, instead of training, and proposes one: see [train.FindLearningRate]. It
// takes the settings of [On], or of [Train] if the engine is nil.
func FindLearningRate(ctx context.Context, e engine.Engine, method train.Method, c Config) (*stats.Rates, error) {
	run, err := c.run(ctx, e, method)
	if err != nil {
		return nil, err
	}
	defer run.Network.Base().Close()
	rates, err := train.FindLearningRate(ctx, run, train.RangeTest{})
	return rates, ofConfig(err)
}

// run returns the settings of the run.
func (c Config) run(ctx context.Context, e engine.Engine, method train.Method) (run train.Config, err error) {
	if err := c.data(); err != nil {
		return run, err
	}
	if err := cmp.Or(c.validate(), c.alike()); err != nil {
		return run, err
	}
	run = train.Config{Data: c.Data, HeldOut: c.HeldOut, Engine: e, Method: method, Batch: c.Batch, Epochs: c.Epochs,
		Save: c.Save, Overwrite: c.Overwrite, Checkpoint: train.Checkpoint{Dir: c.Checkpoint}, StatsFile: c.StatsFile,
		Kernels: c.Kernels, Listen: c.Listen, Trackers: c.Trackers}
	if c.Patience > 0 {
		run.Stopping = &train.Stopping{Patience: c.Patience, Metric: c.Metric}
	}
	if err := c.network(ctx, &run); err != nil {
		return run, err
	}
	run.Seed = run.Network.Base().Seed()
	if c.Adjust != nil {
		c.Adjust(&run)
	}
	return run, nil
}

// data takes the data of Prepared.
func (c *Config) data() error {
	if c.Prepared == nil {
		return nil
	}
	if c.Data != nil {
		return errors.New("dl4go.Config.Prepared: it can't be set together with Data; both are the training data")
	}
	if c.Data = c.Prepared.Train; c.HeldOut == nil && c.Prepared.HeldOut != nil {
		c.HeldOut = c.Prepared.HeldOut
	}
	return nil
}

// interrupted returns the network that a run had trained when its context ended; nil if there is none.
func interrupted(err error) *nn.Network {
	var u *train.UnfinishedError
	if errors.As(err, &u) {
		return u.Network
	}
	return nil
}

// fields are the fields of Config, by their names in package train.
var fields = map[train.Term]string{"Data": "Data", "HeldOut": "HeldOut", "Batch": "Batch", "Epochs": "Epochs",
	"Seed": "Seed",
	"Save": "Save", "Stopping": "Metric", "Checkpoint.Dir": "Checkpoint", "StatsFile": "StatsFile"}

// ofConfig names the fields of Config in a run's error.
func ofConfig(err error) error {
	var field train.Term
	why := err
	var setting *train.ConfigError
	var file *train.FileError
	if errors.As(err, &setting) {
		field, why = setting.Field, setting.Err
	} else if errors.As(err, &file) {
		field, why = file.Field, file.Err
	}
	name := fields[field]
	if name == "" {
		return err
	}
	return fmt.Errorf("dl4go.Config.%s: %w", name, why)
}

// network sets the run's network, of a checkpoint or a new one, and its normalizer.
func (c Config) network(ctx context.Context, run *train.Config) error {
	if c.Resume {
		found, err := c.resumed(ctx, run)
		if found || err != nil {
			return err
		}
	}
	info := c.Data.Info()
	make := c.Network
	switch {
	case make != nil:
	case c.Prepared != nil:
		make = Named(modelfile.Usual(info))
	default:
		make = MLP(64)
	}
	made, err := make(ctx, info, c.Seed)
	if err == nil && made == nil {
		err = errors.New("it makes none; return a network or an error")
	}
	if err != nil {
		return fmt.Errorf("dl4go.Config.Network: %w", err)
	}
	net := made.Base()
	run.Network = net
	if err := fits(net.Schema(), info); err != nil {
		return fmt.Errorf("dl4go.Config.Data: %w", err)
	}
	if err := net.SetSchema(net.Schema().With(info.Schema)); err != nil {
		return fmt.Errorf("dl4go.Config.Data: %w", err)
	}
	if c.Prepared != nil && c.Prepared.Preparation != nil {
		if err := modelfile.SetPreparation(net, c.Prepared.Preparation); err != nil {
			return fmt.Errorf("dl4go.Config.Prepared: %w", err)
		}
	}
	run.Normalizer, err = c.normalizer(net)
	return err
}

// normalizer returns the normalizer of a new run, which the network keeps; nil if there is none.
func (c Config) normalizer(net *nn.Network) (data.Normalizer, error) {
	had, err := normalizerOf(net)
	switch {
	case err != nil:
		return nil, fmt.Errorf("dl4go.Config.Network: %w", err)
	case had != nil && c.Normalizer != nil:
		return nil, errors.New("dl4go.Config.Normalizer: the network has a normalizer already; leave this one out, or " +
			"SetNormalizer(nil)")
	case c.Normalizer != nil:
		n, err := c.Normalizer.fitted(net, c.Data)
		if err != nil {
			return nil, fmt.Errorf("dl4go.Config.Normalizer: %w", err)
		}
		return n, nil
	case had == nil && c.Prepared != nil && c.Data.Info().Task == source.Regression:
		n, err := prepare.ScaleLabels(net, c.Data)
		if err != nil {
			return nil, fmt.Errorf("dl4go.Config.Prepared: %w", err)
		}
		return n, nil
	}
	return had, nil
}

// resumed continues from a checkpoint, and reports whether there is one.
func (c Config) resumed(ctx context.Context, run *train.Config) (found bool, err error) {
	from, err := train.Resume(ctx, c.Checkpoint, train.Claim{})
	if errors.Is(err, train.ErrNoCheckpoint) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("dl4go.Config.Resume: %w", err)
	}
	run.From, run.Network = from, from.Network
	if run.Normalizer, err = normalizerOf(from.Network); err != nil {
		from.Close()
		return false, fmt.Errorf("dl4go.Config.Resume: %s: %w", c.Checkpoint, err)
	}
	if c.Seed != 0 && c.Seed != from.Network.Seed() {
		from.Close()
		return false, fmt.Errorf("dl4go.Config.Seed: %d: the run in %s has %d, which can't change when it goes on", c.Seed,
			c.Checkpoint, from.Network.Seed())
	}
	return true, nil
}

// fits reports whether data has the columns and classes of a model, in the same order. Data without names fits.
func fits(s *data.Schema, i source.Info) error {
	if s == nil {
		return nil
	}
	if err := s.SameClasses(i.LabelNames); err != nil {
		return fmt.Errorf("%s: %w; set Classes of its table, or read it by Model.Read", i.Name, err)
	}
	if s.Features != nil && i.Schema != nil && i.Schema.Features != nil && !slices.Equal(s.Features, i.Schema.Features) {
		return fmt.Errorf("%s: the columns are %s, and the model's are %s; give them in the model's order", i.Name,
			data.ShortList(i.Schema.Features), data.ShortList(s.Features))
	}
	return nil
}
