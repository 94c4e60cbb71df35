package main

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/storage"
)

// announce says what is trained on what.
func (t *training) announce() {
	info := t.train.Info()
	e := event{"model": t.model, "data": info.Name, "examples": info.Examples, "classes": info.Classes,
		"training": t.training, "seed": t.seed, "kernel": t.kernels.String(), "threads": t.engine.Threads(),
		"parameters": t.net.NumParams(), "batch": t.batch, "save": t.save}
	if s := labelled(info); s != "" {
		e["labels"] = s
	}
	if t.test != nil {
		e["test"], e["testExamples"] = t.test.Info().Name, t.test.Info().Examples
	}
	if t.iterations > 0 {
		e["iterations"] = t.iterations
	} else {
		e["epochs"] = t.epochs
	}
	if t.training == byAveraging {
		e["master"], e["workers"] = t.engine.Master(), t.workers()
		e["averagingFrequency"], e["rounds"] = t.conf.AveragingFrequency, len(t.rounds)
	}
	if t.training == bySharing {
		e["master"], e["workers"] = t.engine.Master(), t.trainer.(*sharer).workers
	}
	if t.early.on() {
		e["earlyStopping"] = t.early.settings
	}
	if t.pretrain > 0 && t.from == nil {
		e["pretrain"] = t.pretrain
		if t.preStop.on() {
			e["pretrainStopping"] = t.preStop.settings
		}
	}
	if t.keeper != nil {
		e["checkpoint"] = t.checkpoints.dir
	}
	if t.from != nil {
		e["resumed"], e["iteration"], e["epochsDone"] = t.checkpoints.resume, t.from.Iteration, t.from.Epochs
	}
	t.out.emit("start", e)
	for _, l := range t.header() {
		t.out.line("%-10s %s", l[0], l[1])
	}
	t.out.line("%s", strings.TrimRight(t.net.Summary(), "\n"))
}

// workers is the number of workers of a round.
func (t *training) workers() int { return len(t.rounds[0]) }

// header is what a run is about, in lines of a title and a text.
func (t *training) header() [][2]string {
	info := t.train.Info()
	from := "new, seed " + fmt.Sprint(t.seed)
	if t.net.trained {
		from = fmt.Sprintf("goes on from iteration %d, epoch %d; seed %d", t.net.Iteration(), t.net.Epoch(), t.seed)
	}
	lines := [][2]string{
		{"network", fmt.Sprintf("%s, %s", t.out.strong(t.net.title), from)},
		{"data", fmt.Sprintf("%s examples (%s) of %s", progress.Count(int64(info.Examples)), describe(info), info.Name)},
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
	long := plural(t.epochs, "epoch")
	if t.iterations > 0 {
		long = plural(t.iterations, "iteration")
	}
	var how string
	switch {
	case t.training == byAveraging:
		how = fmt.Sprintf("parameter averaging, %s of %s: %s x %s of %d", long, plural(len(t.rounds), "round"),
			plural(t.workers(), "worker"), plural(t.conf.AveragingFrequency, "minibatch"), t.batch)
		if t.iterations > 0 {
			how = fmt.Sprintf("parameter averaging, %s: rounds of %s x %s of %d", long,
				plural(t.workers(), "worker"), plural(t.conf.AveragingFrequency, "minibatch"), t.batch)
		}
	case t.training == bySharing:
		how = fmt.Sprintf("gradient sharing, %s: %s, minibatches of %d", long, plural(t.trainer.(*sharer).workers, "worker"), t.batch)
	case t.batch == 0:
		how = fmt.Sprintf("plain, %s: %s as saved, in the files' order", long, plural(t.train.Objects(), "minibatch"))
	case t.permuted():
		how = fmt.Sprintf("plain, %s: minibatches of %d, examples permuted by the seed", long, t.batch)
	default:
		how = fmt.Sprintf("plain, %s: minibatches of %d, examples in the files' order", long, t.batch)
	}
	where := fmt.Sprintf("%s, %s each, %s kernels", t.engine.Master(), plural(t.engine.Threads(), "thread"), t.kernels)
	if t.training == byPlain {
		where = fmt.Sprintf("one process, %s, %s kernels", plural(t.engine.Threads(), "thread"), t.kernels)
	}
	lines = append(lines, [2]string{"training", how})
	if t.pretrain > 0 && t.from == nil {
		how := fmt.Sprintf("of %s first, without labels: ", plural(len(t.net.Autoencoders()), "layer"))
		if t.preStop.on() {
			how += fmt.Sprintf("at most %s of each, ended early %s", plural(t.pretrain, "epoch"), &t.preStop)
		} else {
			how += plural(t.pretrain, "epoch") + " of each"
		}
		lines = append(lines, [2]string{"pretrains", how})
	}
	if t.early.on() {
		lines = append(lines, [2]string{"ends", "early, " + t.early.String()})
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
		parts = append(parts, plural(i.Classes, "class"))
	case parts != nil:
		parts = append(parts, "taken as numbers")
	}
	return strings.Join(parts, ", ")
}

func plural(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "ss"), strings.HasSuffix(what, "ch") && !strings.HasSuffix(what, "epoch"):
		return progress.Count(int64(n)) + " " + what + "es"
	}
	return progress.Count(int64(n)) + " " + what + "s"
}

// tell prints what an epoch came to, of which this process has trained so many examples.
func (t *training) tell(label string, epoch int, f figures, trained int) {
	rate := float64(trained) / max(f.seconds, 1e-9)
	line := fmt.Sprintf("%-11s  score %-9.4g", label, f.score)
	e := event{"epoch": epoch + 1, "iteration": t.net.Iteration(), "score": f.score, "examples": f.examples,
		"examplesPerSecond": rate, "seconds": f.seconds, "model": t.save}
	if f.accuracy != nil {
		line += fmt.Sprintf("  accuracy %.4f", *f.accuracy)
		e["accuracy"] = *f.accuracy
	}
	if f.heldOut != nil {
		line += fmt.Sprintf("  held out %-9.4g", *f.heldOut)
		e["testScore"] = *f.heldOut
	}
	line += f.note
	maps.Copy(e, f.details)
	t.out.line("%s  %7s examples/s  %.2f s", line, progress.Count(int64(rate)), f.seconds)
	t.out.emit("epoch", e)
}

// finish prints what the run came to.
func (t *training) finish(f figures, examples int) error {
	seconds := time.Since(t.begin).Seconds()
	size := int64(0)
	if f, err := storage.Open(t.save); err == nil {
		size = f.Size()
		f.Close()
	}
	line := fmt.Sprintf("saved %s (%s)", t.out.strong(t.save), progress.Bytes(size))
	e := event{"score": f.score, "examples": examples, "seconds": seconds, "model": t.save, "iteration": t.net.Iteration(),
		"epoch": t.net.Epoch(), "parameters": t.net.NumParams()}
	if f.accuracy != nil {
		line += fmt.Sprintf(": held-out accuracy %s", t.out.strong(fmt.Sprintf("%.4f", *f.accuracy)))
		e["accuracy"] = *f.accuracy
	}
	if f.heldOut != nil {
		e["testScore"] = *f.heldOut
	}
	maps.Copy(e, f.details)
	t.out.line("%s, %.2f s in all", line, seconds)
	if c := t.collector(); c != nil {
		if err := t.collected(t.stats.events(c), e); err != nil {
			return fmt.Errorf("%w; %s holds the trained network", err, t.save)
		}
	}
	return t.out.done(e)
}

// permuted says whether plain training permutes the examples.
func (t *training) permuted() bool {
	_, table := t.train.(source.Table)
	return table
}
