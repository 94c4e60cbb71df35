package mlflow

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/dl4go/dl4go/stats"
)

// MLflow's limits for a request, and for names and values.
const (
	mostMetrics = 1000
	mostParams  = 100
	longestName = 250
	longestText = 500 // of a parameter; servers of all versions accept it
	longestTag  = 5000
)

// The final states of a run.
const (
	running  = "RUNNING"
	finished = "FINISHED"
	failed   = "FAILED"
	killed   = "KILLED"
)

// recording is the state of a run on the server. Each step is done once, however often requests fail in between. Only
// one goroutine may use it.
type recording struct {
	Settings
	progress func() // is called when the server responds

	id, artifacts string // of the server's run; empty until it has one
	ours          string // the value of runTag
	params        map[string]bool
	sent          map[string]int // the last iteration sent of each metric
	modelled      bool           // the server has the model
	closed        bool
}

// runTag identifies the run: after a lost response, when it is resumed, and for dl4go report.
const runTag = "dl4go.run"

// snapshot is the state of a run at some time.
type snapshot struct {
	run    stats.Run
	status string // running until it is over
	reason string // why it failed
	model  *model // nil: none
}

// update sends everything in a snapshot that the server does not have.
func (r *recording) update(ctx context.Context, s snapshot) error {
	if r.closed {
		return nil
	}
	if r.id == "" {
		if err := r.open(ctx, s.run); err != nil {
			return err
		}
	}
	if err := r.sendParams(ctx, s.run.Settings); err != nil {
		return err
	}
	if err := r.sendMetrics(ctx, s.run, s.status != running); err != nil {
		return err
	}
	if s.status == running {
		return nil
	}
	if s.model != nil && !r.modelled {
		if err := s.model.send(ctx, r); err != nil {
			return err
		}
		r.modelled = true
	}
	if s.reason != "" {
		tag := map[string]any{"run_id": r.id, "key": "dl4go.error", "value": shorten(s.reason, longestTag)}
		if err := r.call(ctx, "POST", "runs/set-tag", nil, tag, nil); err != nil {
			return err
		}
	}
	end := map[string]any{"run_id": r.id, "status": s.status, "end_time": endOf(s.run).UnixMilli()}
	if err := r.call(ctx, "POST", "runs/update", nil, end, nil); err != nil {
		return err
	}
	r.closed = true
	return nil
}

// endOf returns the time of the run's last figure.
func endOf(run stats.Run) time.Time {
	last := time.Duration(0)
	for _, s := range run.Series {
		if n := len(s.Since); n > 0 {
			last = max(last, s.Since[n-1])
		}
	}
	return run.Began.Add(last)
}

// remote is a run in the server's response.
type remote struct {
	Info struct {
		ID        string `json:"run_id"`
		Artifacts string `json:"artifact_uri"`
	} `json:"info"`
	Data struct {
		Metrics []struct {
			Key  string
			Step int `json:"step"`
		}
		Params []struct{ Key string }
	} `json:"data"`
}

// open finds the run, or creates it.
func (r *recording) open(ctx context.Context, run stats.Run) error {
	experiment, err := r.experiment(ctx)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(run.Began.UTC().Format(time.RFC3339Nano) + run.Title))
	r.ours = hex.EncodeToString(sum[:16])
	var found struct{ Runs []remote }
	err = r.call(ctx, "POST", "runs/search", nil, map[string]any{"experiment_ids": []string{experiment}, "max_results": 1,
		"filter": fmt.Sprintf("tags.`%s` = '%s'", runTag, r.ours)}, &found)
	if err != nil {
		return err
	}
	if len(found.Runs) > 0 {
		again := map[string]any{"run_id": found.Runs[0].Info.ID, "status": running}
		if err := r.call(ctx, "POST", "runs/update", nil, again, nil); err != nil {
			return err
		}
		r.take(found.Runs[0])
		return nil
	}
	tags := []map[string]string{{"key": runTag, "value": r.ours}, {"key": "mlflow.source.name", "value": "dl4go"},
		{"key": "mlflow.source.type", "value": "LOCAL"}}
	create := map[string]any{"experiment_id": experiment, "start_time": run.Began.UnixMilli(),
		"run_name": cmp.Or(r.RunName, run.Title)}
	if u, err := user.Current(); err == nil {
		create["user_id"] = u.Username
		tags = append(tags, map[string]string{"key": "mlflow.user", "value": u.Username})
	}
	create["tags"] = tags
	var made struct{ Run remote }
	if err := r.call(ctx, "POST", "runs/create", nil, create, &made); err != nil {
		return err
	}
	r.take(made.Run)
	return nil
}

// take adopts a run that is on the server, with the figures that the server got before.
func (r *recording) take(run remote) {
	r.id, r.artifacts = run.Info.ID, run.Info.Artifacts
	r.params, r.sent = map[string]bool{}, map[string]int{}
	for _, m := range run.Data.Metrics {
		r.sent[m.Key] = m.Step
	}
	for _, p := range run.Data.Params {
		r.params[p.Key] = true
	}
}

// experiment finds the ID of the experiment, or creates it.
func (r *recording) experiment(ctx context.Context) (string, error) {
	var got struct {
		Experiment struct {
			ID    string `json:"experiment_id"`
			Stage string `json:"lifecycle_stage"`
		}
		ID string `json:"experiment_id"`
	}
	byName := func() error {
		return r.call(ctx, "GET", "experiments/get-by-name", url.Values{"experiment_name": {r.Experiment}}, nil, &got)
	}
	err := byName()
	if hasCode(err, "RESOURCE_DOES_NOT_EXIST") {
		err = r.call(ctx, "POST", "experiments/create", nil, map[string]string{"name": r.Experiment}, &got)
		if err == nil {
			return got.ID, nil
		}
		if hasCode(err, "RESOURCE_ALREADY_EXISTS") { // another run was faster
			err = byName()
		}
	}
	if err == nil && got.Experiment.Stage == "deleted" {
		err = fmt.Errorf("the experiment %s is deleted; restore it, or name another", r.Experiment)
	}
	return got.Experiment.ID, err
}

type keyValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

func (r *recording) sendParams(ctx context.Context, settings map[string]string) error {
	var batch []keyValue
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		key := nameOf(name)
		if !r.params[key] {
			batch = append(batch, keyValue{key, shorten(settings[name], longestText)})
		}
	}
	for some := range slices.Chunk(batch, mostParams) {
		in := map[string]any{"run_id": r.id, "params": some}
		if err := r.call(ctx, "POST", "runs/log-batch", nil, in, nil); err != nil {
			return err
		}
		for _, p := range some {
			r.params[p.Key] = true
		}
	}
	return nil
}

// nameOf makes a name that MLflow accepts: of letters, digits, _, -, ., / and spaces.
func nameOf(name string) string {
	name = strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_-./ ", c) {
			return c
		}
		return '_'
	}, name)
	return shorten(name, longestName)
}

// shorten cuts a text to at most most bytes.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
