// Package tensorboard writes a run's figures as TensorBoard's event files, with Keras' tags.
package tensorboard

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dl4go/dl4go/internal/elsewhere"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/train"
)

// Tracker writes event files into the directories train and validation of Dir, which may be a URL. It is a
// [train.Tracker].
type Tracker struct {
	Dir string
	// Keep is the .json file to which the run is written at its end if records could not be written; empty for none.
	// Kept, if not empty, is a file that has the run anyway.
	Keep, Kept string

	training, validation *file
	written              map[string]int // the last iteration of each series that the file has
}

// The figures of each epoch, by the series' names, with Keras' tags. Their steps are epochs, counted from 0.
var (
	epochTags = map[string]string{"epochLoss": "epoch_loss", "examplesPerSecond": "epoch_examples_per_second"}
	heldTags  = map[string]string{"heldOutLoss": "epoch_loss", "accuracy": "epoch_accuracy", "r2": "epoch_r2_score",
		"mae": "epoch_mean_absolute_error", "weightedAccuracy": "epoch_weighted_accuracy"}
	stepTags = map[string]string{"loss": "batch_loss", "learningRate": "batch_learning_rate",
		"threshold": "batch_threshold",
		"sparsity":  "batch_sparsity", "bytesSent": "batch_bytes_sent"}
)

// Track writes the new figures.
func (t *Tracker) Track(ctx context.Context, p train.Progress) error {
	if t.training == nil {
		t.begin(p)
	}
	now, ended := time.Now(), p.EpochEnded
	epoch := 0
	if p.Network != nil {
		epoch = max(0, p.Network.Epoch()-1)
	}
	var training, validation []byte
	for _, s := range p.Run.Series {
		last, ok := s.Last()
		if ok = ok && !math.IsNaN(last) && ended; ok && epochTags[s.Name] != "" {
			training = appendRecord(training, scalar(now, epoch, epochTags[s.Name], last))
		} else if ok && heldTags[s.Name] != "" {
			validation = appendRecord(validation, scalar(now, epoch, heldTags[s.Name], last))
		} else if tag := stepTags[s.Name]; tag != "" || strings.Contains(s.Name, "/") {
			training = t.steps(training, p.Run.Began, s, tag)
		}
	}
	if ended {
		if rate, ok := p.Network.LearningRate(max(0, p.Network.Iteration()-1), epoch); ok {
			training = appendRecord(training, scalar(now, epoch, "epoch_learning_rate", rate))
		}
		for _, of := range p.Network.ParamTable() {
			values := p.Network.Params()[of.Offset : of.Offset+of.Size]
			if h, ok := histogram(now, epoch, of.Key+"/histogram", values); ok {
				training = appendRecord(training, h)
			}
		}
	}
	if p.Over() {
		status := uint64(statusSuccess)
		if p.Failed != nil {
			status = statusFailure
		}
		end := message(nil).number(endStatus, status).double(endTime, float64(now.UnixMicro())/1e6)
		training = appendRecord(training, hparams(now, "_hparams_/session_end_info", message(nil).bytes(hparamsEnd, end)))
	}
	err := t.training.append(ctx, training)
	if validation != nil && t.validation == nil {
		t.validation = t.open("validation", p)
	}
	if t.validation != nil {
		switch e := t.validation.append(ctx, validation); {
		case err == nil:
			err = e
		case e != nil:
			err = fmt.Errorf("%w; %w", err, e)
		}
	}
	if err != nil && p.Over() {
		return t.keep(p.Run, err)
	}
	return err
}

// TrackerOf returns the tracker of a run. The file for figures that can't be written is beside save, the run's model
// file. statistics is the run's file of statistics, or empty.
func TrackerOf(dir, save, statistics string) *Tracker {
	t := &Tracker{Dir: dir, Keep: strings.TrimSuffix(save, filepath.Ext(save)) + "-tensorboard.json"}
	if strings.EqualFold(filepath.Ext(statistics), ".json") {
		t.Kept = statistics
	}
	return t
}

// keep writes the run to a file for dl4go report.
func (t *Tracker) keep(run stats.Run, err error) error {
	file := t.Kept
	if file == "" {
		if file = t.Keep; file == "" {
			return err
		}
		var e error
		if file, e = elsewhere.Keep(run, file); e != nil {
			return fmt.Errorf("%w; %w", err, e)
		}
	}
	return fmt.Errorf("%w; the curves are in %s: dl4go report --to tensorboard makes event files of it", err, file)
}

// steps appends the values of a series that the file does not have yet.
func (t *Tracker) steps(b []byte, began time.Time, s stats.Series, tag string) []byte {
	if tag == "" {
		tag = s.Name
	}
	last, seen := t.written[s.Name]
	for i, at := range s.Iterations {
		if seen && at <= last || math.IsNaN(s.Values[i]) {
			continue
		}
		b = appendRecord(b, scalar(began.Add(s.Since[i]), at, tag, s.Values[i]))
		t.written[s.Name] = at
	}
	return b
}

// begin opens the file of training, with the run's settings and its graph. In a resumed run, it voids what an earlier
// part wrote after its checkpoint.
func (t *Tracker) begin(p train.Progress) {
	t.training = t.open("train", p)
	t.written = map[string]int{}
	if p.From > 0 {
		for _, s := range p.Run.Series {
			t.written[s.Name] = p.From
		}
	}
	start := message(nil)
	for _, name := range slices.Sorted(maps.Keys(p.Run.Settings)) {
		value := message(nil).text(protoString, p.Run.Settings[name])
		start = start.bytes(startHparams, message(nil).text(mapKey, name).bytes(mapValue, value))
	}
	start = start.double(startTime, float64(p.Run.Began.UnixMicro())/1e6)
	now := time.Now()
	f := t.training
	f.content = appendRecord(f.content, hparams(now, "_hparams_/session_start_info",
		message(nil).bytes(hparamsStart, start)))
	if p.Network != nil {
		f.content = appendRecord(f.content, event(now, 0).bytes(eventGraph, graph(p.Network)))
	}
}

// open starts the event file of a part.
func (t *Tracker) open(part string, p train.Progress) *file {
	f := begin(strings.TrimSuffix(t.Dir, "/")+"/"+part, time.Now())
	if p.From > 0 {
		session := message(nil).number(sessionStatus, sessionStart)
		step := p.From + 1
		if part != "train" {
			step = p.Network.Epoch() - 1
		}
		f.content = appendRecord(f.content, event(time.Now(), step).bytes(eventSession, session))
	}
	return f
}

// graph returns the network's layers or vertices and their connections, as a GraphDef.
func graph(net *nn.Network) message {
	var g message
	for _, w := range net.Wiring() {
		node := message(nil).text(nodeName, w.Name).text(nodeOperation, w.Class)
		for _, in := range w.Inputs {
			node = node.text(nodeInput, in)
		}
		g = g.bytes(graphNode, node)
	}
	return g
}

// Write writes the curves and settings of a finished run, without what only its network knows.
func Write(ctx context.Context, dir string, run stats.Run) error {
	t := &Tracker{Dir: dir}
	p := train.Progress{Run: run, Ended: true}
	if err := t.Track(ctx, p); err != nil {
		return err
	}
	var training, validation []byte
	for _, s := range run.Series {
		for epoch, value := range s.Values {
			if math.IsNaN(value) {
				continue
			}
			at := run.Began.Add(s.Since[epoch])
			if tag := epochTags[s.Name]; tag != "" {
				training = appendRecord(training, scalar(at, epoch, tag, value))
			} else if tag := heldTags[s.Name]; tag != "" {
				validation = appendRecord(validation, scalar(at, epoch, tag, value))
			}
		}
	}
	if err := t.training.append(ctx, training); err != nil || validation == nil {
		return err
	}
	t.validation = t.open("validation", p)
	return t.validation.append(ctx, validation)
}
