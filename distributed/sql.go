package distributed

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
)

func init() { source.Register("sql", sqlKind{}) }

// sqlKind is sql:QUERY, whose rows Spark reads.
type sqlKind struct{}

func (sqlKind) About() source.About {
	return source.About{
		Form:     "sql:SELECT features, label FROM t",
		Text:     "a query, on Spark",
		More:     "columns are arrays or numbers. --features, --label, --classes and --shape say what they mean.",
		Verbatim: true,
		Settings: []source.Setting{
			{Name: "features", Value: "COLUMNS", Text: "feature columns", List: true},
			{Name: "label", Value: "COLUMNS", Text: "label columns", List: true},
			{Name: "keys", Value: "COLUMNS", Text: "columns that identify an example", List: true},
			{Name: "classes", Value: "N", Text: "number of classes"},
			{Name: "shape", Value: "SHAPE", Text: "shape of the features, such as 1,28,28", List: true, Rare: true},
			{Name: "ordered", Text: "keep the query's order, with one worker", Switch: true, Rare: true, Raw: true},
			{Name: "weights", Value: "COLUMN", Text: "how much each example counts in training", Rare: true},
			source.BadRowsSetting(),
		},
	}
}

func (sqlKind) Check(n source.Name, _ source.Options) error {
	_, err := queryOptions(n)
	return err
}

func (sqlKind) Open(context.Context, source.Name, source.Options) (source.Source, error) {
	return nil, &source.SpecError{Problem: "sql: is a query for a Spark cluster; open the engine sc://HOST:PORT"}
}

// RawColumns reports that a model with a pipeline takes the columns of a query as raw columns.
func (sqlKind) RawColumns() bool { return true }

// queryOptions returns the settings of a query.
func queryOptions(n source.Name) (o QueryOptions, err error) {
	if strings.TrimSpace(n.Place) == "" {
		return o, &source.SpecError{Problem: "a query is needed: sql:SELECT …"}
	}
	if err := n.CheckBadRows(); err != nil {
		return o, err
	}
	list := func(key string) []string {
		if v, ok := n.Settings[key]; ok {
			return source.Values(v)
		}
		return nil
	}
	bad := func(key, want string) error {
		return &source.SettingError{Key: key, Value: n.Settings[key], Problem: want}
	}
	o.Features, o.Labels, o.Keys = list("features"), list("label"), list("keys")
	if v, ok := n.Settings["classes"]; ok {
		if o.Classes, err = strconv.Atoi(v); err != nil || o.Classes < 0 {
			return o, bad("classes", "a number of classes should be here")
		}
	}
	for _, v := range list("shape") {
		extent, err := strconv.Atoi(strings.TrimSpace(v))
		if err != nil {
			return o, bad("shape", "extents should be here, separated by commas, such as 1,28,28")
		}
		o.Shape = append(o.Shape, extent)
	}
	if v, ok := n.Settings["ordered"]; ok {
		if o.Ordered, err = strconv.ParseBool(v); err != nil {
			return o, bad("ordered", "true or false should be here")
		}
	}
	return o, nil
}

// querySource is the rows of a query, read by the cluster.
type querySource struct {
	*Query
	ctx   context.Context
	info  source.Info
	level engine.StorageLevel // at which it is kept
	table *RawTable           // of raw columns; nil if there is none
	cut   int                 // texts with more tokens than are used
	gaps  int                 // steps of sequences without a label
	bad   source.Found        // skipped rows

	next int // next example of pull
	pull func() (*data.MultiDataSet, error, bool)
	stop func()
}

// OpenOn asks for a query's columns and reads a few rows. If examples are counted, it reads all.
func (sqlKind) OpenOn(ctx context.Context, e engine.Engine, n source.Name, o OpenOptions) (source.Source, error) {
	options, err := queryOptions(n)
	if err != nil {
		return nil, err
	}
	if w := n.Weights(); w != "" {
		return nil, &source.SettingError{Key: "weights", Value: w, Problem: "weights go with columns of numbers, texts and " +
			"times that go through a pipeline, and this query is taken as it is; leave it out"}
	}
	defer o.busy("looking at the query")()
	options.Unlabelled, options.Partitions, options.PartitionRows = o.Unlabelled, o.Partitions, o.PartitionRows
	if options.Features, err = queryFeatures(ctx, e, n.Place, options.Features, o.As); err != nil {
		return nil, err
	}
	q, err := FromQuery(ctx, e, n.Place, options)
	if err != nil {
		return nil, err
	}
	s := &querySource{Query: q, ctx: ctx, info: source.InfoOf(sourceName(n), q.Sample)}
	s.info.Examples, s.info.LabelNames, s.info.Schema = 0, nil, querySchema(q, options.Classes)
	if options.Classes > 0 {
		s.info.Classes = options.Classes
	}
	if !o.Count {
		return s, nil
	}
	if o.Level != engine.None && o.Level != "" {
		s.level = o.Level
		q.Persist(o.Level)
	}
	if s.info.Examples, err = q.Count(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// sourceName shortens a name for messages, as a query may be long.
func sourceName(n source.Name) string {
	if n.Kind != "sql" {
		return n.String()
	}
	name := "sql:" + strings.Join(strings.Fields(n.Place), " ")
	if short := []rune(name); len(short) > 60 {
		name = string(short[:60]) + "…"
	}
	return name
}

// Info describes the data.
func (s *querySource) Info() source.Info { return s.info }

// Missed returns how many texts had more tokens than are used, how many steps of sequences have no label, and the
// skipped rows and new values.
func (s *querySource) Missed() (cut, gaps int, bad source.Found) { return s.cut, s.gaps, s.bad }

// Objects returns the number of examples: each row is one.
func (s *querySource) Objects() int { return s.info.Examples }

// Rowwise reports that each object is one example: together they are a table.
func (s *querySource) Rowwise() bool { return true }

// Bytes returns the memory that the examples would take. None of them is in this process.
func (s *querySource) Bytes() int64 { return s.info.Bytes() }

// Samples returns some of the rows, as one minibatch.
func (s *querySource) Samples() []source.Sample {
	m := s.Sample.Clone()
	m.Meta = nil
	return []source.Sample{{Example: m}}
}

// Object fetches example i. Reading the examples in order takes one job.
func (s *querySource) Object(i int) (*data.MultiDataSet, error) {
	if s.pull == nil || s.next > i {
		s.rest()
		s.next = 0
		s.pull, s.stop = iter.Pull2(func(yield func(*data.MultiDataSet, error) bool) {
			err := s.Examples(s.ctx, func(m *data.MultiDataSet) error {
				if !yield(m, nil) {
					return ErrStop
				}
				return nil
			})
			if err != nil {
				yield(nil, err)
			}
		})
	}
	for {
		m, err, ok := s.pull()
		if !ok {
			err = fmt.Errorf("%s has fewer rows than it had", s.info.Name)
		}
		if err != nil {
			return nil, err
		}
		if s.next++; s.next > i {
			return m, nil
		}
	}
}

// rest ends a job of Object.
func (s *querySource) rest() {
	if s.pull != nil {
		s.stop()
		s.pull = nil
	}
}

// Close ends a job of Object, and drops a table's rows on the workers.
func (s *querySource) Close() error {
	s.rest()
	if s.table != nil {
		return s.table.Close()
	}
	return nil
}

// Spread returns the data through a normalizer. Kept data is then kept normalized.
func (s *querySource) Spread(ctx context.Context, _ engine.Engine, norm data.Normalizer, _ int) (*Data, error) {
	s.rest()
	if norm == nil {
		return s.Data, nil
	}
	normalized, err := s.Normalize(norm)
	if err != nil || !s.Persisted() {
		return normalized, err
	}
	normalized.Persist(s.level)
	if _, err := normalized.Rows().Commits(ctx); err != nil {
		return nil, err
	}
	s.Unpersist()
	return normalized, nil
}
