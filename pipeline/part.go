package pipeline

import (
	"crypto/sha256"
	"slices"
)

// Part is a stretch of a [Plan] that workers can run, each on a partition of the data. The first part has the steps
// before the first one that gathers, and each other part begins with such a step. Between two parts, items have to move
// to the partition where others are that they go with: [Part.Key] and [Part.Arrange] say which. Run so, the partitions'
// results, one after the other, are those of the plan, bit by bit.
type Part struct {
	plan     *Plan
	from, to int // steps
}

// Parts are the stretches of the plan, at least one.
func (p *Plan) Parts() []Part {
	parts := []Part{{plan: p}}
	for i, b := range p.bound {
		if _, gathers := b.Run.(Gather); gathers {
			parts = append(parts, Part{plan: p, from: i})
		}
		parts[len(parts)-1].to = i + 1
	}
	return parts
}

// In are the columns that come to the part.
func (p Part) In() *Schema { return p.plan.schemas[p.from] }

// Out are the columns that the part gives.
func (p Part) Out() *Schema { return p.plan.schemas[p.to] }

// Start begins a run of the part on a partition, as [Plan.Start] does. before is how many items there are in the
// partitions before it, as they are arranged.
func (p Part) Start(before int64, emit func(Item) error) *Run {
	return p.plan.start(p.from, p.to, before, emit)
}

// exchanger is a Gatherer whose items may be parted among several.
type exchanger interface {
	Gatherer
	// key appends what arrange has to know of an item, or refuses the item as Add does.
	key(to []byte, i Item) ([]byte, error)
	// arrange returns an order of the items in which any partitions give the result of one Gatherer, one after the
	// other; cuts are the places where a partition may begin, in order, or nil for any.
	arrange(keys [][]byte) (order []int64, cuts []int, err error)
	// start says how many items come before those of this Gatherer.
	start(before int64)
}

// exchanger is that of the part's first step; nil where it needs all items in one place.
func (p Part) exchanger() exchanger {
	if gather, ok := p.plan.bound[p.from].Run.(Gather); ok {
		e, _ := gather().(exchanger)
		return e
	}
	return nil
}

// Key returns a function that appends to bytes what [Part.Arrange] has to know of an item that comes to the part. It
// refuses an item that the part's first step would refuse. The function is for one goroutine. Key is for parts other
// than the first.
func (p Part) Key() func(to []byte, i Item) ([]byte, error) {
	e := p.exchanger()
	if e == nil {
		return func(to []byte, _ Item) ([]byte, error) { return to, nil }
	}
	return func(to []byte, i Item) ([]byte, error) {
		key, err := e.key(to, i)
		if err != nil {
			return nil, &StepError{p.from + 1, stepName(p.plan.steps[p.from]), err}
		}
		return key, nil
	}
}

// Arrange says how the items of the part move to partitions. It gets their keys in order: partition p takes those whose
// numbers stand in order up to ends[p], and behind those of the partition before it. A nil order is 0, 1, 2, ….
// Partitions may stay empty.
func (p Part) Arrange(keys [][]byte, partitions int) (order []int64, ends []int, err error) {
	n := len(keys)
	ends = make([]int, partitions)
	e := p.exchanger()
	if e == nil {
		for k := range ends {
			ends[k] = n
		}
		return nil, ends, nil
	}
	order, cuts, err := e.arrange(keys)
	if err != nil {
		return nil, nil, &StepError{p.from + 1, stepName(p.plan.steps[p.from]), err}
	}
	for k := range ends {
		ends[k] = (k + 1) * n / partitions
		if cuts != nil {
			at, _ := slices.BinarySearch(cuts, ends[k])
			ends[k] = append(cuts, n)[min(at, len(cuts))]
		}
	}
	ends[partitions-1] = n
	return order, ends, nil
}

// groupKey appends a key of a group of rows: equal keys are those of one group, however long its values are.
func groupKey(to []byte, k *keys, r Row) []byte {
	if !k.key(r, k.columns) {
		return to // NaN: a group of its own
	}
	if len(k.scratch) <= sha256.Size {
		return append(append(to, 1), k.scratch...)
	}
	sum := sha256.Sum256(k.scratch)
	return append(append(to, 2), sum[:]...)
}

// arrangeGroups brings the rows of a group together, in the order of first appearance.
func arrangeGroups(keys [][]byte) (order []int64, cuts []int, err error) {
	groups := make(map[string]int)
	of := make([]int, len(keys))
	var sizes []int
	for i, key := range keys {
		at, known := groups[string(key)]
		if !known || len(key) == 0 {
			at = len(sizes)
			sizes = append(sizes, 0)
			groups[string(key)] = at
		}
		of[i] = at
		sizes[at]++
	}
	next := 0
	for at, n := range sizes {
		cuts = append(cuts, next)
		sizes[at], next = next, next+n
	}
	order = make([]int64, len(keys))
	for i, at := range of {
		order[sizes[at]] = int64(i)
		sizes[at]++
	}
	return order, cuts, nil
}

func (g *grouping) key(to []byte, i Item) ([]byte, error)         { return groupKey(to, g.keys, i.Row), nil }
func (g *grouping) arrange(keys [][]byte) ([]int64, []int, error) { return arrangeGroups(keys) }
func (g *grouping) start(int64)                                   {}
func (g *reducing) arrange(keys [][]byte) ([]int64, []int, error) { return arrangeGroups(keys) }
func (g *reducing) start(int64)                                   {}

func (g *reducing) key(to []byte, i Item) ([]byte, error) {
	if err := g.read(i.Row); err != nil {
		return nil, err
	}
	return groupKey(to, g.keys, i.Row), nil
}

func (g *ranking) key(to []byte, i Item) ([]byte, error) { return appendValue(to, i.Row[g.at]), nil }

// arrange sorts by the column's values.
func (g *ranking) arrange(keys [][]byte) (order []int64, cuts []int, err error) {
	rows := make([]Row, len(keys))
	for i, key := range keys {
		r := wireReader{left: string(key)}
		rows[i] = Row{r.value(), Long(int64(i))}
		if r.failed || r.left != "" {
			return nil, nil, errWire
		}
	}
	if err := g.sortKeys(rows); err != nil {
		return nil, nil, err
	}
	order = make([]int64, len(keys))
	for i, r := range rows {
		order[i] = r[1].integer()
	}
	return order, nil, nil
}

func (g *ranking) start(before int64) { g.before = before }
