package pipeline

// RenameColumns gives columns other names; the values stay.
type RenameColumns struct {
	OldNames []string `dl4j:"oldNames"`
	NewNames []string `dl4j:"newNames"`
}

// KeepColumns removes all columns but these. They stay in the schema's order.
type KeepColumns struct {
	Columns []string `dl4j:"columnsToKeep"`
}

func init() {
	const pkg = "org.datavec.api.transform.transform.column."
	RegisterTransform(pkg+"RenameColumnsTransform", func() Transform { return RenameColumns{} })
	RegisterTransform(pkg+"RemoveAllColumnsExceptForTransform", func() Transform { return KeepColumns{} })
}

// Bind checks the names.
func (s RenameColumns) Bind(in *Schema) (Bound, error) {
	columns := append([]Column(nil), in.Columns...)
	for i, old := range s.OldNames {
		at, err := in.Find(old)
		if err != nil {
			return Bound{}, err
		}
		columns[at] = columns[at].Renamed(s.NewNames[i])
	}
	return Bound{Out: in.With(columns)}, nil
}

// Bind checks the names.
func (s KeepColumns) Bind(in *Schema) (Bound, error) {
	keep := make([]bool, len(in.Columns))
	for _, name := range s.Columns {
		at, err := in.Find(name)
		if err != nil {
			return Bound{}, err
		}
		keep[at] = true
	}
	var columns []Column
	for i, c := range in.Columns {
		if keep[i] {
			columns = append(columns, c)
		}
	}
	return Bound{in.With(columns), RowMap(func(r Row) (Row, error) {
		kept := r[:0]
		for i, v := range r {
			if keep[i] {
				kept = append(kept, v)
			}
		}
		return kept, nil
	})}, nil
}
