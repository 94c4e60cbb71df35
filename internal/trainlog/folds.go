package trainlog

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/jsonline"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/train"
)

// Folds shows a cross-validation: a line for each fold, then the mean and the standard deviation of each figure.
type Folds struct {
	*console.Output
	Of int // the number of folds

	done    int
	seconds float64
	figures []foldFigure
}

// foldFigure holds the values of a figure in all folds.
type foldFigure struct {
	name, title string // in JSON, and in lines
	values      []float64
}

// Add shows a fold.
func (f *Folds) Add(examples, heldOut int, r *train.Result) {
	f.done++
	e := event{"fold": f.done, "folds": f.Of, "examples": examples, "heldOut": heldOut, "seconds": r.Duration.Seconds()}
	line := ""
	add := func(name, title string, v *float64) {
		if v == nil {
			return
		}
		e[name] = jsonline.Value(*v)
		line += fmt.Sprintf(", %s %.4g", title, *v)
		for i := range f.figures {
			if f.figures[i].name == name {
				f.figures[i].values = append(f.figures[i].values, *v)
				return
			}
		}
		f.figures = append(f.figures, foldFigure{name, title, []float64{*v}})
	}
	add("accuracy", "accuracy", r.Accuracy)
	add("r2", "R²", r.R2)
	add("mae", "mean absolute error", r.MAE)
	add("heldOutLoss", "loss", r.HeldOut)
	if w := r.Weighted; w != nil && w.Numbers {
		r2, mae := w.RSquared(), w.MeanAbsoluteError()
		add("weightedR2", "weighted R²", &r2)
		add("weightedMae", "weighted mean absolute error", &mae)
	} else if w != nil {
		accuracy := w.Accuracy()
		add("weightedAccuracy", "weighted accuracy", &accuracy)
	}
	for _, m := range r.Measures {
		if _, told := e[m.Name]; !told {
			add(m.Name, m.Name, &m.Value)
		}
	}
	f.seconds += r.Duration.Seconds()
	f.Line("fold %d of %d: %s to train on, %s held out%s, %.2f s", f.done, f.Of,
		progress.Plural(examples, "example"), progress.Count(int64(heldOut)), line, r.Duration.Seconds())
	f.Emit("fold", e)
}

// Finish shows the mean of each figure. saved is the file of a model of all rows; empty if there is none.
func (f *Folds) Finish(saved string) error {
	e := event{"folds": f.Of, "seconds": f.seconds}
	for _, figure := range f.figures {
		mean, deviation := spread(figure.values)
		e[figure.name], e[figure.name+"Deviation"] = jsonline.Value(mean), jsonline.Value(deviation)
		f.Line("%s %s ± %.4f over %d folds", figure.title, f.Strong(fmt.Sprintf("%.4f", mean)), deviation, f.Of)
	}
	if saved == "" {
		f.Line("no model is saved; --save FILE trains one on all rows")
	} else {
		e["model"] = saved
		f.Line("saved %s, trained on all rows", f.Strong(saved))
	}
	return f.Done(e)
}

// spread returns the mean and the sample standard deviation.
func spread(x []float64) (mean, deviation float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	if len(x) < 2 {
		return mean, 0
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, math.Sqrt(deviation)
}
