package distributed

import (
	"fmt"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/stats"
)

// Times returns a collector for the statistics of a task. The worker's clock is made once for each broadcast network.
func Times(t *engine.Task, network engine.BroadcastID, source stats.TimeSource) (*stats.Collector, error) {
	name := fmt.Sprintf("partition %d", t.Partition)
	if source.Server == "" {
		return stats.New(name), nil
	}
	clock, err := engine.Cached(t, network, "clock", func([]byte) (*stats.Clock, error) { return source.Start() })
	if err != nil {
		return nil, engine.Permanent(err)
	}
	return stats.NewBy(name, clock), nil
}
