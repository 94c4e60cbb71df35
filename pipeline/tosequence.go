package pipeline

import "fmt"

// ToSequences makes sequences of rows. Rows with equal values in the key columns form a sequence, in the order of the
// comparator. Without key columns, each row is a sequence of its own. Sequences are in the order of their first rows.
type ToSequences struct {
	Single     bool       `dl4j:"singleStepSequencesMode"`
	Keys       []string   `dl4j:"keyColumns"`
	Comparator Comparator `dl4j:"comparator"`
}

// FromSequences makes a row of each step.
type FromSequences struct{}

// wantRows refuses schemas of sequences.
func wantRows(in *Schema) error {
	if in.Sequence {
		return fmt.Errorf("the step is for rows, and sequences come to it; convert them with convertFromSequence before")
	}
	return nil
}

// wantSequences refuses schemas of rows.
func wantSequences(in *Schema) error {
	if !in.Sequence {
		return fmt.Errorf("the step is for sequences, and rows come to it; convert them with convertToSequence before")
	}
	return nil
}

// Bind checks the columns.
func (s ToSequences) Bind(in *Schema) (Bound, error) {
	if err := wantRows(in); err != nil {
		return Bound{}, err
	}
	out := &Schema{Columns: in.Columns, Sequence: true}
	if s.Single || len(s.Keys) == 0 {
		return Bound{out, RowSequence(func(r Row) ([]Row, error) { return []Row{r}, nil })}, nil
	}
	columns, err := in.findAll(s.Keys)
	if err != nil {
		return Bound{}, err
	}
	sort := func([]Row) error { return nil }
	if s.Comparator != nil {
		if sort, err = s.Comparator.bind(in); err != nil {
			return Bound{}, err
		}
	}
	return Bound{out, Gather(func() Gatherer { return &grouping{keys: newKeys(columns), sort: sort} })}, nil
}

// grouping collects the rows of each key.
type grouping struct {
	keys   *keys
	groups [][]Row
	sort   func([]Row) error
}

func (g *grouping) Add(i Item) error {
	at, isNew := g.keys.group(i.Row, g.keys.columns)
	if isNew {
		g.groups = append(g.groups, nil)
	}
	g.groups[at] = append(g.groups[at], i.Row)
	return nil
}

func (g *grouping) Finish(emit func(Item) error) error {
	for at, rows := range g.groups {
		g.groups[at] = nil
		if err := g.sort(rows); err != nil {
			return err
		}
		if err := emit(sequence(rows)); err != nil {
			return err
		}
	}
	return nil
}

// Bind checks that the input is sequences.
func (s FromSequences) Bind(in *Schema) (Bound, error) {
	if err := wantSequences(in); err != nil {
		return Bound{}, err
	}
	return Bound{&Schema{Columns: in.Columns}, SequenceRows(func(rows []Row) ([]Row, error) { return rows, nil })}, nil
}
