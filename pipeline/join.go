package pipeline

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
)

// JoinType says which rows a [Join] returns.
type JoinType string

// The types of joins, with DataVec's names.
const (
	InnerJoin      JoinType = "Inner"      // pairs of partners
	LeftOuterJoin  JoinType = "LeftOuter"  // and left rows without a partner
	RightOuterJoin JoinType = "RightOuter" // pairs, and right rows without a partner
	FullOuterJoin  JoinType = "FullOuter"  // pairs, and all rows without a partner
)

// Join combines rows of two tables that have equal values in their key columns (org.datavec.api.transform.join.Join).
// The first left key is compared with the first right key, and so on. Keys are compared as values: the texts "2" and
// "02" differ, null equals null, and NaN equals nothing. The result has the left columns, followed by the right ones
// without their keys. If a row has no partner, the columns of the other table are null. DataVec differs: it drops
// tables that only have keys, and mixes up two keys of a right row without a partner.
type Join struct {
	Type      JoinType `dl4j:"joinType"`
	LeftKeys  []string `dl4j:"joinColumnsLeft"`
	RightKeys []string `dl4j:"joinColumnsRight"` // as many as LeftKeys; nil is the same names
	// Left and Right are the columns of the tables, for files without names or types; nil if the files have them.
	Left  *Schema `dl4j:"leftSchema"`
	Right *Schema `dl4j:"rightSchema"`
}

// ParseJoin reads a join as JSON or YAML:
//
//	{"joinType": "LeftOuter", "joinColumnsLeft": ["id"], "joinColumnsRight": ["customer"]}
//
// leftSchema and rightSchema are optional.
func ParseJoin(text []byte) (*Join, error) {
	tree, err := parseTree(text)
	if err != nil {
		return nil, err
	}
	j := &Join{Type: InnerJoin}
	if err := dl4j.FromTree(tree, j); err != nil {
		return nil, err
	}
	return j, nil
}

// JSON returns the format that [ParseJoin] reads.
func (j *Join) JSON() ([]byte, error) { return dl4j.Marshal(j) }

// JoinPlan is a [Join] of two tables. It is safe for concurrent use: each [JoinPlan.Start] is an independent run.
type JoinPlan struct {
	left, right, out   *Schema
	leftKeys           []int
	rightKeys          []int
	rightRest          []int // the right columns in the result
	allLeft, allRight  bool
	leftWide, outWidth int
}

// Bind checks the join against the columns of both tables.
func (j *Join) Bind(left, right *Schema) (*JoinPlan, error) {
	p := &JoinPlan{left: left, right: right, leftWide: len(left.Columns)}
	rightNames := j.RightKeys
	if rightNames == nil {
		rightNames = j.LeftKeys
	}
	switch {
	case left.Sequence || right.Sequence:
		return nil, errors.New("join: it is for rows, and sequences come to it; convert them with convertFromSequence before")
	case len(j.LeftKeys) == 0 || len(j.LeftKeys) != len(rightNames):
		return nil,
			fmt.Errorf("join: there are %d keys of the left table and %d of the right one; give as many, and at least one",
				len(j.LeftKeys), len(rightNames))
	}
	switch j.Type {
	case InnerJoin, LeftOuterJoin, RightOuterJoin, FullOuterJoin:
		p.allLeft = j.Type == LeftOuterJoin || j.Type == FullOuterJoin
		p.allRight = j.Type == RightOuterJoin || j.Type == FullOuterJoin
	default:
		return nil, fmt.Errorf("join: there is no joinType %q: there are Inner, LeftOuter, RightOuter and FullOuter",
			string(j.Type))
	}
	var err error
	if p.leftKeys, err = left.findAll(j.LeftKeys); err != nil {
		return nil, fmt.Errorf("join: the left table: %w", err)
	}
	if p.rightKeys, err = right.findAll(rightNames); err != nil {
		return nil, fmt.Errorf("join: the right table: %w", err)
	}
	columns := slices.Clone(left.Columns)
	for i, c := range right.Columns {
		if !slices.Contains(p.rightKeys, i) {
			p.rightRest = append(p.rightRest, i)
			columns = append(columns, c)
		}
	}
	p.out, p.outWidth = &Schema{Columns: columns}, len(columns)
	if err := p.out.Check(); err != nil {
		return nil, fmt.Errorf("join: %w in the left and the right table; rename one", err)
	}
	return p, nil
}

// Out returns the columns of the result.
func (p *JoinPlan) Out() *Schema { return p.out }

// JoinRun is one run of a [JoinPlan]. Only one goroutine may use it. First push all right rows, which stay in memory,
// and then the left rows, which do not.
type JoinRun struct {
	plan  *JoinPlan
	keys  *keys
	right []partners // by group of keys
	rows  []Row      // right rows, in order
	of    []int      // and their groups
	emit  func(Row) error
}

// partners are the right rows with the same keys, by their indices.
type partners struct {
	rows    []int
	matched bool
}

// Start begins a run. emit receives the rows of the result and owns them: first the left rows in their order, each
// with its partners in their order, and then the right rows without a partner.
func (p *JoinPlan) Start(emit func(Row) error) *JoinRun {
	return &JoinRun{plan: p, keys: newKeys(p.rightKeys), emit: emit}
}

func width(side string, r Row, s *Schema) error {
	if len(r) != len(s.Columns) {
		return fmt.Errorf("join: a row with %d values: the %s table has %d columns", len(r), side, len(s.Columns))
	}
	return nil
}

// PushRight adds a row of the right table, which the run owns from then on.
func (r *JoinRun) PushRight(row Row) error {
	if err := width("right", row, r.plan.right); err != nil {
		return err
	}
	at, isNew := r.keys.group(row, r.plan.rightKeys)
	if isNew {
		r.right = append(r.right, partners{})
	}
	r.right[at].rows = append(r.right[at].rows, len(r.rows))
	r.rows, r.of = append(r.rows, row), append(r.of, at)
	return nil
}

// PushLeft adds a row of the left table. All right rows must have been pushed.
func (r *JoinRun) PushLeft(row Row) error {
	if err := width("left", row, r.plan.left); err != nil {
		return err
	}
	at := r.keys.find(row, r.plan.leftKeys)
	if at < 0 {
		if !r.plan.allLeft {
			return nil
		}
		return r.emit(append(row, make(Row, len(r.plan.rightRest))...))
	}
	r.right[at].matched = true
	for _, i := range r.right[at].rows {
		out := append(make(Row, 0, r.plan.outWidth), row...)
		if err := r.emit(r.plan.appendRight(out, r.rows[i])); err != nil {
			return err
		}
	}
	return nil
}

func (p *JoinPlan) appendRight(to, right Row) Row {
	for _, c := range p.rightRest {
		to = append(to, right[c])
	}
	return to
}

// Close ends the run. If the type of the join includes them, it emits right rows without a partner, with their keys in
// the left key columns.
func (r *JoinRun) Close() error {
	if !r.plan.allRight {
		return nil
	}
	for i, row := range r.rows {
		if r.right[r.of[i]].matched {
			continue
		}
		out := make(Row, r.plan.leftWide, r.plan.outWidth)
		for k, c := range r.plan.leftKeys {
			out[c] = row[r.plan.rightKeys[k]]
		}
		if err := r.emit(r.plan.appendRight(out, row)); err != nil {
			return err
		}
	}
	return nil
}
