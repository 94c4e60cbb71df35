package train

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/storage"
)

// Run is a run that is ready to train. Only one goroutine may use it.
type Run struct {
	course
	begin    time.Time // when this part of the run began
	own      bool      // the engine belongs to the run
	heldOut  *scorer
	model    *modelFile
	best     *bests
	keeper   *keeper         // nil: no checkpoints
	saving   context.Context // of Train's writes: see Config.Grace
	saved    func()          // ends saving
	data     fingerprint     // for checkpoints
	before   []stats.Event   // statistics of earlier parts of the run
	learning learning
	kept     kept

	weighting data.Weighting

	step func(score float64) // unless nil, is called with the score of each step
	time deadline

	steer steer
}

// course has a run's network, data, method and progress.
type course struct {
	conf    Config
	began   time.Time // when the run began
	engine  engine.Engine
	trainer trainer
	workers int // that train at the same time; 0 for plain training
	at      state
	between int // the network's iteration at the end of the last epoch
}

// count counts a complete epoch.
func (r *course) count(got Figures) {
	r.at.Epochs++
	r.at.Examples += got.Examples
	r.at.Part, r.at.Unscored = part{}, false
	r.between = r.conf.network().Iteration()
}

// Fit trains a network: it is [New], [Run.Train] and [Run.Close] in one call. If the context ends, the error is an
// *[UnfinishedError] with the network as far as it was trained.
func Fit(ctx context.Context, c Config) (*Result, error) {
	r, err := New(ctx, c)
	if err != nil {
		return nil, err
	}
	result, err := r.Train(ctx)
	return result, errors.Join(err, r.Close())
}

// New checks the settings and the files that they name, claims the directory of the checkpoints and distributes the
// data to the engine's workers. Errors due to a setting are *[ConfigError] and *[FileError]. The caller must close the
// run.
func New(ctx context.Context, c Config) (*Run, error) {
	r := &Run{begin: time.Now(), time: deadline{now: time.Now}}
	r.time.run = r
	r.began = r.begin.UTC()
	r.conf.From = c.From // Close closes it in any case
	err := c.CheckFiles(ctx)
	if err == nil {
		r.conf = c.withDefaults()
		err = r.open(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *Run) open(ctx context.Context) error {
	if err := r.conf.shorten(); err != nil {
		return err
	}
	c := r.conf
	r.learning = learning{of: &r.course, series: stats.NewRecorder(r.began, stats.Run{}, 0)}
	if from := c.From; from != nil {
		r.began = from.Began
		r.at = from.record.state
		if err := r.sameData(); err != nil {
			return err
		}
		before, err := earlier(ctx, c.StatsFile, from.Began)
		if err != nil {
			return err
		}
		r.before = before.Events
		r.learning.from = c.network().Iteration()
		r.learning.series = stats.NewRecorder(r.began, before, r.learning.from)
	}
	if c.measures() {
		r.learning.meter = stats.NewMeter()
	}
	if r.engine = c.Engine; r.engine == nil {
		if _, plain := c.Method.(Plain); !plain {
			return wrong("Engine", "there is none; training by workers needs an engine, see engine.Open")
		}
		var err error
		if r.engine, err = engine.Open(ctx, "local[1]", engine.Options{Log: c.Log}); err != nil {
			return err
		}
		r.own = true
	}
	if err := r.makeExportDirectory(ctx); err != nil {
		return err
	}
	if err := r.claim(ctx); err != nil {
		return err
	}
	r.model = &modelFile{path: c.Save, options: nn.SaveOptions{WithoutUpdater: c.WithoutUpdater}, keeper: r.keeper}
	r.best = &bests{save: c.Save, warn: func(message string) { c.Log.Warn(message) }}
	if r.keeper != nil {
		r.best.dir = r.keeper.dir.Path()
	}
	if c.From != nil {
		r.best.from = c.From.Dir()
	}
	if c.HeldOut != nil {
		d, err := distributed.Spread(ctx, r.engine, c.HeldOut, c.Normalizer, 0)
		if err != nil {
			return err
		}
		info := c.HeldOut.Info()
		on := distributed.New(r.engine, c.network(), nil, distributed.Options{Kernels: c.Kernels})
		r.heldOut = &scorer{on: on, data: d, classes: info.Classes, task: info.Task,
			metrics: c.Metrics}
		r.heldOut.revert, _ = c.Normalizer.(*data.Scaler)
	}
	if err := r.fitsBatch(); err != nil {
		return err
	}
	var err error
	if r.trainer, err = c.Method.prepare(ctx, r); err != nil {
		return err
	}
	if err := r.fitsMemory(); err != nil {
		return err
	}
	r.learning.about = r.learning.settings(ctx)
	return r.unchanged()
}

// Close releases the run's data on the engine, and the directory of its checkpoints. The network remains usable.
func (r *Run) Close() (err error) {
	if r.trainer != nil {
		err = r.trainer.close()
		r.trainer = nil
	}
	r.keeper.close()
	r.keeper = nil
	if r.saved != nil {
		r.saved()
	}
	if r.conf.From != nil {
		r.conf.From.Close()
	}
	if r.own {
		err = errors.Join(err, r.engine.Close())
		r.own = false
	}
	return err
}

// Config returns the settings of the run, with the defaults filled in.
func (r *course) Config() Config { return r.conf }

// Workers returns how many workers train at the same time: 0 for plain training.
func (r *course) Workers() int {
	if a, ok := r.trainer.(*averaging); ok {
		return len(a.rounds[0])
	}
	return r.workers
}

// Rounds returns the rounds of an epoch of parameter averaging: the number of examples of each worker in each round.
// It returns nil for other methods.
func (r *course) Rounds() [][]int {
	if a, ok := r.trainer.(*averaging); ok {
		return a.rounds
	}
	return nil
}

// CheckFiles returns a *[ConfigError] for invalid settings, and a *[FileError] if the run could not write one of its
// files. New calls it first. Call it earlier if opening the engine is expensive.
func (c Config) CheckFiles(ctx context.Context) error {
	if err := c.Validate(); err != nil {
		return err
	}
	c = c.withDefaults()
	if err := c.CheckWritable(ctx); err != nil {
		return err
	}
	return cmp.Or(c.spare(ctx), c.checkStatsFile())
}

// CheckWritable returns a *[FileError] if the run could not write one of its files. CheckFiles calls it. It needs no
// Network and no Data: call it earlier if opening these is expensive.
func (c Config) CheckWritable(ctx context.Context) error {
	type file struct {
		field Term
		path  string
	}
	files := []file{{"Save", c.Save}, {"StatsFile", c.StatsFile}}
	if c.Stopping != nil {
		files = append(files, file{"Stopping.Latest", c.Stopping.Latest})
	}
	for _, f := range files {
		if f.path == "" {
			continue
		}
		if err := storage.CheckWritable(ctx, f.path); err != nil {
			return &FileError{Field: f.field, Err: err}
		}
	}
	return nil
}
