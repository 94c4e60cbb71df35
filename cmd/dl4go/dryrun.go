package main

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/internal/progress"
)

// foresee prints what a run would use.
func (t *training) foresee() error {
	for _, l := range t.header() {
		t.out.line("%-10s %s", l[0], l[1])
	}
	c, workers, rounds := t.run.Config(), t.run.Workers(), len(t.run.Rounds())
	f, err := t.run.Forecast()
	if err != nil {
		return err
	}
	e := event{"dryRun": true, "examples": t.train.Info().Examples, "seed": t.seed, "batch": c.Batch,
		"parameters": t.net.NumParams(), "updaterState": t.net.NumStates(),
		"dataBytes": f.Data, "replicaBytes": f.Replica, "programBytes": f.Programs, "memoryBytes": f.Memory, "model": t.save}
	t.out.line("memory     %s: data %s%s; %s of %s (parameters, updater state, gradient, update) and %s (buffers)",
		progress.Bytes(f.Memory), progress.Bytes(f.Data),
		map[bool]string{true: " in files, not counted", false: ", twice"}[f.InFiles],
		progress.Plural(f.Replicas, "replica"), progress.Bytes(f.Replica), progress.Bytes(f.Programs))
	switch t.training {
	case byAveraging:
		t.out.line("splits     %s", splits(t.run.Rounds()))
		t.out.line("bytes      a round: %s to each worker, %s from each; an epoch: %s in all", progress.Bytes(f.ToWorker),
			progress.Bytes(f.FromWorker),
			progress.Bytes(int64(rounds*workers)*(f.ToWorker+f.FromWorker)))
		e["rounds"], e["workers"], e["bytesToWorker"], e["bytesFromWorker"] = rounds, workers, f.ToWorker, f.FromWorker
		if t.conf.RDDTrainingApproach == paramavg.Export {
			t.out.line("export     about %s in files of %d examples", progress.Bytes(f.Exported), c.Batch)
			e["exportBytes"] = f.Exported
		}
	case bySharing:
		t.out.line("bytes      a fit: %s to each worker; an update: at most %s, usually far less, to each of the others",
			progress.Bytes(f.ToWorker), progress.Bytes(f.Update))
		e["workers"], e["bytesToWorker"] = workers, f.ToWorker
	}
	t.out.line("nothing was trained: --dry-run")
	return t.out.done(e)
}

// splits describes the rounds of an epoch.
func splits(rounds [][]int) string {
	of := func(round []int) string {
		var sizes []string
		for _, examples := range round {
			sizes = append(sizes, progress.Count(int64(examples)))
		}
		return strings.Join(sizes, " + ") + " examples"
	}
	s := fmt.Sprintf("an epoch has %s of %s", progress.Plural(len(rounds), "round"), of(rounds[0]))
	if last := rounds[len(rounds)-1]; len(rounds) > 1 {
		s += ", the last of " + of(last)
	}
	return s
}
