package trainlog

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/train"
)

// Forecast prints the resources that the run would use.
func (l *Log) Forecast() error {
	l.header()
	c, net, workers, rounds := l.conf(), l.net(), l.Run.Workers(), len(l.Run.Rounds())
	f, err := l.Run.Forecast()
	if err != nil {
		return err
	}
	e := event{"dryRun": true, "examples": l.info().Examples, "seed": c.Seed, "batch": c.Batch,
		"parameters": net.NumParams(), "updaterState": net.NumStates(),
		"dataBytes": f.Data, "replicaBytes": f.Replica, "programBytes": f.Programs, "memoryBytes": f.Memory, "model": c.Save}
	l.Line("memory     %s: data %s%s; %s of %s (parameters, updater state, gradient, update) and %s (buffers)",
		progress.Bytes(f.Memory), progress.Bytes(f.Data),
		map[bool]string{true: " in files, not counted", false: ", twice"}[f.InFiles],
		progress.Plural(f.Replicas, "replica"), progress.Bytes(f.Replica), progress.Bytes(f.Programs))
	switch m := c.Method.(type) {
	case train.Averaging:
		l.Line("splits     %s", splits(l.Run.Rounds()))
		l.Line("bytes      a round: %s to each worker, %s from each; an epoch: %s in all", progress.Bytes(f.ToWorker),
			progress.Bytes(f.FromWorker),
			progress.Bytes(int64(rounds*workers)*(f.ToWorker+f.FromWorker)))
		e["rounds"], e["workers"], e["bytesToWorker"], e["bytesFromWorker"] = rounds, workers, f.ToWorker, f.FromWorker
		if m.Config.RDDTrainingApproach == paramavg.Export {
			l.Line("export     about %s in files of %d examples", progress.Bytes(f.Exported), c.Batch)
			e["exportBytes"] = f.Exported
		}
	case train.Sharing:
		l.Line("bytes      the first epoch: %s to each worker, a later one: %s; an update: at most %s, usually far less, to "+
			"each of the others", progress.Bytes(f.ToWorker), progress.Bytes(f.ToWorker+f.Carried), progress.Bytes(f.Update))
		e["workers"], e["bytesToWorker"], e["bytesCarried"] = workers, f.ToWorker, f.Carried
	}
	l.Line("nothing was trained: --dry-run")
	return l.Done(e)
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
