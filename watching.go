package dl4go

import (
	"context"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/internal/livepage"
	"github.com/dl4go/dl4go/internal/metrics"
	"github.com/dl4go/dl4go/internal/mlflow"
	"github.com/dl4go/dl4go/internal/tensorboard"
	"github.com/dl4go/dl4go/train"
)

// TensorBoard makes a tracker that writes event files to a directory, for TensorBoard. It is of one run: see
// [Config].Trackers.
func TensorBoard(dir string) train.Tracker { return &tensorboard.Tracker{Dir: dir} }

// MLflow makes a tracker that sends a run to an MLflow server. getenv gives the values of MLflow's variables, such as
// MLFLOW_TRACKING_URI: it is [os.Getenv], or a function with other settings. Without an experiment, it is the one of
// MLFLOW_EXPERIMENT_NAME. If the server does not get all of the run, the run is written to the file spare, with the
// extension .json. The tracker is of one run: see [Config].Trackers.
func MLflow(experiment, spare string, getenv func(string) string) (train.Tracker, error) {
	to, err := mlflow.FromEnvironment(experiment, getenv)
	if err != nil {
		return nil, err
	}
	return &mlflow.Tracker{Settings: to, Keep: spare}, nil
}

// Page is a page for browsers that shows a run while it trains, and can end it or lower its learning rate: see
// [Config].Page.
type Page struct {
	// Address is HOST:PORT. Empty: a free port that only this machine reaches.
	Address string
	// Certificate and Key are PEM files for HTTPS. Empty: HTTP.
	Certificate, Key string
	// Exposed allows HTTP at an address that other machines reach. They can read the token in transit.
	Exposed bool
	// Opened, unless nil, is called with the page's URLs, which have a token: url can steer the run, watch cannot.
	Opened func(url, watch string)
}

// Prometheus serves the figures of a run to Prometheus while it trains: see [Config].Prometheus.
type Prometheus struct {
	// Address is HOST:PORT. There is no authentication: the figures say nothing about single examples.
	Address string
	// Opened, unless nil, is called with the URL of the figures.
	Opened func(url string)
}

// open serves figures until the endpoint is closed, and returns what hears the events of the run.
func (p *Prometheus) open() (*metrics.Endpoint, *metrics.Training, error) {
	e, err := metrics.Listen(p.Address)
	if err != nil {
		return nil, nil, fmt.Errorf("dl4go.Config.Prometheus: %w", err)
	}
	if p.Opened != nil {
		p.Opened("http://" + e.Address() + "/metrics")
	}
	return e, metrics.NewTraining(e), nil
}

// open serves the page of a run until the server is closed.
func (p *Page) open(r *train.Run) (*livepage.Server, error) {
	o := livepage.Options{Address: p.Address, Certificate: p.Certificate, Key: p.Key, Exposed: p.Exposed}
	s, err := livepage.Open(o, livepage.Live{Run: r.Remote()})
	if errors.Is(err, livepage.ErrExposed) {
		err = fmt.Errorf("%w; set Certificate and Key, or allow it with Exposed", err)
	}
	if err != nil {
		return nil, fmt.Errorf("dl4go.Config.Page: %w", err)
	}
	if p.Opened != nil {
		p.Opened(s.URL(), s.WatchURL())
	}
	return s, nil
}

// fit trains, with what watches the run from outside.
func (c Config) fit(ctx context.Context, run train.Config) (result *train.Result, err error) {
	if c.Prometheus != nil {
		endpoint, figures, err := c.Prometheus.open()
		if err != nil {
			return nil, err
		}
		defer endpoint.Close()
		listen := run.Listen
		run.Listen = func(e Event) {
			if figures.Hear(e); listen != nil {
				listen(e)
			}
		}
	}
	if run.Kernels != "" {
		executor, err := run.NewExecutor()
		if err != nil {
			return nil, fmt.Errorf("dl4go.Config.Kernels: %w", err)
		}
		defer executor.Close()
		net := run.Network.Base()
		net.SetExecutor(executor)
		defer net.SetExecutor(nil) // the model computes with its own threads
	}
	run.Measure = run.Measure || c.Page != nil
	r, err := train.New(ctx, run)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if c.Page != nil {
		page, err := c.Page.open(r)
		if err != nil {
			return nil, err
		}
		defer page.Close()
	}
	return r.Train(ctx)
}
