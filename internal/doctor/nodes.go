package doctor

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/numa"
	"github.com/dl4go/dl4go/internal/progress"
)

// nodes says where workers run on a machine with several NUMA nodes. interleaves tries to place memory on them in turn.
func nodes(here []numa.Node, processes bool, workers, threads int,
	interleaves func([]numa.Node) error) checkup.Finding {
	text := placing(here, processes, workers, threads)
	if numa.Spans(here, threads) {
		if err := interleaves(here); err != nil {
			return checkup.Warn(fmt.Sprintf("%s; but %v: memory lies where it is first written", text, err),
				"give the container the capability SYS_NICE (docker run --cap-add SYS_NICE), or use more workers with less "+
					"--threads")
		}
	}
	return checkup.Okf("%s", text)
}

// placing names the nodes and says where workers run. processes: each worker is a process.
func placing(here []numa.Node, processes bool, workers, threads int) string {
	var names []string
	places := 0
	for _, n := range here {
		names = append(names, n.String())
		places += n.Replicas(threads)
	}
	text := progress.Plural(len(here), "NUMA node") + ": " + strings.Join(names, ", ")
	switch {
	case places == 0:
		return text + "; a worker's threads run on all of them, and its memory lies on them in turn"
	case !processes:
		return text + "; the workers of this engine run on all of them: those of processes[N] stay on one each"
	case workers > places:
		return fmt.Sprintf("%s; %s of %d stay on one each, the others run on all of them", text,
			progress.Plural(places, "worker"), workers)
	}
	return text + "; each worker stays on one"
}

// interleaves tries to place a little memory on all nodes.
func interleaves(on []numa.Node) error { return numa.Interleave(make([]float32, 1<<16), on) }
