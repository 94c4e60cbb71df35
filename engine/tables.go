package engine

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// Tables is implemented by an Engine whose cluster has tables: Spark. See [TablesOf].
type Tables interface {
	// QueryColumns returns the columns of a query without running it. It fails for a query that can't be run, because
	// of a mistake or a table that does not exist.
	QueryColumns(ctx context.Context, query string) ([]Column, error)
	// Query makes a data set with a row of cells for each row of a query: see the type Query.
	Query(ctx context.Context, q Query) (*Dataset, error)
	// CheckTable fails if WriteTable would, as far as that is known in advance.
	CheckTable(ctx context.Context, w TableWrite) error
	// WriteTable writes the rows of d, whose cells are w's columns, to a table, and returns their number. It computes,
	// keeps and verifies all of d before it writes anything, and writes each row once. After a failure, Parquet, ORC
	// and Delta tables have no new rows; other formats may have some. If it replaces a table, the old one stays until
	// the new one is complete, provided that the table has files (Parquet, ORC, …) that Spark's own catalogue manages,
	// or a format with transactions. Any other table may be gone after a failure.
	WriteTable(ctx context.Context, d *Dataset, w TableWrite) (int64, error)
}

// TablesOf returns the tables of the engine's cluster, or an error if it has none.
func TablesOf(e Engine) (Tables, error) {
	if t, ok := e.(Tables); ok {
		return t, nil
	}
	return nil, fmt.Errorf("master %s has no tables: they need Spark, such as sc://host:port", e.Master())
}

// Column is a column of a table or a query.
type Column struct {
	Name string
	Type string // in SQL: double, array<float>, decimal(10,2); vector for Spark ML's
}

// Rank is 0 for a column of numbers (booleans are 0 and 1), 1 for arrays of numbers or Spark ML's vectors, 2 for arrays
// of arrays, …; and -1 for any other type.
func (c Column) Rank() int {
	t, rank := strings.ToLower(c.Type), 0
	for {
		elem, ok := strings.CutPrefix(t, "array<")
		if !ok {
			break
		}
		t, rank = strings.TrimSuffix(elem, ">"), rank+1
	}
	if t == "vector" && rank == 0 {
		return 1
	}
	if numeric[simple(t)] {
		return rank
	}
	return -1
}

// simple returns a type without its precision and scale.
func simple(t string) string {
	if base, sizes, sized := strings.Cut(strings.ToLower(t), "("); sized && precision.MatchString(sizes) {
		return base
	}
	return strings.ToLower(t)
}

var precision = regexp.MustCompile(`^[0-9]+, ?-?[0-9]+\)$`)

var numeric = map[string]bool{"boolean": true, "tinyint": true, "smallint": true, "int": true, "bigint": true,
	"float":  true,
	"double": true, "decimal": true}

// Plain reports whether the column's values can be text cells: numbers, booleans, strings, bytes, dates and times.
func (c Column) Plain() bool {
	base := simple(c.Type)
	return numeric[base] || plain[base]
}

var plain = map[string]bool{"string": true, "binary": true, "date": true, "timestamp": true, "timestamp_ntz": true}

// Query describes the rows of a data set.
type Query struct {
	SQL  string // the user's: a SELECT, or another statement that returns rows and changes nothing
	Pick []Pick // the cells of each row
	// Partitions is the number of partitions; 0 means the engine's slots. A hash of a row's cells determines its
	// partition and its place there. So the same rows are always in the same order, wherever and however often the
	// query runs; equal rows are interchangeable. Another number of partitions gives another order.
	Partitions int
	// Limit, if not 0, is the maximum number of rows. The cluster chooses which rows these are.
	Limit int
	// Ordered: the query ends with an ORDER BY that leaves no two rows equal, and the rows keep that order. They are in
	// one partition, whatever Partitions says.
	Ordered bool
}

// Pick says how columns of a query become a cell of its rows.
//
// With Text, the cell has the value of one column as Spark writes it. Bytes stay as they are, and a timestamp becomes
// the number of microseconds since 1970 in UTC.
//
// Otherwise it is a cell of numbers: all elements of all columns, in order, rounded to float32, with 0 for -0. It has
// the shape of the column if there is one, and rank 1 if there are several. Permanent errors that name the column are:
// a NULL, NaN or infinite number, an array without elements, and an array with rows of different lengths.
type Pick struct {
	Columns []Column
	Text    bool
}

// WriteMode chooses what happens to an existing table.
type WriteMode string

// The modes.
const (
	ErrorIfExists WriteMode = "error"     // fail, and leave the table as it is
	Append        WriteMode = "append"    // add rows to it, by the columns' names
	Overwrite     WriteMode = "overwrite" // replace it by a new one
)

// TableExistsError means that a table to create already exists.
type TableExistsError struct{ Table string }

func (e *TableExistsError) Error() string {
	return fmt.Sprintf("the table %s exists already: name another one, or choose to append to it or to overwrite it",
		e.Table)
}

// TableWrite names the table for rows, and its columns.
type TableWrite struct {
	Table string    // t, database.t or catalogue.database.t; parts with other characters in backquotes
	Mode  WriteMode // ErrorIfExists if empty
	// Format is the table's, such as parquet or delta. If it is empty, a table that exists keeps its own, and a new one
	// gets the server's default.
	Format  string
	Columns []Column // text goes into a column of any Plain type, numbers into int, float or array<float>
}
