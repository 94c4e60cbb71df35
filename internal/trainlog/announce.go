package trainlog

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/xla"
	"github.com/dl4go/dl4go/train"
)

// Announce shows the network, the data and the method of the run.
func (l *Log) Announce() {
	info, net, c, workers := l.info(), l.net(), l.conf(), l.Run.Workers()
	e := event{"model": l.Model, "data": info.Name, "examples": info.Examples, "classes": info.Classes,
		"training": c.Method.Name(), "seed": c.Seed, "kernel": c.Kernels, "threads": c.Engine.Threads(),
		"parameters": net.NumParams(), "batch": c.Batch, "save": c.Save}
	if s := labelled(info); s != "" {
		e["labels"] = s
	}
	if c.HeldOut != nil {
		e["test"], e["testExamples"] = c.HeldOut.Info().Name, c.HeldOut.Info().Examples
	}
	if c.Iterations > 0 {
		e["iterations"] = c.Iterations
	} else {
		e["epochs"] = c.Epochs
	}
	switch m := c.Method.(type) {
	case train.Averaging:
		e["master"], e["workers"] = c.Engine.Master(), workers
		e["averagingFrequency"], e["rounds"] = m.Config.AveragingFrequency, len(l.Run.Rounds())
		if m.Options.AutoFrequency {
			e["autoFrequency"] = true
		}
		if o := m.Config.Outer; o.Rule != paramavg.NoOuter {
			e["outer"], e["outerLearningRate"], e["outerMomentum"] = o.Rule, o.LearningRate, o.Momentum
		}
	case train.Sharing:
		e["master"], e["workers"] = c.Engine.Master(), workers
	}
	if c.Stopping != nil {
		e["earlyStopping"] = l.Stopping
	}
	if c.Pretraining != nil && c.From == nil {
		e["pretrain"] = c.Pretraining.Epochs
		if c.Pretraining.Stopping != nil {
			e["pretrainStopping"] = l.PretrainingStopping
		}
	}
	if c.Checkpoint.Dir != "" {
		e["checkpoint"] = c.Checkpoint.Dir
	}
	if c.From != nil {
		e["resumed"], e["iteration"], e["epochsDone"] = l.Resumed, net.Iteration(), c.From.Epochs
	}
	l.Emit("start", e)
	l.header()
	l.Line("%s", strings.TrimRight(net.Summary(), "\n"))
}

// header prints the run's settings, as lines of a title and a text.
func (l *Log) header() {
	info, net, c := l.info(), l.net(), l.conf()
	line := func(title, format string, args ...any) { l.Line("%-10s %s", title, fmt.Sprintf(format, args...)) }
	from := fmt.Sprintf("new, seed %d", c.Seed)
	if l.Trained {
		from = fmt.Sprintf("goes on from iteration %d, epoch %d; seed %d", net.Iteration(), net.Epoch(), c.Seed)
	}
	line("network", "%s, %s", l.Strong(l.Title), from)
	line("data", "%s examples (%s) of %s", progress.Count(int64(info.Examples)), modelfile.Describe(info), info.Name)
	if s := labelled(info); s != "" {
		line("labels", "%s", s)
	}
	if c.HeldOut != nil {
		i := c.HeldOut.Info()
		figures := "loss and accuracy"
		if i.Classes == 0 {
			figures = "loss"
		}
		line("held out", "%s examples of %s, for the %s", progress.Count(int64(i.Examples)), i.Name, figures)
	}
	if l.Normalizer != "" {
		line("normalizer", "%s", l.Normalizer)
	}
	if c.From != nil {
		line("resumes", "%s", resumes(c.From))
	}
	line("training", "%s", l.how())
	if c.Pretraining != nil && c.From == nil {
		line("pretrains", "of %s first, without labels: %s", progress.Plural(len(net.Autoencoders()), "layer"),
			pretrains(c.Pretraining))
	}
	if c.Stopping != nil {
		line("ends", "early, %v", c.Stopping)
	}
	where := c.Engine.Master()
	each := " each"
	if _, plain := c.Method.(train.Plain); plain {
		where, each = "one process", ""
	}
	by := c.Kernels + " kernels"
	if xla.IsDevice(c.Kernels) {
		by = "device " + c.Kernels
	}
	line("runs on", "%s, %s%s, %s", where, progress.Plural(c.Engine.Threads(), "thread"), each, by)
}

// how describes the length and the method of the training.
func (l *Log) how() string {
	c := l.conf()
	workers := progress.Plural(l.Run.Workers(), "worker")
	long := progress.Plural(c.Epochs, "epoch")
	if c.Iterations > 0 {
		long = progress.Plural(c.Iterations, "iteration")
	}
	switch m := c.Method.(type) {
	case train.Averaging:
		minibatches := progress.Plural(m.Config.AveragingFrequency, "minibatch")
		outer := ""
		if o := m.Config.Outer; o.Rule != paramavg.NoOuter {
			outer = fmt.Sprintf(", outer %s of rate %v, momentum %v", o.Rule, o.LearningRate, o.Momentum)
		}
		if m.Options.AutoFrequency {
			outer = ", then as many as the times call for" + outer
		}
		if c.Iterations > 0 {
			return fmt.Sprintf("parameter averaging, %s: rounds of %s x %s of %d%s", long, workers, minibatches, c.Batch, outer)
		}
		return fmt.Sprintf("parameter averaging, %s of %s: %s x %s of %d%s", long,
			progress.Plural(len(l.Run.Rounds()), "round"), workers, minibatches, c.Batch, outer)
	case train.Sharing:
		return fmt.Sprintf("gradient sharing, %s: %s, minibatches of %d", long, workers, c.Batch)
	}
	if c.Batch == 0 {
		return fmt.Sprintf("plain, %s: %s as saved, in the files' order", long,
			progress.Plural(c.Data.Objects(), "minibatch"))
	}
	if source.Single(c.Data) {
		return fmt.Sprintf("plain, %s: minibatches of %d, examples permuted by the seed", long, c.Batch)
	}
	return fmt.Sprintf("plain, %s: minibatches of %d, examples in the files' order", long, c.Batch)
}

// pretrains describes the pretraining of autoencoders.
func pretrains(p *train.Pretraining) string {
	if p.Stopping == nil {
		return progress.Plural(p.Epochs, "epoch") + " of each"
	}
	return fmt.Sprintf("at most %s of each, ended early %s", progress.Plural(p.Epochs, "epoch"), p.Stopping)
}

// resumes describes the checkpoint from which the run continues.
func resumes(r *train.Resumed) string {
	s := fmt.Sprintf("%s, written %s: after %s", r.Dir(), r.Written.Local().Format("2006-01-02 15:04:05"),
		progress.Plural(r.Epochs, "epoch"))
	if r.InEpoch {
		s += fmt.Sprintf(" and %s examples", progress.Count(int64(r.Examples)))
	}
	return s
}

// labelled describes the labels, if they follow from a table's columns; otherwise it returns an empty text.
func labelled(i source.Info) string {
	var parts []string
	if i.Schema != nil && i.Schema.Labels != nil {
		what := "column "
		if len(i.Schema.Labels) > 1 {
			what = "columns "
		}
		parts = append(parts, what+data.ShortList(i.Schema.Labels))
	}
	switch {
	case i.ClassesFound:
		parts = append(parts, fmt.Sprintf("taken as classes, those that occur: %s; regression=true takes numbers",
			data.ShortList(i.LabelNames)))
	case parts != nil && i.Classes > 0:
		parts = append(parts, progress.Plural(i.Classes, "class"))
	case parts != nil:
		parts = append(parts, "taken as numbers")
	}
	return strings.Join(parts, ", ")
}
