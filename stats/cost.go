package stats

import (
	"encoding/binary"

	"github.com/dl4go/dl4go/program"
)

// AddCosts adds the times of a worker's operations.
func (c *Collector) AddCosts(costs ...program.Cost) {
	if c == nil || len(costs) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.costs = append(c.costs, costs...)
}

// Costs returns the costs that were collected since the last call, summed by kind, the largest first.
func (c *Collector) Costs() []program.Cost {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	all := c.costs
	c.costs = nil
	c.mu.Unlock()
	type kind struct {
		program.Scope
		op string
	}
	places := map[kind]int{}
	var sums []program.Cost
	for _, cost := range all {
		at, seen := places[kind{cost.Scope, cost.Op}]
		if !seen {
			places[kind{cost.Scope, cost.Op}] = len(sums)
			sums = append(sums, cost)
			continue
		}
		sums[at].Times += cost.Times
		sums[at].Took += cost.Took
	}
	program.SortCosts(sums)
	return sums
}

// recordOfCosts makes a record of costs.
func recordOfCosts(costs []program.Cost) Record {
	if len(costs) == 0 {
		return nil
	}
	r := binary.AppendUvarint(nil, recordedCosts)
	r = binary.AppendUvarint(r, uint64(len(costs)))
	for _, c := range costs {
		r = appendText(appendText(appendText(r, c.Layer), string(c.Phase)), c.Op)
		r = binary.AppendVarint(r, c.Times)
		r = binary.AppendVarint(r, int64(c.Took))
	}
	return r
}
