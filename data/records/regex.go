package records

import (
	"context"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
)

// RegexOptions are settings of [RegexLines] and [RegexSequences].
type RegexOptions struct {
	Skip int // number of lines to skip at the beginning of the first file, or of each sequence
	// PassOver skips lines that the expression does not match. Otherwise they are errors.
	PassOver bool
}

// RegexLines reads a row from each line, by a regular expression that must match the whole line. The columns are its
// groups, with their names, or their numbers from 0. A group without a match is null.
func RegexLines(ctx context.Context, path string, expression *regexp.Regexp, o RegexOptions) (source.Rows, error) {
	l, err := openLines(ctx, path, o.Skip)
	if err != nil {
		return nil, err
	}
	s, err := groupColumns(expression)
	if err != nil {
		l.Close()
		return nil, err
	}
	return &regexLines{lines: l, whole: whole(expression), passOver: o.PassOver, schema: s}, nil
}

// whole is an expression that matches whole texts.
func whole(e *regexp.Regexp) *regexp.Regexp {
	const begin, end = `\A(?:`, `)\z`
	if w, err := regexp.Compile(begin + e.String() + end); err == nil {
		return w
	}
	parsed, err := syntax.Parse(e.String(), syntax.Perl) // it ends in a quotation that begins with \Q
	if err != nil {
		panic(err) // it was compiled before
	}
	return regexp.MustCompile(begin + parsed.String() + end)
}

// groupColumns are the columns of an expression's groups.
func groupColumns(e *regexp.Regexp) (*pipeline.Schema, error) {
	s := &pipeline.Schema{}
	for i, name := range e.SubexpNames()[1:] {
		if name == "" {
			name = strconv.Itoa(i)
		}
		s.Columns = append(s.Columns, pipeline.StringColumn{Name: name})
	}
	if len(s.Columns) == 0 {
		return nil, fmt.Errorf("the expression %v has no group, so that lines have no columns", e)
	}
	return s, s.Check()
}

type regexLines struct {
	*lines
	whole    *regexp.Regexp
	passOver bool
	schema   *pipeline.Schema

	trims bool // empty lines at the end are no lines
	empty int  // empty lines that come before ahead
	ahead []string
}

func (r *regexLines) Schema() *pipeline.Schema { return r.schema }

// Next reads the next line that matches.
func (r *regexLines) Next() (item pipeline.Item, err error) {
	for {
		line, err := r.text()
		if err != nil {
			return item, err
		}
		if item.Row = matched(r.whole, line); item.Row == nil && r.passOver {
			continue
		}
		if item.Row == nil {
			return item, &source.RowError{Err: fmt.Errorf("%s: the expression %v does not match the line %.80q", r.Place(),
				r.whole, line)}
		}
		return item, nil
	}
}

// text returns the next line.
func (r *regexLines) text() (string, error) {
	if !r.trims {
		return r.next()
	}
	for len(r.ahead) == 0 {
		line, err := r.next()
		if err != nil {
			return "", err
		}
		if line == "" {
			r.empty++
		} else {
			r.ahead = append(r.ahead, line)
		}
	}
	if r.empty > 0 {
		r.empty--
		return "", nil
	}
	line := r.ahead[0]
	r.ahead = nil
	return line, nil
}

// RegexSequences reads sequences. Each file is a sequence, and its lines are the steps, as [RegexLines] reads them.
// Empty lines at the end of a file are left out.
func RegexSequences(ctx context.Context, paths []string, expression *regexp.Regexp, o RegexOptions) (source.Rows,
	error) {
	s, err := groupColumns(expression)
	if err != nil {
		return nil, err
	}
	s.Sequence = true
	return &fileSequences{paths: paths, schema: s, open: func(path string) (source.Rows, error) {
		rows, err := RegexLines(ctx, path, expression, o)
		if err == nil {
			rows.(*regexLines).trims = true
		}
		return rows, err
	}}, nil
}

// Groups replaces columns by the groups of regular expressions. There must be one expression for each column; nil keeps
// the column. An expression must match the whole value. The new columns are named 0, 1, 2, ….
func Groups(rows source.Rows, expressions ...*regexp.Regexp) (source.Rows, error) {
	if n := len(rows.Schema().Columns); n != len(expressions) || rows.Schema().Sequence {
		return nil, fmt.Errorf("there are %d expressions for rows of %d columns", len(expressions), n)
	}
	g := &grouped{Rows: rows}
	for i, e := range expressions {
		n := 1
		if e != nil {
			n, e = e.NumSubexp(), whole(e)
		}
		if n == 0 {
			return nil, fmt.Errorf("the expression %v of column %d has no group, so that nothing of the column would stay",
				expressions[i], i)
		}
		for range n {
			g.schema.Columns = append(g.schema.Columns, pipeline.StringColumn{Name: strconv.Itoa(len(g.schema.Columns))})
		}
		g.expressions = append(g.expressions, e)
	}
	return g, g.schema.Check()
}

type grouped struct {
	source.Rows
	expressions []*regexp.Regexp
	schema      pipeline.Schema
}

func (g *grouped) Schema() *pipeline.Schema { return &g.schema }

// Next reads the next row.
func (g *grouped) Next() (item pipeline.Item, err error) {
	of, err := g.Rows.Next()
	if err != nil {
		return item, err
	}
	for i, e := range g.expressions {
		if e == nil {
			item.Row = append(item.Row, of.Row[i])
			continue
		}
		found := matched(e, of.Row[i].String())
		if found == nil {
			return item, &source.RowError{Err: fmt.Errorf("%s: column %q: the expression %v does not match %.80q", g.Place(),
				g.Rows.Schema().Columns[i].Title(), e, of.Row[i].String())}
		}
		item.Row = append(item.Row, found...)
	}
	return item, nil
}

// matched are the groups of an expression in a text, or nil if it does not match.
func matched(e *regexp.Regexp, text string) (groups pipeline.Row) {
	at := e.FindStringSubmatchIndex(text)
	for i := 2; i < len(at); i += 2 {
		v := pipeline.Null()
		if at[i] >= 0 {
			v = pipeline.Text(text[at[i]:at[i+1]])
		}
		groups = append(groups, v)
	}
	return groups
}
