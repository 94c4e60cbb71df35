package train

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/sharing"
)

// recordVersion is that of record.
const recordVersion = 2

// record is a checkpoint's content beside the network.
type record struct {
	Version int       `json:"version"`
	Written time.Time `json:"written"`
	Began   time.Time `json:"began,omitzero"` // when the run did
	// Flags are the caller's notes and the run's own settings; dl4go train has a flag for each.
	Flags map[string][]string `json:"flags"`
	// Secret are settings that are not kept.
	Secret []string    `json:"secret,omitempty"`
	Data   fingerprint `json:"data"`

	Iteration int `json:"iteration"` // the network's
	Epoch     int `json:"epoch"`     // the network's
	state

	// Place is where the epoch, or the iterations, are; nil at their beginning.
	Place *distributed.Place `json:"place,omitempty"`
	// Sharing is gradient sharing's settings, with the threshold algorithm that the next epoch begins with.
	Sharing json.RawMessage `json:"sharing,omitempty"`
}

// state is how far a run is.
type state struct {
	Epochs   int     `json:"epochs"`   // that the run has done; 1 if it has done its iterations
	Examples int     `json:"examples"` // of these epochs
	Part     part    `json:"part"`     // of the epoch under way
	Score    float64 `json:"score"`    // the last one
	// Scores are those of Stopping.
	Scores []metricScore `json:"scores,omitempty"`
}

// part is the trained part of an epoch.
type part struct {
	Examples    int     `json:"examples"`
	Minibatches int     `json:"minibatches"` // of a worker; in gradient sharing, of all
	Scores      float64 `json:"scores"`      // the sum, an example each
}

// of is the part if it had the given number of examples.
func (p part) of(examples int) part {
	return part{examples, p.Minibatches, p.Scores * float64(examples) / float64(max(1, p.Examples))}
}

// metricScore is the score of an epoch, from 0, as a checkpoint keeps it: a text, as it may be no number.
type metricScore struct {
	Epoch int    `json:"epoch"`
	Score string `json:"score"`
}

// settled are the settings of the run that a run which goes on must share with it.
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

// record tells how far the run is.
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
	if place != nil { // it is of a moment ago
		about.Part = r.at.Part.of(place.Examples)
	}
	var err error
	about.Sharing, err = s.master.Config().JSON()
	return about, err
}

// threshold has gradient sharing go on with the threshold of the checkpoint.
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
