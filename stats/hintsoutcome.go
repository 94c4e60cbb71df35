package stats

import (
	"fmt"
	"math"
	"slices"
)

// fewestEpochs is the number of epochs after which a network should have begun to learn.
const fewestEpochs = 3

// failed: the run ended with an error, which also says what to do.
func (x examination) failed() (h Hint, ok bool) {
	return Hint{"failed", "The run failed.", x.run.Failure}, x.run.Failure != ""
}

// diverged: the loss is not finite, or ends far above its beginning.
func (x examination) diverged() (h Hint, ok bool) {
	loss := x.run.named("loss")
	if i := slices.IndexFunc(loss.Values, math.IsNaN); i >= 0 {
		return Hint{"diverged", "Training diverged.", fmt.Sprintf("The loss is not a finite number from iteration %d on. "+
			"Lower the learning rate, clip gradients, or normalize features and labels.", loss.Iterations[i])}, true
	}
	n := len(loss.Values)
	if n < 10 {
		return h, false
	}
	first, last := median(loss.Values[:n/5+1]), median(loss.Values[n-n/5-1:])
	if last > 1.5*first {
		return Hint{"diverged", "The loss grows.", fmt.Sprintf("It was about %s at the beginning and is about %s at the "+
			"end. Lower the learning rate.", figure(first), figure(last))}, true
	}
	return h, false
}

// oneClass: the network predicts the commonest class almost always, and is not right more often than that.
func (x examination) oneClass() (h Hint, ok bool) {
	labels, predicted := x.run.named("commonest/label"), x.run.named("commonest/predicted")
	accuracy := x.run.named("accuracy")
	if len(accuracy.Values) < fewestEpochs || len(labels.Values) == 0 || len(predicted.Values) == 0 {
		return h, false
	}
	label, always := lateMedian(labels.Values), lateMedian(predicted.Values)
	if label < 0.5 || always < 0.98 || lateMedian(accuracy.Values) > label+0.1*(1-label) {
		return h, false
	}
	return Hint{"one class", "The network predicts one class only.", fmt.Sprintf("%.3g %% of the held-out examples are "+
		"of the commonest class, and it is predicted for %.3g %%. So the accuracy of %.3g %% says nothing. Watch "+
		"--metrics f1-macro, and weight the rare classes or show more of their examples.", 100*label, 100*always,
		100*lateMedian(accuracy.Values))}, true
}

// crawls: the loss falls from epoch to epoch, but hardly, because all updates are below the healthy range.
func (x examination) crawls() (h Hint, ok bool) {
	epochs, all := x.run.named("epochLoss").Values, x.ratios()
	if len(epochs) < fewestEpochs || len(all) == 0 || !(epochs[len(epochs)-1] > 0.9*epochs[0]) {
		return h, false
	}
	for i := range epochs[1:] {
		if !(epochs[i+1] < epochs[i]) {
			return h, false
		}
	}
	most := largest(all)
	if !(most.median < healthyRatio[0]) {
		return h, false
	}
	return Hint{"rate too low", "The loss falls very slowly.", fmt.Sprintf("It is %s after the first epoch and %s after "+
		"the last. A step changes parameter %s, which moves most, by %s of its magnitude; 0.001 is usual. Raise the "+
		"learning rate, 10 times for a start.", figure(epochs[0]), figure(epochs[len(epochs)-1]), most.name,
		figure(most.median))}, true
}

// learnsNothing: predictions of held-out data are no better than guesses.
func (x examination) learnsNothing() (h Hint, ok bool) {
	epochs := x.run.named("epochLoss").Values
	if len(epochs) < fewestEpochs {
		return h, false
	}
	why := x.guesses()
	if why == "" {
		return h, false
	}
	if epochs[len(epochs)-1] < 0.9*epochs[0] {
		why += "The training loss falls, so the network learns its examples by heart: do labels belong to their rows?"
	} else {
		why += "Neither does the training loss fall: check the labels, the normalization and the learning rate."
	}
	return Hint{"learns nothing", "Held-out data does not get better.", why}, true
}

// guesses says why the predictions of held-out data are no better than guesses; empty if they are.
func (x examination) guesses() string {
	held, accuracy, r2 := x.run.named("heldOutLoss").Values, x.run.named("accuracy").Values, x.run.named("r2").Values
	if labels := x.run.named("commonest/label").Values; len(accuracy) >= fewestEpochs && len(labels) > 0 {
		label := lateMedian(labels)
		if got := lateMedian(accuracy); got < min(1.25*label, label+0.05*(1-label)) {
			return fmt.Sprintf("The accuracy of held-out data is %.3g %%. The commonest class alone has %.3g %%. ", 100*got,
				100*label)
		}
		return ""
	}
	if len(r2) >= fewestEpochs {
		if got := lateMedian(r2); got < 0.05 {
			return fmt.Sprintf("R² of held-out data is %s. The mean of the labels has 0. ", figure(got))
		}
		return ""
	}
	if len(held) < fewestEpochs {
		return ""
	}
	if first, best := held[0], slices.Min(held); best > 0.98*first {
		return fmt.Sprintf("The held-out loss began at %s and never fell below %s. ", figure(first), figure(best))
	}
	return ""
}

// overfits: the held-out loss has been rising for long while the training loss fell.
func (x examination) overfits() (h Hint, ok bool) {
	held, epochs := x.run.named("heldOutLoss"), x.run.named("epochLoss")
	n := len(held.Values)
	if n < 5 || len(epochs.Values) != n || slices.ContainsFunc(held.Values, math.IsNaN) {
		return h, false
	}
	best := slices.Index(held.Values, slices.Min(held.Values))
	least := held.Values[best]
	if best == 0 || best > n-4 || held.Values[n-1] < 1.2*least || slices.Min(held.Values[n-3:]) < 1.1*least ||
		epochs.Values[n-1] >= epochs.Values[best] {
		return h, false
	}
	return Hint{"overfits", "The network overfits.", fmt.Sprintf("The held-out loss was best after epoch %d (%s) and has "+
		"risen to %s since, while the training loss fell. Stop early, or add dropout or l2.", best+1, figure(least),
		figure(held.Values[n-1]))}, true
}
