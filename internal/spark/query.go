package spark

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

// selected is the plan of a query's rows.
type selected struct {
	query      engine.Query
	partitions int
}

// statement matches the allowed beginnings of a query.
var statement = regexp.MustCompile(`(?is)^(\s|--[^\n]*(\n|$)|/\*.*?\*/|\()*(SELECT|WITH|FROM|VALUES|TABLE)\b`)

// QueryColumns asks the server for the columns of a query.
func (e *Engine) QueryColumns(ctx context.Context, text string) ([]engine.Column, error) {
	if !statement.MatchString(text) {
		return nil, fmt.Errorf("the query %s: it must begin with SELECT, WITH, FROM, VALUES or TABLE, so that it gives "+
			"rows and changes nothing", excerpt(text))
	}
	c, err := e.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer c.release()
	columns, err := c.columns(ctx, subquery(text))
	if err != nil {
		return nil, queryError(text, err)
	}
	return columns, nil
}

// subquery wraps the user's query so that it can't be a command: Spark would run a command whenever it analyses it.
func subquery(text string) connect.Relation { return connect.SQL("SELECT * FROM (\n" + text + "\n)") }

// queryError explains an error of a query.
func queryError(text string, err error) error {
	var spark *connect.Error
	if errors.As(err, &spark) && strings.HasPrefix(spark.Class, "PARSE_") {
		return fmt.Errorf("the query %s, which must give rows and change nothing: %w", excerpt(text), said(err))
	}
	return fmt.Errorf("the query %s: %w", excerpt(text), said(err))
}

func (c catalogue) columns(ctx context.Context, r connect.Relation) ([]engine.Column, error) {
	schema, err := c.session.Schema(ctx, r)
	columns := make([]engine.Column, len(schema))
	for i, f := range schema {
		columns[i] = engine.Column{Name: f.Name, Type: f.Type}
		if strings.HasSuffix(f.Type, "linalg.VectorUDT") {
			columns[i].Type = "vector"
		}
	}
	return columns, err
}

func excerpt(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 120 {
		text = string(r[:120]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

// said removes Spark's plans from its errors, and adds advice to some.
func said(err error) error {
	var spark *connect.Error
	if !errors.As(err, &spark) || spark.Class == "" {
		return err
	}
	text := spark.Message
	for _, plan := range []string{"\n'", "\n+-", "\n\n== SQL", "\n== SQL", ". SQLSTATE", "\nTo tolerate"} {
		text, _, _ = strings.Cut(text, plan)
	}
	text = strings.Join(strings.Fields(text), " ")
	if strings.HasPrefix(spark.Class, "TABLE_OR_VIEW_NOT_FOUND") {
		text += " SHOW TABLES IN a database lists its tables; another session's temporary views can't be seen, but " +
			"global_temp's can."
	}
	return &saying{text, err}
}

type saying struct {
	text string
	err  error
}

func (s *saying) Error() string { return s.text }
func (s *saying) Unwrap() error { return s.err }

// Query makes the data set. QueryColumns has already found errors in the query itself.
func (e *Engine) Query(_ context.Context, q engine.Query) (*engine.Dataset, error) {
	if q.Partitions < 0 {
		return nil, fmt.Errorf("%d partitions were asked for", q.Partitions)
	}
	for i, p := range q.Pick {
		for _, c := range p.Columns {
			if p.Text && !c.Plain() || !p.Text && c.Rank() < 0 {
				return nil, fmt.Errorf("column %s of the query has the type %s, which cell %d can't hold", c.Name, c.Type, i)
			}
		}
		if len(p.Columns) == 0 || p.Text && len(p.Columns) != 1 {
			return nil, fmt.Errorf("cell %d of the query's rows has %d columns", i, len(p.Columns))
		}
	}
	s := &selected{q, q.Partitions}
	if s.partitions == 0 {
		s.partitions = e.slots
	}
	if q.Ordered {
		s.partitions = 1
	}
	return engine.FromPlan(e, s, s.partitions), nil
}

// selected makes the table of a query's rows. Spark's rows have no reliable order, so hashes of their contents
// determine it: one the partition, two others the place there.
func (j planner) selected(s *selected) (table, error) {
	rows := subquery(s.query.SQL)
	if s.query.Limit > 0 {
		rows = rows.Limit(s.query.Limit)
	}
	if s.query.Limit == 0 || s.query.Limit >= compileRows { // a table may have any number of rows
		if err := j.compile(); err != nil {
			return table{}, err
		}
	}
	user, err := j.view(rows)
	if err != nil {
		return table{}, queryError(s.query.SQL, err)
	}
	packed, err := j.view(packing(user, s.query))
	if err != nil {
		return table{}, queryError(s.query.SQL, err)
	}
	place, seq := "shiftrightunsigned(xxhash64(row), 1)", "xxhash64(1, row)"
	if s.query.Ordered {
		place, seq = "nth", "bigint(0)"
	}
	text := "base64(line)"
	if strings.HasPrefix(j.session.Version(), "3.") {
		text = `replace(base64(line), '` + "\r\n" + `', '')`
	}
	// If p depends on something besides the row, Spark does not evaluate it before the row is made. Otherwise it would
	// make the row twice.
	placing := sqlf(`SELECT IF(spark_partition_id() < 0, NULL, int(pmod(hash(row), %s))) AS p, 'r' AS k, row AS line,
			%s AS place, %s AS seq FROM %s
		UNION ALL SELECT p, k, binary(line) AS line, place, seq FROM (%s)`,
		fmt.Sprint(s.partitions), place, seq, packed, places(s.partitions))
	placed := j.engine.placedAs("p, k, line", placing, s.partitions, inBlocks, hashes)
	return table{rows: sqlf(`SELECT p, k, IF(k = 'r', concat(p, '`+"\t0\t0\tr\t-1\t"+`', `+text+`), string(line)) AS line
			FROM (%s)`, placed),
		shape: func(p int, t *worker.Task) {
			t.Open = true
			unpack := unpacking.With(unpackConfig{parts(s.query)})
			t.Links = append([]worker.Link{{Partition: p, Step: &unpack}}, t.Links...)
		}}, nil
}
