package workplace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/grace"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/usage"
)

// OpenData opens the data that a flag names, with columns by the names of a schema; nil takes them by position.
func (w *Place) OpenData(ctx context.Context, flag, spec string, as *data.Schema) (source.Source, error) {
	n, o, err := w.Named(flag, spec)
	if err != nil {
		return nil, err
	}
	if n.StandardInput() {
		return nil, usage.Errorf("--%s %s: standard input can be read once, and this goes through the data more than once: "+
			"name a file", flag, spec)
	}
	o.As = as
	s, err := w.read(ctx, n, o)
	if err != nil {
		return nil, ExplainData(flag, err)
	}
	if w != nil {
		w.Own(s)
		w.TellNotes(flag, s.Info().Notes)
	}
	return s, nil
}

// TellNotes shows warnings about rows, for example about skipped ones.
func (w *Place) TellNotes(flag string, notes []string) {
	for _, text := range notes {
		w.Out.Warn("--%s: %s", flag, text)
	}
}

// read opens data, on the engine if the workers read it.
func (w *Place) read(ctx context.Context, n source.Name, o distributed.OpenOptions) (source.Source, error) {
	if !w.Cluster() || !distributed.ByWorkers(n, o.Options) {
		return grace.Abandon(ctx, func() (source.Source, error) { return source.OpenName(ctx, n, o.Options) })
	}
	e, err := w.Open(ctx)
	if err != nil {
		return nil, err
	}
	return distributed.Open(ctx, e, n, o)
}

// Named parses the name of data in a flag, with the settings given by flags, and returns the options for opening it.
// It refuses invalid names, and data that needs a cluster if there is none.
func (w *Place) Named(flag, spec string) (n source.Name, o distributed.OpenOptions, err error) {
	var settings *Data
	if w != nil {
		settings, o = w.Data, w.Data.OpenOptions
		o.Busy = w.Busy
	}
	if n, err = settings.Name(flag, spec); err != nil || w.Cluster() || !distributed.NeedsEngine(n) {
		return n, o, err
	}
	on := "this command reads data on this machine"
	if w != nil {
		on = "--master " + w.Engine.Master + " has no tables"
	}
	_, err = source.OpenName(context.Background(), n, source.Options{})
	return n, o, usage.Errorf("--%s: %w: %s", flag, err, on)
}

// ExplainData turns an invalid name of data into an error of the command line.
func ExplainData(flag string, err error) error {
	err = fmt.Errorf("--%s: %w", flag, err)
	var wrong *source.SpecError
	if other := (*source.MismatchError)(nil); errors.As(err, &other) {
		return fmt.Errorf("%w; --by-position takes columns and classes by position", err)
	}
	if errors.As(err, &wrong) {
		return &usage.Error{Err: err}
	}
	if row := (*source.RowError)(nil); errors.As(err, &row) && !strings.Contains(row.Error(), "; ") {
		return fmt.Errorf("%w; correct it, or leave such %ss out with --bad-rows skip:N", err, cmp.Or(row.Of, "row"))
	}
	return err
}

// Examine checks that data fits the network, before anything is done with it.
func (w *Place) Examine(ctx context.Context, flag, spec string, s source.Source, net *modelfile.Opened,
	labels bool) error {
	return w.Misfit(flag, spec, labels, distributed.Examine(ctx, s, Examination(net, labels)))
}

// Examination returns the settings for checking data.
func Examination(n *modelfile.Opened, labels bool) distributed.Examination {
	return distributed.Examination{Network: n.Network, Title: n.Title, Normalizer: n.Normalizer, Unlabelled: !labels}
}

// Misfit adds a likely reason why data does not fit: a setting that was not given.
func (w *Place) Misfit(flag, spec string, labels bool, err error) error {
	if err == nil {
		return nil
	}
	n, nameErr := w.Data.Name(flag, spec)
	k, ok := source.KindOf(n.Kind)
	if nameErr != nil || !ok {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	setting, has := k.About().Setting("label")
	_, given := n.Settings["label"]
	switch {
	case given || !has:
	case errors.Is(err, distributed.ErrUnlabelled):
		err = fmt.Errorf("%w; --%s %s says where they are", err, setting.FlagName(), setting.Value)
	case !labels && setting.Default != "":
		err = fmt.Errorf("%w; without --%s, %s", err, setting.FlagName(), setting.Default)
	}
	return fmt.Errorf("--%s: %w", flag, err)
}

// Queried reports whether only a cluster can read the named data.
func Queried(spec string) bool {
	n, err := source.Parse(spec)
	return err == nil && distributed.NeedsEngine(n)
}
