package pipeline

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
)

// Parse reads a pipeline: the JSON or YAML of DataVec's TransformProcess. It does not bind it: see [Pipeline.Bind].
func Parse(text []byte) (*Pipeline, error) {
	tree, err := parseTree(text)
	if err != nil {
		return nil, err
	}
	p := &Pipeline{}
	if err := p.UnmarshalTree(tree); err != nil {
		return nil, err
	}
	return p, nil
}

// ParseSchema reads a schema: the JSON or YAML of DataVec's Schema or SequenceSchema.
func ParseSchema(text []byte) (*Schema, error) {
	tree, err := parseTree(text)
	if err != nil {
		return nil, err
	}
	s := &Schema{}
	if err := s.UnmarshalTree(tree); err != nil {
		return nil, err
	}
	return s, nil
}

func parseTree(text []byte) (any, error) {
	if begins := bytes.TrimLeft(text, " \t\r\n"); len(begins) > 0 && begins[0] == '{' {
		return dl4j.Parse(string(text))
	}
	return dl4j.ParseYAML(string(text))
}

// JSON returns the pipeline in DataVec's format.
func (p *Pipeline) JSON() ([]byte, error) { return dl4j.Marshal(p) }

// YAML returns the pipeline in the format of DataVec's YAML mapper.
func (p *Pipeline) YAML() ([]byte, error) {
	tree, err := dl4j.ToTree(p)
	if err != nil {
		return nil, err
	}
	return dl4j.FormatYAML(tagReducers(tree))
}

// tagReducers turns the objects around reducers' settings into classes, which become tags in YAML.
func tagReducers(tree any) any {
	switch v := tree.(type) {
	case []any:
		for i := range v {
			v[i] = tagReducers(v[i])
		}
	case dl4j.Object:
		for i := range v {
			v[i].Value = tagReducers(v[i].Value)
		}
		if inner, ok := v.Get(reducerName); ok && len(v) == 1 {
			if o, ok := inner.(dl4j.Object); ok {
				return append(dl4j.Object{{Name: "@class", Value: reducerName}}, o...)
			}
		}
	}
	return tree
}

// JSON returns the schema in DataVec's format.
func (s *Schema) JSON() ([]byte, error) { return dl4j.Marshal(s) }

// YAML returns the schema in the format of DataVec's Schema.toYaml.
func (s *Schema) YAML() ([]byte, error) {
	tree, err := s.MarshalTree()
	if err != nil {
		return nil, err
	}
	return dl4j.FormatYAML(tree)
}

// action is a step in a file: an object with one member.
type action struct {
	Transform Transform `dl4j:"transform,omitnull"`
	Filter    Filter    `dl4j:"filter,omitnull"`

	ToSequences   *ToSequences   `dl4j:"convertToSequence,omitnull"`
	FromSequences *FromSequences `dl4j:"convertFromSequence,omitnull"`
	Split         Split          `dl4j:"sequenceSplit,omitnull"`
	Reduce        *Reduce        `dl4j:"reducer,omitnull"`
	Rank          ranker         `dl4j:"calculateSortedRank,omitnull"`
}

// step returns the step that is set, or nil.
func (a action) step() Step {
	switch {
	case a.Transform != nil:
		return a.Transform
	case a.Filter != nil:
		return a.Filter
	case a.ToSequences != nil:
		return *a.ToSequences
	case a.FromSequences != nil:
		return *a.FromSequences
	case a.Split != nil:
		return a.Split
	case a.Reduce != nil:
		return a.Reduce
	case a.Rank != nil:
		return a.Rank
	}
	return nil
}

// MarshalTree returns DataVec's format.
func (p Pipeline) MarshalTree() (any, error) {
	actions := make([]any, len(p.Steps))
	for i, s := range p.Steps {
		tree, err := actionTree(s)
		if err != nil {
			return nil, &StepError{i + 1, stepName(s), err}
		}
		actions[i] = tree
	}
	initial, err := p.Initial.MarshalTree()
	return dl4j.Object{{Name: "actionList", Value: actions}, {Name: "initialSchema", Value: initial}}, err
}

func actionTree(s Step) (any, error) {
	if _, ok := transforms.NameOf(s); ok {
		return dl4j.ToTree(action{Transform: s})
	}
	if _, ok := filters.NameOf(s); ok {
		return dl4j.ToTree(action{Filter: s})
	}
	if _, ok := splits.NameOf(s); ok {
		return dl4j.ToTree(action{Split: s})
	}
	switch s := s.(type) {
	case ToSequences:
		return dl4j.ToTree(action{ToSequences: &s})
	case FromSequences:
		return dl4j.ToTree(action{FromSequences: &s})
	case *Reduce:
		return dl4j.ToTree(action{Reduce: s})
	case SortedRank:
		return dl4j.ToTree(action{Rank: s})
	}
	return nil, fmt.Errorf("%T is not registered: call RegisterTransform or RegisterFilter", s)
}

// UnmarshalTree reads DataVec's format.
func (p *Pipeline) UnmarshalTree(tree any) error {
	o, ok := modern(tree, "").(dl4j.Object)
	if !ok {
		return fmt.Errorf("a pipeline is an object with the members initialSchema and actionList")
	}
	*p = Pipeline{}
	var actions []any
	for _, m := range o {
		switch m.Name {
		case "initialSchema":
			if err := p.Initial.UnmarshalTree(m.Value); err != nil {
				return fmt.Errorf("initialSchema: %w", err)
			}
		case "actionList":
			if actions, ok = m.Value.([]any); !ok {
				return fmt.Errorf("actionList is not a list")
			}
		default:
			return fmt.Errorf("unknown member %q of a pipeline: there are initialSchema and actionList", m.Name)
		}
	}
	if len(p.Initial.Columns) == 0 {
		return fmt.Errorf("the pipeline has no initialSchema with columns")
	}
	for i, a := range actions {
		s, err := parseAction(withoutState(a))
		if err != nil {
			return fmt.Errorf("actionList[%d]: %w", i, err)
		}
		p.Steps = append(p.Steps, s)
	}
	return nil
}

func parseAction(tree any) (Step, error) {
	o, ok := tree.(dl4j.Object)
	if !ok || len(o) != 1 {
		return nil, fmt.Errorf("an object with one member should be here, which says what the step is")
	}
	var a action
	if err := dl4j.FromTree(o, &a); err != nil {
		return nil, err
	}
	s := a.step()
	if s == nil {
		return nil, fmt.Errorf("the step is null")
	}
	return s, nil
}

// withoutState removes the state that DataVec writes beside the settings, which steps derive from their columns.
// Objects without a class are maps, whose names are the user's.
func withoutState(tree any) any {
	switch v := tree.(type) {
	case []any:
		for i := range v {
			v[i] = withoutState(v[i])
		}
	case dl4j.Object:
		_, classed := v.Get("@class")
		_, window := v.Get("windowSize")
		kept := v[:0]
		for _, m := range v {
			switch {
			case !classed:
			case m.Name == "inputSchema", m.Name == "columnNumber", m.Name == "leftOverColumns", m.Name == "columnIdx",
				m.Name == "inputTimeZone", window && m.Name == "timeZone", strings.HasSuffix(m.Name, "Milliseconds"):
				continue
			}
			m.Value = withoutState(m.Value)
			kept = append(kept, m)
		}
		return kept
	}
	return tree
}
