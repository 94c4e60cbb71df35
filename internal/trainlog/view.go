package trainlog

import (
	"fmt"
	"sync"

	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/train"
)

// view holds the lines that a terminal shows under the bar.
type view struct {
	of    int        // number of workers; 0: the process itself trains
	alive func() int // number of tasks of the last job that run or are done

	mu      sync.Mutex
	loss    progress.Curve
	score   float64 // the last loss
	stepped bool
	sharing *sharing.Progress
	heldOut heldOut
}

// heldOut holds the scores of held-out data.
type heldOut struct {
	progress.Curve
	name        string // empty before the first score
	value, best float64
	bestEpoch   int // from 1
}

// step takes over the loss of a step and the state of the workers.
func (v *view) step(e train.Step) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.score, v.stepped = e.Score, true
	v.loss.Add(e.Score)
	v.sharing = e.Sharing
}

// epoch takes over the score of an epoch: that of early stopping, or else the accuracy, R² or the held-out loss.
func (v *view) epoch(e train.EpochEnded) {
	v.mu.Lock()
	defer v.mu.Unlock()
	higher := func(x, best float64) bool { return x > best }
	lower := func(x, best float64) bool { return x < best }
	switch {
	case e.Metric != nil:
		v.heldOut.add(e.Epoch+1, e.Metric.Name, e.Metric.Score, func(float64, float64) bool { return e.Metric.Best })
	case e.Accuracy != nil:
		v.heldOut.add(e.Epoch+1, "accuracy", *e.Accuracy, higher)
	case e.R2 != nil:
		v.heldOut.add(e.Epoch+1, "R²", *e.R2, higher)
	case e.HeldOut != nil:
		v.heldOut.add(e.Epoch+1, "loss", *e.HeldOut, lower)
	}
}

func (h *heldOut) add(epoch int, name string, x float64, better func(x, best float64) bool) {
	if h.name != name || better(x, h.best) {
		h.best, h.bestEpoch = x, epoch
	}
	h.name, h.value = name, x
	h.Add(x)
}

// rows returns the lines under the bar.
func (v *view) rows() (all []progress.Row) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.stepped {
		return nil
	}
	all = append(all, progress.Row{Name: "loss", Texts: []string{fmt.Sprintf("%.4g", v.score)}, Curve: &v.loss})
	if h := &v.heldOut; h.name != "" {
		r := progress.Row{Name: "held-out " + h.name, Texts: []string{fmt.Sprintf("%.4g", h.value)}, Curve: &h.Curve}
		r.Mark = fmt.Sprintf("best %.4g in epoch %d", h.best, h.bestEpoch)
		r.Brief = fmt.Sprintf("best: epoch %d", h.bestEpoch)
		all = append(all, r)
	}
	if v.of > 0 {
		all = append(all, progress.Row{Name: "workers", Texts: v.workers()})
	}
	return all
}

// workers describes how many workers train, and the state of gradient sharing.
func (v *view) workers() []string {
	p := v.sharing
	if p == nil {
		return []string{fmt.Sprintf("%d/%d alive", min(v.of, v.alive()), v.of)}
	}
	return []string{fmt.Sprintf("%d/%d alive", p.Workers, v.of), fmt.Sprintf("lag %d", p.Lag),
		fmt.Sprintf("%.0f updates/s", p.UpdatesPerSecond), fmt.Sprintf("sparsity %.2g", p.Sparsity),
		fmt.Sprintf("threshold %.2g", p.Threshold), progress.Bytes(int64(p.Sent)) + " sent",
		progress.Bytes(int64(p.Received)) + " received"}
}
