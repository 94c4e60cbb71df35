package engine

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// Tables is implemented by an Engine whose cluster has tables: Spark. See [TablesOf].
type Tables interface {
	// QueryColumns gives the columns of a query, which it does not run. A query that can't be run, since it has a
	// mistake, or a table does not exist, is an error here.
	QueryColumns(ctx context.Context, query string) ([]Column, error)
	// Query makes a data set with a row of cells for each row of a query: see Query.
	Query(ctx context.Context, q Query) (*Dataset, error)
	// CheckTable fails where WriteTable would, as far as that can be told before.
	CheckTable(ctx context.Context, w TableWrite) error
	// WriteTable writes the rows of d, whose cells are w's columns, to a table, and tells how many there were. All of d
	// is computed, kept and verified before anything is written; each row is written once. What a write that fails
	// leaves depends on the table's format: nothing of it in Parquet, ORC or Delta tables. Where it replaces a table, the
	// old one stays until the new one is whole, if it is one of files (Parquet, ORC, …) that Spark's own catalogue
	// manages, or of a format with transactions; any other may be gone after a failure.
	WriteTable(ctx context.Context, d *Dataset, w TableWrite) (int64, error)
}

// TablesOf gives the tables of the engine's cluster, or an error where it has none.
func TablesOf(e Engine) (Tables, error) {
	if t, ok := e.(Tables); ok {
		return t, nil
	}
	return nil, fmt.Errorf("master %s has no tables: they need Spark, such as sc://host:port", e.Master())
}

// Column is a column of a table or a query.
type Column struct {
	Name string
	Type string // as SQL writes it: double, array<float>, decimal(10,2); vector for Spark ML's
}

// Rank is 0 for a column of numbers (booleans are 0 and 1), 1 for one of arrays of numbers or of Spark ML's vectors, 2
// for arrays of those, …; and -1 for any other type.
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

// simple is a type without its precision and scale.
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

// Plain says whether the column's values can be a cell of text: numbers, booleans, strings, bytes, dates and times.
func (c Column) Plain() bool {
	base := simple(c.Type)
	return numeric[base] || plain[base]
}

var plain = map[string]bool{"string": true, "binary": true, "date": true, "timestamp": true, "timestamp_ntz": true}

// Query describes the rows of a data set.
type Query struct {
	SQL  string // the user's: a SELECT, or another statement that gives rows and changes nothing
	Pick []Pick // a cell of each row
	// Partitions is how many there are: as many as the engine has slots if 0. A hash of a row's cells decides in which
	// one the row is and at which place, so that the same rows are always in the same order, wherever and how often the
	// query is run; rows that differ in nothing may stand for each other. With another number of partitions the order
	// is another one.
	Partitions int
	// Limit, if not 0, is how many rows there are at most: those that come first, as it happens.
	Limit int
	// Ordered: the query ends with an ORDER BY that leaves no two rows equal, and the rows are to keep that order. They
	// are in one partition, whatever Partitions says.
	Ordered bool
}

// Pick is a cell of a query's rows. As numbers, it has all elements of all its columns, in order, as float32, to which
// other types are rounded; -0 becomes 0. A single column gives its shape too, several give rank 1. A NULL, NaN or
// infinite number, an array without elements, and one whose rows differ in length, are permanent errors that name the
// column. As text, it has the one column's value as Spark writes it; bytes are as they are, and a timestamp is the
// number of microseconds since 1970 in UTC.
type Pick struct {
	Columns []Column
	Text    bool
}

// WriteMode chooses what happens to an existing table.
type WriteMode string

// The modes.
const (
	ErrorIfExists WriteMode = "error"     // it is an error, and the table stays as it is
	Append        WriteMode = "append"    // rows are added to it, by the columns' names
	Overwrite     WriteMode = "overwrite" // it is replaced by a new one
)

// TableExistsError means that the table to be made exists already.
type TableExistsError struct{ Table string }

func (e *TableExistsError) Error() string {
	return fmt.Sprintf("the table %s exists already: name another one, or choose to append to it or to overwrite it",
		e.Table)
}

// TableWrite names the table for rows, and its columns.
type TableWrite struct {
	Table   string    // its name: t, database.t or catalogue.database.t; parts with other characters in backquotes
	Mode    WriteMode // ErrorIfExists if empty
	Format  string    // of a new table, such as parquet or delta: the server's default if empty
	Columns []Column  // text goes into a column of any Plain type, numbers into int, float or array<float>
}
