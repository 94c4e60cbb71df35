package pipeline

// reducing is a run of [Reduce].
type reducing struct {
	columns []reduced
	keys    *keys
	groups  []*group
	values  []Value // of the row being added
	counts  []bool
}

// group is a group of rows: its keys, and an accumulator for each operation.
type group struct {
	keys Row // the values of key columns, in the order of columns
	all  []accumulator
}

func newReducing(columns []reduced) *reducing {
	g := &reducing{columns: columns, values: make([]Value, len(columns)), counts: make([]bool, len(columns))}
	var at []int
	for i, c := range columns {
		if c.key {
			at = append(at, i)
		}
	}
	g.keys = newKeys(at)
	g.keys.texts = true
	return g
}

func newGroup(columns []reduced) *group {
	g := &group{}
	for _, c := range columns {
		for _, op := range c.ops {
			g.all = append(g.all, op())
		}
	}
	return g
}

// Add adds a row, or refuses it as a whole.
func (g *reducing) Add(i Item) error {
	if err := g.read(i.Row); err != nil {
		return err
	}
	at, isNew := g.keys.group(i.Row, g.keys.columns)
	if isNew {
		g.groups = append(g.groups, newGroup(g.columns))
		for _, c := range g.keys.columns {
			g.groups[at].keys = append(g.groups[at].keys, i.Row[c])
		}
	}
	g.put(g.groups[at])
	return nil
}

// read converts the values of a row.
func (g *reducing) read(r Row) (err error) {
	for i, c := range g.columns {
		if g.values[i], g.counts[i], err = c.value(r); err != nil {
			return err
		}
	}
	return nil
}

// put adds the converted values to a group.
func (g *reducing) put(to *group) {
	at := 0
	for i, c := range g.columns {
		for range c.ops {
			if g.counts[i] {
				to.all[at].add(g.values[i])
			}
			at++
		}
	}
}

// value returns a row's value for the operations of a column, if it counts.
func (c *reduced) value(r Row) (v Value, counts bool, err error) {
	v = r[c.at]
	if c.key || c.valid != nil && !c.valid(v) {
		return v, false, nil
	}
	if c.holds != nil {
		if yes, err := c.holds(r); !yes || err != nil {
			return v, false, err
		}
	}
	if v, err = c.convert(v); err != nil {
		return v, false, inColumn(c.name, err)
	}
	return v, true, nil
}

// one reduces rows to a single one, ignoring their keys; it keeps the keys of the first row.
func (g *reducing) one(rows []Row) (Row, error) {
	all := newGroup(g.columns)
	for i, r := range rows {
		if err := g.read(r); err != nil {
			return nil, err
		}
		if i == 0 {
			for _, c := range g.keys.columns {
				all.keys = append(all.keys, r[c])
			}
		}
		g.put(all)
	}
	return all.row(g.columns), nil
}

// row returns the result of the group.
func (g *group) row(columns []reduced) Row {
	var out Row
	key, at := 0, 0
	for _, c := range columns {
		if c.key {
			v := Null()
			if key < len(g.keys) {
				v = g.keys[key]
			}
			out = append(out, v)
			key++
		}
		for range c.ops {
			out = append(out, g.all[at].result())
			at++
		}
	}
	return out
}

func (g *reducing) Finish(emit func(Item) error) error {
	for i, one := range g.groups {
		g.groups[i] = nil
		if err := emit(Item{Row: one.row(g.columns)}); err != nil {
			return err
		}
	}
	return nil
}
