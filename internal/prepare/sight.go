package prepare

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// lookConf says what workers read from the rows.
type lookConf struct {
	// Pipeline is DataVec's JSON of one whose result is looked at.
	Pipeline []byte
	// Raw are its labels, whose gaps within sequences are filled before it.
	Raw []string
	// Labels are the columns whose different texts are wanted, or maxClasses of them.
	Labels []string
	// Split names a column. Its texts are kept for all rows. Errors about it begin with SplitTitle. With ByLabel those of
	// the only label are kept.
	Split, SplitTitle string
	ByLabel           bool
	// Profile, if not nil, has the rows profiled, in the columns Schema.
	Profile *analysis.InferOptions
	Schema  []byte
	// Of is the data, whose settings say which rows are skipped.
	Of source.Name
}

// sight is what workers find in rows.
type sight struct {
	Rows   int
	Found  [][]string // the texts of the labels
	Gaps   []string   // of each label, the place of the first row without it
	Splits []string   // of the rows that were found last
	Counts []byte     // of the profiler
	// Changes are labels of sequences' steps that are other than those of the first one.
	Changes []map[string]bool

	profiler *analysis.Profiler
	known    []map[string]bool
}

func (c lookConf) empty() *sight {
	s := &sight{Found: make([][]string, len(c.Labels)), Gaps: make([]string, len(c.Labels))}
	for range c.Labels {
		s.known, s.Changes = append(s.known, map[string]bool{}), append(s.Changes, map[string]bool{})
	}
	return s
}

// label notes the text of a label.
func (c lookConf) label(s *sight, k int, text string) {
	if note(s.known[k], text) {
		s.Found[k] = append(s.Found[k], text)
	}
}

// note records a copy of a text, and reports whether it must be sent: it is new, and there are not too many texts.
func note(known map[string]bool, text string) bool {
	if known[text] {
		return false
	}
	if len(known) > maxClasses { // too many for classes, if one of them is not a number
		if _, err := strconv.ParseFloat(text, 64); err == nil || known[noNumber] {
			return false
		}
		known[noNumber] = true
	}
	known[strings.Clone(text)] = true
	return true
}

// noNumber marks that a text which is not a number was noted beyond maxClasses.
const noNumber = "\x00no number"

// encode returns the bytes of a sight, and empties it, except for the known texts.
func (s *sight) encode() (b []byte, err error) {
	if s.profiler != nil {
		if s.Counts, err = s.profiler.AppendBinary(nil); err != nil {
			return nil, err
		}
	}
	return json.Marshal(s)
}

// merge adds what was found in later rows. Only their Splits are kept.
func (c lookConf) merge(s *sight, later []byte) error {
	var o sight
	if err := json.Unmarshal(later, &o); err != nil {
		return err
	}
	s.Rows += o.Rows
	s.Splits = o.Splits
	for k := range c.Labels {
		for _, text := range o.Found[k] {
			c.label(s, k, text)
		}
		for _, text := range slices.Sorted(maps.Keys(o.Changes[k])) {
			if text != noNumber {
				note(s.Changes[k], text)
			}
		}
		if s.Gaps[k] == "" {
			s.Gaps[k] = o.Gaps[k]
		}
	}
	if c.Profile == nil {
		return nil
	}
	schema, err := pipeline.ParseSchema(c.Schema)
	if err != nil {
		return err
	}
	next, err := analysis.NewProfiler(schema, *c.Profile)
	if err == nil {
		err = next.UnmarshalBinary(o.Counts)
	}
	if err != nil {
		return err
	}
	if s.profiler == nil {
		s.profiler = next
	} else {
		s.profiler.Merge(next)
	}
	return nil
}

// sightRows is how many rows' texts are in one row of the engine.
const sightRows = 1 << 16

// looker looks at the rows of a partition.
type looker struct {
	lookConf
	*sight
	out engine.Writer
	bad *source.BadRows
}

// lookThrough looks at the raw rows of a partition.
var lookThrough = distributed.RegisterRaw("prepare.look",
	func(t *engine.Task, c lookConf, each func(func(source.Rows) error) error, out engine.Writer) error {
		l := &looker{c, c.empty(), out, c.Of.BadRows()}
		if err := each(func(rows source.Rows) error { return l.raw(t, rows) }); err != nil {
			return err
		}
		return l.write()
	})

// lookAtMade reads the pipeline's result for the rows of a partition.
var lookAtMade = distributed.RegisterRaw("prepare.made",
	func(t *engine.Task, c lookConf, each func(func(source.Rows) error) error, out engine.Writer) error {
		l := &looker{c, c.empty(), out, c.Of.BadRows()}
		if err := each(func(rows source.Rows) error { return l.made(t, rows) }); err != nil {
			return err
		}
		return l.write()
	})

// write writes what was found since it was written last.
func (l *looker) write() error {
	if l.profiler == nil && l.Profile != nil {
		return nil // there are no rows
	}
	b, err := l.encode()
	if err != nil {
		return err
	}
	known := l.known
	l.sight = l.empty()
	l.known = known
	return l.out.Write(engine.Unindexed(b))
}

// raw looks at rows as they are.
func (l *looker) raw(t *engine.Task, rows source.Rows) (err error) {
	schema := rows.Schema()
	if l.Profile != nil && l.profiler == nil {
		if l.profiler, err = analysis.NewProfiler(schema, *l.Profile); err != nil {
			return engine.Permanent(err)
		}
	}
	at, split := make([]int, len(l.Labels)), -1
	for k, name := range l.Labels {
		if at[k], err = schema.Find(name); err != nil {
			return engine.Permanent(err)
		}
	}
	if l.Split != "" {
		if split, err = schema.Find(l.Split); err != nil {
			return engine.Permanent(err)
		}
	}
	return eachRow(t, rows, l.bad, func(item pipeline.Item) error {
		row := item.Row
		if item.Sequence != nil {
			if len(item.Sequence) == 0 {
				return emptySequence(rows.Place())
			}
			var err error
			if item.Sequence, _, err = source.FillLabels(item.Sequence, at); err != nil {
				return fmt.Errorf("%s: %w", rows.Place(), err)
			}
			row = item.Sequence[0]
		}
		if err := l.item(row, item.Sequence, at, rows.Place); err != nil {
			return err
		}
		if split >= 0 {
			text := textOf(row[split])
			if text == "" {
				return missingOfSplit(rows.Place(), l.Split, l.SplitTitle)
			}
			l.Splits = append(l.Splits, text)
		}
		if l.profiler != nil {
			return l.profiler.Add(item, rows.Place)
		}
		return nil
	})
}

// item takes the labels of a row, or of a sequence's steps. row is the first step.
func (l *looker) item(row pipeline.Row, steps []pipeline.Row, at []int, place func() string) error {
	l.Rows++
	for k, i := range at {
		text := labelOf(i, row, steps, func(text string) { note(l.Changes[k], text) })
		if text == "" && l.Gaps[k] == "" {
			l.Gaps[k] = place()
		}
		l.label(l.sight, k, text)
		if l.ByLabel {
			l.Splits = append(l.Splits, text)
		}
	}
	if l.Rows == sightRows && l.Profile == nil {
		return l.write()
	}
	return nil
}

// made looks at what the pipeline makes of rows.
func (l *looker) made(t *engine.Task, rows source.Rows) error {
	p, err := pipeline.Parse(l.Pipeline)
	if err != nil {
		return engine.Permanent(err)
	}
	plan, err := p.Bind()
	if err != nil {
		return engine.Permanent(err)
	}
	if rows, _, err = source.Match(rows, plan.In()); err != nil {
		return engine.Permanent(err)
	}
	at := make([]int, len(l.Labels))
	for k, name := range l.Labels {
		if at[k], err = plan.Out().Find(name); err != nil {
			return engine.Permanent(err)
		}
	}
	var raw []int
	for _, name := range l.Raw {
		if i := plan.In().Index(name); i >= 0 {
			raw = append(raw, i)
		}
	}
	run := plan.Start(func(item pipeline.Item) error {
		if item.Sequence == nil {
			return l.item(item.Row, nil, at, rows.Place)
		}
		for _, row := range item.Sequence {
			if err := l.item(row, nil, at, rows.Place); err != nil {
				return err
			}
			for k, i := range at {
				if text := textOf(row[i]); text != textOf(item.Sequence[0][i]) {
					note(l.Changes[k], text)
				}
			}
		}
		return nil
	})
	return eachRow(t, rows, l.bad, func(item pipeline.Item) (err error) {
		if item.Sequence != nil {
			if item.Sequence, _, err = source.FillLabels(item.Sequence, raw); err != nil {
				return fmt.Errorf("%s: %w", rows.Place(), err)
			}
		}
		if err := run.Push(item); err != nil {
			return l.bad.Refuse(fmt.Errorf("%s: %w", rows.Place(), err))
		}
		return nil
	})
}

// eachRow calls take with the rows that are not skipped. Its errors are permanent.
func eachRow(t *engine.Task, rows source.Rows, bad *source.BadRows, take func(pipeline.Item) error) error {
	for {
		if err := t.Context().Err(); err != nil {
			return err
		}
		item, err := rows.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = take(item)
		} else {
			err = bad.Allow(err)
		}
		if err != nil {
			return engine.Permanent(source.Advise(err))
		}
	}
}

// mergeSights merges the results of neighbouring partitions.
var mergeSights = engine.Register("prepare.merge",
	func(_ *engine.Task, c lookConf, in engine.Rows, out engine.Writer) error {
		s := c.empty()
		for row, err := range engine.All(in) {
			if err != nil {
				return err
			}
			if err := c.merge(s, row.Bytes); err != nil {
				return engine.Permanent(err)
			}
		}
		b, err := s.encode()
		if err != nil {
			return err
		}
		return out.Write(engine.Unindexed(b))
	})

// tokensConf names a column of data.
type tokensConf struct {
	Of     source.Name
	Column string
}

// countTokens counts the tokens of a column.
var countTokens = distributed.RegisterRaw("prepare.tokens",
	func(t *engine.Task, c tokensConf, each func(func(source.Rows) error) error, out engine.Writer) error {
		counts, bad := map[string]int{}, c.Of.BadRows()
		err := each(func(rows source.Rows) error {
			at, err := rows.Schema().Find(c.Column)
			if err != nil {
				return engine.Permanent(err)
			}
			return eachRow(t, rows, bad, func(item pipeline.Item) error {
				for _, row := range item.Sequence {
					counts[row[at].String()]++
				}
				if err := tooManyTokens(counts, c.Column); err != nil {
					return fmt.Errorf("%s: %w", rows.Place(), err)
				}
				return nil
			})
		})
		if err != nil {
			return err
		}
		b, err := json.Marshal(counts)
		if err != nil {
			return err
		}
		return out.Write(engine.Unindexed(b))
	})
