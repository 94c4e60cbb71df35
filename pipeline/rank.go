package pipeline

import "github.com/dl4go/dl4go/dl4j"

// SortedRank sorts the rows by a column, and appends a Long column with their positions from 0
// (rank.CalculateSortedRank). Rows with equal values keep their order.
type SortedRank struct {
	Name      string `dl4j:"newColumnName"`
	Column    string `dl4j:"sortOnColumn"`
	Order     Order  `dl4j:"comparator"`
	Ascending bool   `dl4j:"ascending"`
}

// ranker is SortedRank's interface, which has a class in files.
type ranker interface{ Step }

var rankers = dl4j.NewClasses[ranker]("rank")

func init() {
	rankers.Register("org.datavec.api.transform.rank.CalculateSortedRank",
		func() ranker { return SortedRank{Ascending: true} })
}

// Bind checks the column.
func (s SortedRank) Bind(in *Schema) (Bound, error) {
	if err := wantRows(in); err != nil {
		return Bound{}, err
	}
	at, err := in.Find(s.Column)
	if err != nil {
		return Bound{}, err
	}
	as, err := orderColumn(s.Order)
	if err != nil {
		return Bound{}, err
	}
	low := int64(0)
	sort := func(at int) func([]Row) error {
		return sorter(at, as.Renamed(s.Column), func(a, b Value) int {
			if s.Ascending {
				return s.Order.compare(a, b)
			}
			return s.Order.compare(b, a)
		})
	}
	columns := append([]Column(nil), in.Columns...)
	return Bound{in.With(append(columns, LongColumn{Name: s.Name, Min: &low})),
		Gather(func() Gatherer { return &ranking{at: at, sort: sort(at), sortKeys: sort(0)} })}, nil
}

type ranking struct {
	rows     []Row
	at       int               // the column
	sort     func([]Row) error // sorts by it
	sortKeys func([]Row) error // sorts by the first column
	before   int64             // number of rows before these
}

func (g *ranking) Add(i Item) error {
	g.rows = append(g.rows, i.Row)
	return nil
}

func (g *ranking) Finish(emit func(Item) error) error {
	if err := g.sort(g.rows); err != nil {
		return err
	}
	for i, r := range g.rows {
		if err := emit(Item{Row: append(r, Long(g.before+int64(i)))}); err != nil {
			return err
		}
		g.rows[i] = nil
	}
	return nil
}
