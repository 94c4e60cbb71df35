package trainlog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/jsonline"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/train"
)

// progressEvery is the minimum time between two progress events.
const progressEvery = 200 * time.Millisecond

// Listen shows the events of the run.
func (l *Log) Listen(e train.Event) {
	switch e := e.(type) {
	case train.Began:
		l.began = true
		l.Start("", e.Examples)
		l.view = &view{of: l.Run.Workers(), alive: l.Alive}
		l.Bar().Below(l.view.rows)
		if e.Over {
			l.Line("nothing is left to train: --epochs with a higher number trains on")
		}
	case train.EpochBegan:
		l.shown = time.Time{} // each epoch has a progress event, however short it is
		l.label = fmt.Sprintf("epoch %d/%d", e.Epoch+1, e.Of)
		if l.conf().Iterations > 0 {
			l.label = fmt.Sprintf("%d iterations", l.conf().Iterations)
		}
		l.Bar().Label(l.label)
	case train.Step:
		l.step(e)
	case train.EpochEnded:
		l.epoch(e)
	case train.CheckpointKept:
		l.Emit("checkpoint", event{"directory": e.Dir, "epoch": e.Epoch, "iteration": e.Iteration,
			"examples": e.Examples})
	case train.SaveFailed:
		l.Warn("the model could not be saved after epoch %d; training goes on: %v", e.Epochs, console.OneLine(e.Err))
	case train.Measured:
		l.advise(e.Cluster)
	case train.Paced:
		if e.Frequency != l.frequency {
			l.frequency = e.Frequency
			l.Line("rounds of %s from now on: computing one takes %v, the exchange of a round %v",
				progress.Plural(e.Frequency, "minibatch"), rounded(e.Step), rounded(e.Exchange))
		}
		l.Emit("averagingFrequency", event{"averagingFrequency": e.Frequency, "stepSeconds": e.Step.Seconds(),
			"exchangeSeconds": e.Exchange.Seconds()})
	case train.PretrainingEpoch:
		l.pretrainingEpoch(e)
	case train.PretrainedLayer:
		l.Line("pretraining of %s ended by %s, after %s: the best is epoch %d, of %s %.4g", e.Layer, e.By,
			progress.Plural(e.Epochs, "epoch"),
			e.BestEpoch+1, e.Metric, e.BestScore)
		l.pretrained = append(l.pretrained, event{"layer": e.Layer, "reason": e.Reason, "by": e.By, "epochs": e.Epochs,
			"bestEpoch": e.BestEpoch + 1, "bestScore": jsonline.Value(e.BestScore), "metric": e.Metric})
	case train.Pretrained:
		l.pretraining(e)
	case train.RateLowered:
		l.Line("learning rate times %v: %.4g from iteration %d on", e.By, e.Rate, e.Iteration)
		l.Emit("learningRate", event{"by": e.By, "learningRate": e.Rate, "iteration": e.Iteration})
	case train.TimeUp:
		l.timeUp(e)
	case train.Stopped:
		l.Stop()
		latest := ""
		if e.Latest != "" {
			latest = fmt.Sprintf("; %s holds the latest network", e.Latest)
		}
		l.Line("ended by %s, after %s: the best is epoch %d, of %s %.4g%s", e.By, progress.Plural(e.Epochs, "epoch"),
			e.BestEpoch+1,
			e.Metric, e.BestScore, latest)
	}
}

// rounded returns a duration with about three digits.
func rounded(d time.Duration) time.Duration {
	unit := time.Nanosecond
	for d > 1000*unit {
		unit *= 10
	}
	return d.Round(unit)
}

// timeUp tells where the time limit ended the training.
func (l *Log) timeUp(e train.TimeUp) {
	l.Stop()
	where := fmt.Sprintf("after epoch %d", e.Epoch)
	if e.InEpoch {
		where = fmt.Sprintf("in epoch %d, after %s examples of it", e.Epoch+1, progress.Count(int64(e.Examples)))
	}
	by := fmt.Sprintf("--max-time %v", l.conf().MaxTime)
	if e.Asked {
		by = "the live page"
	}
	l.Line("ended by %s, %s and iteration %d", by, where, e.Iteration)
}

// step shows the progress of the run.
func (l *Log) step(e train.Step) {
	l.view.step(e)
	l.Bar().AddNoted(int64(e.Examples), func() string { return noteOf(e.Score, e.Sharing) })
	now := time.Now()
	if now.Sub(l.shown) < progressEvery {
		return
	}
	l.shown = now
	o := event{"epoch": e.Epoch + 1, "iteration": e.Iteration, "score": e.Score,
		"examples": l.Bar().Done(), "examplesPerSecond": l.Bar().Rate(), "eta": l.Bar().Left().Seconds()}
	if p := e.Sharing; p != nil {
		maps.Copy(o, event{"updates": p.Updates, "updatesPerSecond": p.UpdatesPerSecond, "sparsity": p.Sparsity,
			"threshold": p.Threshold, "bytesSent": p.Sent, "bytesReceived": p.Received, "messageBytes": p.Messages,
			"denseBytes": p.Dense, "workers": p.Workers, "lag": p.Lag})
	}
	l.Emit("progress", o)
}

// noteOf describes a step, and the progress of gradient sharing.
func noteOf(score float64, p *sharing.Progress) string {
	if p == nil {
		return fmt.Sprintf("loss %.4g", score)
	}
	return fmt.Sprintf("loss %.4g, %.0f updates/s, sparsity %.2g, threshold %.2g, %s sent, %s received, lag %d", score,
		p.UpdatesPerSecond, p.Sparsity, p.Threshold, progress.Bytes(int64(p.Sent)), progress.Bytes(int64(p.Received)), p.Lag)
}

// epoch prints the results of an epoch.
func (l *Log) epoch(f train.EpochEnded) {
	l.view.epoch(f)
	seconds := f.Duration.Seconds()
	rate := float64(f.Trained) / max(seconds, 1e-9)
	e := event{"epoch": f.Epoch + 1, "iteration": f.Iteration, "score": f.Score, "examples": f.Examples,
		"examplesPerSecond": rate, "seconds": seconds, "model": l.conf().Save, "loss": jsonline.Value(f.Score)}
	if f.LearningRate != nil {
		e["learningRate"] = *f.LearningRate
	}
	figures := append([]string{fmt.Sprintf("loss %-9.4g", f.Score)}, heldOutFigures(f, e)...)
	l.Line("%s", epochLine(fmt.Sprintf("%-11s", l.label), figures, rate, seconds, l.Columns()))
	l.Emit("epoch", e)
}

// heldOutFigures adds the figures of the held-out data to e, and returns their texts for the line of an epoch.
func heldOutFigures(f train.EpochEnded, e event) (all []string) {
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if f.HeldOut != nil {
		add("loss %.4g", *f.HeldOut)
		e["heldOutLoss"] = jsonline.Value(*f.HeldOut)
		if f.Accuracy == nil {
			e["testScore"] = *f.HeldOut // the name that it had before a loss was added beside accuracies
		}
	}
	if f.Accuracy != nil {
		add("accuracy %.4f", *f.Accuracy)
		e["accuracy"] = *f.Accuracy
	}
	if f.R2 != nil {
		add("R² %.4f", *f.R2)
		e["r2"], e["mae"] = jsonline.Value(*f.R2), jsonline.Value(*f.MAE)
	}
	if f.Weighted != nil {
		add("%s", weighted(f.Weighted, "weighted", e))
	}
	for _, m := range f.Measures {
		if _, told := e[m.Name]; !told {
			add("%s %.4g", m.Name, m.Value)
			e[m.Name] = jsonline.Value(m.Value)
		}
	}
	best := false
	if m := f.Metric; m != nil {
		_, told := e[m.Name]
		e[m.Name], e["best"] = jsonline.Value(m.Score), m.Best
		if !told {
			add("%s %.4g", m.Name, m.Score)
		}
		best = m.Best
	}
	for i := range all {
		if i == 0 {
			all[i] = "held out: " + all[i]
		}
		if i < len(all)-1 {
			all[i] += ","
		}
	}
	if best {
		add("best")
	}
	return all
}

// epochLine returns the line of an epoch. On a terminal of fewer columns than the line, it leaves out the speed. If
// that is not enough, the figures go on in further lines, below the first one. 0 columns means no limit.
func epochLine(label string, figures []string, rate, seconds float64, columns int) string {
	width := utf8.RuneCountInString
	apart := func(before string) string {
		if strings.HasSuffix(before, ",") {
			return " "
		}
		return "  "
	}
	text, before := label, label
	for _, f := range figures {
		text += apart(before) + f
		before = f
	}
	end := fmt.Sprintf("%.2f s", seconds)
	whole := fmt.Sprintf("%s  %7s examples/s  %s", text, progress.Count(int64(rate)), end)
	short := text + "  " + end
	switch {
	case columns <= 0 || width(whole) <= columns:
		return whole
	case width(short) <= columns:
		return short
	}
	var s strings.Builder
	s.WriteString(label)
	at := width(label)
	before = label
	for i, f := range append(slices.Clip(figures), end) {
		f = strings.TrimRight(f, " ")
		if i > 0 && at+len(apart(before))+width(f) > columns {
			s.WriteString("\n" + strings.Repeat(" ", width(label)))
			at, before = width(label), label
		}
		s.WriteString(apart(before) + f)
		at += len(apart(before)) + width(f)
		before = f
	}
	return s.String()
}

func (l *Log) pretrainingEpoch(e train.PretrainingEpoch) {
	seconds := e.Duration.Seconds()
	o := event{"layer": e.Layer, "epoch": e.Epoch + 1, "epochs": e.Of, "seconds": seconds}
	note := ""
	if m := e.Metric; m != nil {
		o[m.Name], o["best"] = jsonline.Value(m.Score), m.Best
		note = fmt.Sprintf("  %s %.4g", m.Name, m.Score)
		if m.Best {
			note += "  best"
		}
	}
	l.Line("pretraining %s, epoch %d/%d%s  %.2f s", e.Layer, e.Epoch+1, e.Of, note, seconds)
	l.Emit("pretraining", o)
}

func (l *Log) pretraining(p train.Pretrained) {
	seconds := p.Duration.Seconds()
	e := event{"layers": p.Layers, "epochs": p.Epochs, "seconds": seconds}
	how := "for " + progress.Plural(p.Epochs, "epoch")
	if l.conf().Pretraining.Stopping != nil {
		e["ended"], how = l.pretrained, fmt.Sprintf("for at most %s each", progress.Plural(p.Epochs, "epoch"))
	}
	l.Line("pretrained %s %s, %.2f s", progress.Plural(p.Layers, "layer"), how, seconds)
	l.Emit("pretrained", e)
}

// The network for which the advice is given: that of most clusters.
const (
	usualBandwidth = 125e6 // bytes a second: 1 Gbit/s
	usualLatency   = 200 * time.Microsecond
)

// advise tells, from the fit's measured step time, how to train this network on separate machines.
func (l *Log) advise(c sharing.Cluster) {
	c.Bandwidth, c.Latency = usualBandwidth, usualLatency
	a := c.Advise()
	l.Line("a step takes %v, an update %s; for %d machines with links of 1 Gbit/s, %v apart: %v",
		c.StepTime.Round(10*time.Microsecond), progress.Bytes(int64(c.MessageBytes)), c.Workers, usualLatency, a)
	l.Emit("advice", event{"stepSeconds": c.StepTime.Seconds(), "encodeSeconds": c.EncodeTime.Seconds(),
		"applySeconds": c.ApplyTime.Seconds(),
		"messageBytes": c.MessageBytes, "machines": c.Workers, "one": a.One, "plain": a.Plain, "mesh": a.Mesh,
		"averaging": a.Averaging, "advice": a.String()})
}
