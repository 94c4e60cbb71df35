package main

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/internal/progress"
)

// foresee prints what a run would use.
func (t *training) foresee() error {
	for _, l := range t.header() {
		t.out.line("%-10s %s", l[0], l[1])
	}
	info := t.train.Info()
	vectors := 4 * int64(t.net.NumParams()+t.net.NumStates())
	replica := vectors + 8*int64(t.net.NumParams()) // gradient and update
	minibatch := t.sample()
	programs, err := t.net.Memory(minibatch)
	if err != nil {
		return fmt.Errorf("--data: the data does not fit the network %s: %w", t.net.title, err)
	}
	dataBytes, inFiles := sizeOf(t.train)
	replicas := 1
	switch t.training {
	case byAveraging:
		replicas = t.engine.Slots()
	case bySharing:
		replicas = t.trainer.(*sharer).workers
	}
	memory := int64(replicas) * (replica + programs)
	if !inFiles {
		memory += 2 * dataBytes // as it was read, and as the workers' rows
	}
	e := event{"dryRun": true, "examples": info.Examples, "seed": t.seed, "batch": t.batch, "parameters": t.net.NumParams(), "updaterState": t.net.NumStates(),
		"dataBytes": dataBytes, "replicaBytes": replica, "programBytes": programs, "memoryBytes": memory, "model": t.save}
	t.out.line("memory     %s: data %s%s; %s of %s (parameters, updater state, gradient, update) and %s (buffers)",
		progress.Bytes(memory), progress.Bytes(dataBytes), map[bool]string{true: " in files, not counted", false: ", twice"}[inFiles],
		plural(replicas, "replica"), progress.Bytes(replica), progress.Bytes(programs))
	if t.training == byAveraging {
		splits := t.splits()
		down, up := vectors, int64(4*t.net.NumParams())
		if t.conf.SaveUpdater {
			up = vectors
		}
		n := int64(len(t.rounds))
		t.out.line("splits     %s", splits)
		t.out.line("bytes      a round: %s to each worker, %s from each; an epoch: %s in all", progress.Bytes(down), progress.Bytes(up),
			progress.Bytes(n*int64(t.workers())*(down+up)))
		e["rounds"], e["workers"], e["bytesToWorker"], e["bytesFromWorker"] = len(t.rounds), t.workers(), down, up
		if t.conf.RDDTrainingApproach == paramavg.Export {
			t.out.line("export     about %s in files of %d examples", progress.Bytes(dataBytes), t.batch)
			e["exportBytes"] = dataBytes
		}
	}
	if t.training == bySharing {
		t.out.line("bytes      a fit: %s to each worker; an update: at most %s, usually far less, to each of the others",
			progress.Bytes(vectors), progress.Bytes(int64(t.net.NumParams())/4))
		e["workers"], e["bytesToWorker"] = replicas, vectors
	}
	t.out.line("nothing was trained: --dry-run")
	return t.out.done(e)
}

// sample is a minibatch like the largest that will be trained.
func (t *training) sample() *data.MultiDataSet {
	m, err := t.train.Object(0)
	if err != nil || t.batch == 0 {
		return m
	}
	most := t.train.Info().Examples
	if len(t.rounds) > 0 {
		most = len(t.rounds[0][0])
	}
	rows := make([]int, min(t.batch, most))
	for i := range rows {
		rows[i] = i % m.Examples()
	}
	return m.Select(rows)
}

// splits describes the rounds of an epoch.
func (t *training) splits() string {
	of := func(round [][]int64) string {
		var sizes []string
		for _, share := range round {
			sizes = append(sizes, progress.Count(int64(len(share))))
		}
		return strings.Join(sizes, " + ") + " examples"
	}
	s := fmt.Sprintf("an epoch has %s of %s", plural(len(t.rounds), "round"), of(t.rounds[0]))
	if last := t.rounds[len(t.rounds)-1]; len(t.rounds) > 1 {
		s += ", the last of " + of(last)
	}
	return s
}
