package pipeline

// JoinKey appends the key of a row to a slice. Partners in the two tables have the same key. A row that cannot have a
// partner, because one of its values is NaN, has an empty key. JoinKey fails if the row has the wrong number of values.
type JoinKey func(to []byte, r Row) ([]byte, error)

// LeftKey returns the function for rows of the left table. Only one goroutine may use it.
func (p *JoinPlan) LeftKey() JoinKey { return joinKey("left", p.left, p.leftKeys) }

// RightKey returns the function for rows of the right table. Only one goroutine may use it.
func (p *JoinPlan) RightKey() JoinKey { return joinKey("right", p.right, p.rightKeys) }

func joinKey(side string, s *Schema, columns []int) JoinKey {
	k := newKeys(columns)
	return func(to []byte, r Row) ([]byte, error) {
		if err := width(side, r, s); err != nil {
			return nil, err
		}
		return groupKey(to, k, r), nil
	}
}

// JoinOrder distributes the rows of a join to partitions, each of which is joined by a [JoinRun] of its own. Rows have
// numbers: first those of the right table, then those of the left one. Results have the numbers in which the partitions
// emit them, one partition after the other.
type JoinOrder struct {
	// Rows lists the rows of the first partition, then those of the next ones. Ends are the partitions' ends.
	Rows []int64
	Ends []int
	// Counts are the numbers of results of each partition.
	Counts []int64
	// Results lists the results in the order in which a single run emits them. It takes 8 bytes for each.
	Results []int64
}

// Arrange distributes the rows of both tables, given by their keys. Rows with the same key stay together. Partitions
// have about the same number of rows, unless one key has more.
func (p *JoinPlan) Arrange(right, left [][]byte, partitions int) JoinOrder {
	a := &arrangement{plan: p, rights: len(right), groups: make(map[string]int)}
	for i, keys := range [][][]byte{right, left} {
		for _, key := range keys {
			a.add(key, i)
		}
	}
	o := a.place(partitions)
	a.results(&o)
	return o
}

// arrangement is the groups of rows with the same key.
type arrangement struct {
	plan   *JoinPlan
	rights int // rows of the right table
	groups map[string]int
	of     []int    // group of each row
	sizes  [][2]int // rows of each group in the right and in the left table
}

// add adds the next row of a side: 0 is right.
func (a *arrangement) add(key []byte, side int) {
	at, known := a.groups[string(key)]
	if !known || len(key) == 0 {
		at = len(a.sizes)
		a.sizes = append(a.sizes, [2]int{})
		a.groups[string(key)] = at
	}
	a.of = append(a.of, at)
	a.sizes[at][side]++
}

// place chooses the partitions of the groups. The rows of a partition stay in their order.
func (a *arrangement) place(partitions int) JoinOrder {
	n := len(a.of)
	o := JoinOrder{Rows: make([]int64, n), Ends: make([]int, partitions), Counts: make([]int64, partitions)}
	in, next := make([]int, len(a.sizes)), 0
	for at, size := range a.sizes {
		in[at] = next * partitions / max(n, 1)
		next += size[0] + size[1]
		o.Ends[in[at]] += size[0] + size[1]
	}
	places := make([]int, partitions)
	for p := 1; p < partitions; p++ {
		places[p] = o.Ends[p-1]
		o.Ends[p] += o.Ends[p-1]
	}
	for i, at := range a.of {
		o.Rows[places[in[at]]] = int64(i)
		places[in[at]]++
	}
	return o
}

// emitted returns how many results a row has: those of a left row with its partners, and that of a right row without.
func (a *arrangement) emitted(row int) int {
	size := a.sizes[a.of[row]]
	switch {
	case row < a.rights && (size[1] > 0 || !a.plan.allRight):
		return 0
	case row < a.rights:
		return 1
	case size[0] == 0 && a.plan.allLeft:
		return 1
	}
	return size[0]
}

// results counts the results, and puts them into order.
func (a *arrangement) results(o *JoinOrder) {
	first, from := make([]int, len(a.of)), 0
	n := 0
	for p, end := range o.Ends {
		began := n
		for _, left := range []bool{true, false} { // a run emits right rows last
			for _, row := range o.Rows[from:end] {
				if i := int(row); left == (i >= a.rights) {
					first[i] = n
					n += a.emitted(i)
				}
			}
		}
		from = end
		o.Counts[p] = int64(n - began)
	}
	o.Results = make([]int64, 0, n)
	for k := range a.of {
		i := (k + a.rights) % len(a.of) // left rows first
		for r := range a.emitted(i) {
			o.Results = append(o.Results, int64(first[i]+r))
		}
	}
}
