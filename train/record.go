package train

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/sharing"
)

// recordVersion is the version of record.
const recordVersion = 2

// record is a checkpoint's content beside the network.
type record struct {
	Version int       `json:"version"`
	Written time.Time `json:"written"`
	Began   time.Time `json:"began,omitzero"` // when the run began
	// Flags are the caller's notes and the run's own settings; dl4go train has a flag for each.
	Flags map[string][]string `json:"flags"`
	// Secret names the settings that are not stored.
	Secret []string    `json:"secret,omitempty"`
	Data   fingerprint `json:"data"`

	Iteration int `json:"iteration"` // the network's
	Epoch     int `json:"epoch"`     // the network's
	state

	// Place is the place in the epoch, or in the iterations; nil at their beginning.
	Place *distributed.Place `json:"place,omitempty"`
	// Sharing has gradient sharing's settings, with the threshold algorithm at the beginning of the next epoch.
	Sharing json.RawMessage `json:"sharing,omitempty"`
}

// state is the progress of a run.
type state struct {
	Epochs   int     `json:"epochs"`             // completed ones; 1 if the run has completed its iterations
	Examples int     `json:"examples"`           // of these epochs
	Part     part    `json:"part"`               // of the current epoch
	Score    float64 `json:"score"`              // the last one
	Unscored bool    `json:"unscored,omitempty"` // the current epoch is trained, and its network is to be scored
	// Scores are the scores of Stopping.
	Scores []metricScore `json:"scores,omitempty"`
}

// part is the trained part of an epoch.
type part struct {
	Examples    int     `json:"examples"`
	Minibatches int     `json:"minibatches"` // of a worker; in gradient sharing, of all workers
	Scores      float64 `json:"scores"`      // the sum of scores over examples
}

// of returns the part, scaled to the given number of examples.
func (p part) of(examples int) part {
	return part{examples, p.Minibatches, p.Scores * float64(examples) / float64(max(1, p.Examples))}
}

// metricScore is the score of an epoch, counted from 0, in a checkpoint. It is a text because it may not be finite.
type metricScore struct {
	Epoch int    `json:"epoch"`
	Score string `json:"score"`
}

// settled returns the settings that a resumed run must share with the earlier one.
func (r *course) settled() map[string]string {
	c := r.conf
	all := map[string]string{"training": c.Method.Name(), "seed": fmt.Sprint(c.Seed), "kernel": c.Kernels,
		"augment": c.Augment.String()}
	if c.Batch > 0 {
		all["batch"] = fmt.Sprint(c.Batch)
	}
	if c.Iterations > 0 {
		all["iterations"] = fmt.Sprint(c.Iterations)
	} else {
		all["epochs"] = fmt.Sprint(c.Epochs)
	}
	if r.workers > 0 {
		all["workers"] = fmt.Sprint(r.workers)
	}
	return all
}

// record returns the progress of the run.
func (r *Run) record(place *distributed.Place) (record, error) {
	notes := r.conf.Checkpoint.Notes
	about := record{Version: recordVersion, Written: time.Now().UTC().Truncate(time.Second), Began: r.began,
		Flags:  map[string][]string{},
		Secret: notes.Secret, Data: r.data, state: r.at, Place: place}
	maps.Copy(about.Flags, notes.Values)
	for name, v := range r.settled() {
		about.Flags[name] = []string{v}
	}
	s, ok := r.trainer.(*sharer)
	if !ok {
		return about, nil
	}
	if place != nil { // it is from a moment ago
		about.Part = r.at.Part.of(place.Examples)
	}
	var err error
	about.Sharing, err = s.master.Config().JSON()
	return about, err
}

// threshold makes gradient sharing continue with the threshold of the checkpoint.
func (r *Resumed) threshold(c *sharing.Config) error {
	if r == nil {
		return nil
	}
	had, err := sharing.FromJSON(r.record.Sharing)
	if err != nil {
		return badCheckpoint(r.Dir(), "the settings of gradient sharing: %w", err)
	}
	c.ThresholdAlgorithm, c.UpdatesThreshold = had.ThresholdAlgorithm, had.UpdatesThreshold
	return nil
}
