package pipeline

import (
	"crypto/sha256"
	"slices"
)

// Part is a part of a [Plan] that workers can run, each on a partition of the data. The first part has the steps before
// the first one that gathers. Each further part begins with a step that gathers. Between two parts, items that belong
// together move to the same partition: [Part.Key] and [Part.Arrange] say which. The results of the partitions, one
// after the other, are then those of the plan, bit for bit.
type Part struct {
	plan     *Plan
	from, to int // steps
}

// Parts splits the plan into its parts, at least one.
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

// In returns the input columns of the part.
func (p Part) In() *Schema { return p.plan.schemas[p.from] }

// Out returns the output columns of the part.
func (p Part) Out() *Schema { return p.plan.schemas[p.to] }

// Start begins a run of the part on a partition, like [Plan.Start]. before is the number of items in the partitions
// before it, after arranging.
func (p Part) Start(before int64, emit func(Item) error) *Run {
	return p.plan.start(p.from, p.to, before, emit)
}

// exchanger is a Gatherer whose items may be distributed among several.
type exchanger interface {
	Gatherer
	// key appends the data about an item that arrange needs, or refuses the item, like Add.
	key(to []byte, i Item) ([]byte, error)
	// arrange returns an order of the items. In this order, any partitions, one after the other, have the result of
	// one Gatherer. cuts are the places where a partition may begin, in order, or nil for any place.
	arrange(keys [][]byte) (order []int64, cuts []int, err error)
	// start sets the number of items before those of this Gatherer.
	start(before int64)
}

// exchanger returns that of the part's first step; nil if the step needs all items in one place.
func (p Part) exchanger() exchanger {
	if gather, ok := p.plan.bound[p.from].Run.(Gather); ok {
		e, _ := gather().(exchanger)
		return e
	}
	return nil
}

// Key returns a function that appends the key of an input item, for [Part.Arrange]. The function fails for an item that
// the first step of the part would refuse. Only one goroutine may use it. The first part has no keys.
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

// Arrange distributes the items of the part to partitions, given their keys in order. Partition p gets the items
// order[ends[p-1]:ends[p]]. A nil order means 0, 1, 2, …. Partitions may be empty.
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

// groupKey appends the key of a group of rows. Equal keys mean the same group. The key is short, even for long values.
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

// arrangeGroups puts the rows of a group next to each other, in the order of first appearance.
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
