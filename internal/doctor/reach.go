package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/resident"
)

// Reach checks whether the workers of an engine reach a coordinator. Training by jobs works without it.
func Reach(open func(context.Context) (engine.Engine, error), n distributed.Residents,
	log *slog.Logger) checkup.Check {
	return checkup.Check{Name: "coordinator", Needs: []string{"job"}, Deadline: 3 * time.Minute,
		Run: func(ctx context.Context) []checkup.Finding {
			e, err := open(ctx)
			if err != nil {
				return []checkup.Finding{failed(err, "")}
			}
			defer e.Close()
			return append([]checkup.Finding{reach(ctx, e, n, log)}, crowd(e.Slots())...)
		}}
}

// manyWorkers is the number of workers from which on the coordinator limits gradient sharing in docs/simulation.md.
const manyWorkers = 128

// crowd warns of so many workers that a coordinator cannot keep them busy.
func crowd(workers int) []checkup.Finding {
	if workers < manyWorkers {
		return nil
	}
	return []checkup.Finding{checkup.Warn(
		fmt.Sprintf("%d workers at a time: gradient sharing waits for its coordinator most of the time", workers),
		"give each worker more cores (spark.task.cpus, --threads), take fewer --workers, or average parameters")}
}

func reach(ctx context.Context, e engine.Engine, n distributed.Residents, log *slog.Logger) checkup.Finding {
	begin := time.Now()
	err := resident.Probe(ctx, e, n, resident.TransportKind{}, log)
	var unreachable *resident.UnreachableError
	switch {
	case errors.As(err, &unreachable):
		return checkup.Warn(unreachable.Problem(),
			"needed for gradient sharing, and for averaging without a job for each round: "+unreachable.Advice())
	case err != nil:
		return failed(err, "")
	}
	where := "this machine"
	if n.Coordinator != "" {
		where = "dl4go coordinator"
	}
	return checkup.Okf("executors reach %s; found out in %v", where, time.Since(begin).Round(10*time.Millisecond))
}
