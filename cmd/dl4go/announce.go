package main

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/jsonline"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/train"
)

// announce says what is trained on what.
func (t *training) announce() {
	info, c, workers := t.train.Info(), t.run.Config(), t.run.Workers()
	e := event{"model": t.model, "data": info.Name, "examples": info.Examples, "classes": info.Classes,
		"training": t.training, "seed": t.seed, "kernel": t.kernels.String(), "threads": c.Engine.Threads(),
		"parameters": t.net.NumParams(), "batch": c.Batch, "save": t.save}
	if s := labelled(info); s != "" {
		e["labels"] = s
	}
	if t.test != nil {
		e["test"], e["testExamples"] = t.test.Info().Name, t.test.Info().Examples
	}
	if t.iterations > 0 {
		e["iterations"] = t.iterations
	} else {
		e["epochs"] = c.Epochs
	}
	if t.training == byAveraging {
		e["master"], e["workers"] = c.Engine.Master(), workers
		e["averagingFrequency"], e["rounds"] = t.conf.AveragingFrequency, len(t.run.Rounds())
	}
	if t.training == bySharing {
		e["master"], e["workers"] = c.Engine.Master(), workers
	}
	if c.Stopping != nil {
		e["earlyStopping"] = t.early.settings
	}
	if c.Pretraining != nil && t.from == nil {
		e["pretrain"] = c.Pretraining.Epochs
		if c.Pretraining.Stopping != nil {
			e["pretrainStopping"] = t.preStop.settings
		}
	}
	if c.Checkpoint.Dir != "" {
		e["checkpoint"] = t.checkpoints.dir
	}
	if t.from != nil {
		e["resumed"], e["iteration"], e["epochsDone"] = t.checkpoints.resume, t.net.Iteration(), t.from.Epochs
	}
	t.out.emit("start", e)
	for _, l := range t.header() {
		t.out.line("%-10s %s", l[0], l[1])
	}
	t.out.line("%s", strings.TrimRight(t.net.Summary(), "\n"))
}

// header is what a run is about, in lines of a title and a text.
func (t *training) header() [][2]string {
	info, c, workers := t.train.Info(), t.run.Config(), t.run.Workers()
	from := "new, seed " + fmt.Sprint(t.seed)
	if t.net.trained {
		from = fmt.Sprintf("goes on from iteration %d, epoch %d; seed %d", t.net.Iteration(), t.net.Epoch(), t.seed)
	}
	lines := [][2]string{
		{"network", fmt.Sprintf("%s, %s", t.out.strong(t.net.title), from)},
		{"data", fmt.Sprintf("%s examples (%s) of %s", progress.Count(int64(info.Examples)), modelfile.Describe(info), info.Name)},
	}
	if s := labelled(info); s != "" {
		lines = append(lines, [2]string{"labels", s})
	}
	if t.test != nil {
		i := t.test.Info()
		figure := "accuracy"
		if i.Classes == 0 {
			figure = "score"
		}
		lines = append(lines, [2]string{"held out", fmt.Sprintf("%s examples of %s, for the %s", progress.Count(int64(i.Examples)), i.Name, figure)})
	}
	if t.normalizes != "" {
		lines = append(lines, [2]string{"normalizer", t.normalizes})
	}
	if s := t.resumes(); s != "" {
		lines = append(lines, [2]string{"resumes", s})
	}
	long := progress.Plural(c.Epochs, "epoch")
	if t.iterations > 0 {
		long = progress.Plural(t.iterations, "iteration")
	}
	var how string
	switch {
	case t.training == byAveraging:
		how = fmt.Sprintf("parameter averaging, %s of %s: %s x %s of %d", long, progress.Plural(len(t.run.Rounds()), "round"),
			progress.Plural(workers, "worker"), progress.Plural(t.conf.AveragingFrequency, "minibatch"), c.Batch)
		if t.iterations > 0 {
			how = fmt.Sprintf("parameter averaging, %s: rounds of %s x %s of %d", long,
				progress.Plural(workers, "worker"), progress.Plural(t.conf.AveragingFrequency, "minibatch"), c.Batch)
		}
	case t.training == bySharing:
		how = fmt.Sprintf("gradient sharing, %s: %s, minibatches of %d", long, progress.Plural(workers, "worker"), c.Batch)
	case c.Batch == 0:
		how = fmt.Sprintf("plain, %s: %s as saved, in the files' order", long,
			progress.Plural(t.train.Objects(), "minibatch"))
	case t.permuted():
		how = fmt.Sprintf("plain, %s: minibatches of %d, examples permuted by the seed", long, c.Batch)
	default:
		how = fmt.Sprintf("plain, %s: minibatches of %d, examples in the files' order", long, c.Batch)
	}
	where := fmt.Sprintf("%s, %s each, %s kernels", c.Engine.Master(),
		progress.Plural(c.Engine.Threads(), "thread"), t.kernels)
	if t.training == byPlain {
		where = fmt.Sprintf("one process, %s, %s kernels", progress.Plural(c.Engine.Threads(), "thread"), t.kernels)
	}
	lines = append(lines, [2]string{"training", how})
	if c.Pretraining != nil && t.from == nil {
		how := fmt.Sprintf("of %s first, without labels: ", progress.Plural(len(t.net.Autoencoders()), "layer"))
		if c.Pretraining.Stopping != nil {
			how += fmt.Sprintf("at most %s of each, ended early %s",
				progress.Plural(c.Pretraining.Epochs, "epoch"), t.preStop.stopping)
		} else {
			how += progress.Plural(c.Pretraining.Epochs, "epoch") + " of each"
		}
		lines = append(lines, [2]string{"pretrains", how})
	}
	if c.Stopping != nil {
		lines = append(lines, [2]string{"ends", "early, " + t.early.stopping.String()})
	}
	return append(lines, [2]string{"runs on", where})
}

// labelled says what labels are taken for where that follows from a table's columns; empty where it does not.
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
		parts = append(parts, fmt.Sprintf("taken as classes, those that occur: %s; regression=true takes numbers", data.ShortList(i.LabelNames)))
	case parts != nil && i.Classes > 0:
		parts = append(parts, progress.Plural(i.Classes, "class"))
	case parts != nil:
		parts = append(parts, "taken as numbers")
	}
	return strings.Join(parts, ", ")
}

// finish prints what the run came to. err is why the statistics could not be written, if they could not.
func (t *training) finish(r *train.Result, err error) error {
	size := int64(0)
	if f, err := storage.Open(context.Background(), t.save); err == nil {
		size = f.Size()
		f.Close()
	}
	line := fmt.Sprintf("saved %s (%s)", t.out.strong(t.save), progress.Bytes(size))
	seconds := r.Duration.Seconds()
	e := event{"score": r.Score, "examples": r.Examples, "seconds": seconds, "model": t.save, "iteration": t.net.Iteration(),
		"epoch": t.net.Epoch(), "parameters": t.net.NumParams()}
	if r.Accuracy != nil {
		line += fmt.Sprintf(": held-out accuracy %s", t.out.strong(fmt.Sprintf("%.4f", *r.Accuracy)))
		e["accuracy"] = *r.Accuracy
	}
	if r.HeldOut != nil {
		e["testScore"] = *r.HeldOut
	}
	if s := r.Stopped; s != nil {
		maps.Copy(e, event{"ended": s.Reason, "by": s.By, "epochs": s.Epochs, "bestEpoch": s.BestEpoch + 1,
			"bestScore": jsonline.Value(s.BestScore), "metric": s.Metric, "latest": t.run.Config().Stopping.Latest})
	}
	t.out.line("%s, %.2f s in all", line, seconds)
	if r.Statistics != nil {
		t.out.line("")
		e["stats"] = t.out.phases(r.Statistics)
	}
	if err != nil {
		return err
	}
	if file := t.stats.file; file != "" {
		e["statsFile"], e["events"] = file, len(r.Statistics)
		t.out.line("wrote %s: %s", file, progress.Plural(len(r.Statistics), "event"))
	}
	return t.out.done(e)
}

// permuted says whether plain training permutes the examples.
func (t *training) permuted() bool {
	_, table := t.train.(source.Table)
	return table
}
