// Package local has the engines of one machine. Package distributed imports it, so that [engine.Open] knows their
// master strings:
//
//   - local, local[N] and local[*], which [New] opens: N slots in this process, each a goroutine while it runs a task.
//     Rows pass by reference.
//   - processes[N] and processes[*], of package process: N child processes of this program.
//
// In local[N], a complete attempt hands over all its partitions in one step, inside one address space. That is its
// commit, and it needs no checksum. Rows that go to disk have one each.
package local

import (
	"context"
	"fmt"

	"github.com/dl4go/dl4go/engine"
	_ "github.com/dl4go/dl4go/internal/process" // processes[N]
	"github.com/dl4go/dl4go/internal/slots"
)

func init() {
	engine.RegisterScheme(engine.Scheme{
		Name:  "local",
		Forms: "local (one slot), local[N], local[*] (a slot for each core)",
		Open: func(_ context.Context, master string, o engine.Options) (engine.Engine, error) {
			if master == "local" {
				master = "local[1]"
			}
			n, err := slots.Parse(master, "local")
			if err != nil {
				return nil, err
			}
			return New(n, o), nil
		},
	})
}

// New starts an engine with n slots.
func New(n int, o engine.Options) engine.Engine {
	o = o.WithDefaults()
	master := fmt.Sprintf("local[%d]", n)
	values := &values{master: master, process: engine.Process{Slots: n}, byID: make(map[engine.BroadcastID][]byte),
		left: make(map[engine.BroadcastID]int)}
	workers := make([]slots.Worker, n)
	for i := range workers {
		workers[i] = &inProcess{values: values, log: o.Log}
	}
	return slots.New(master, workers, values, o)
}
