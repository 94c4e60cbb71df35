package serving

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/serve"
)

// NamedAnswer is the answer for a row: a class with the probabilities by name, or values by name. The answer for a
// sequence may have an answer for each of its steps.
type NamedAnswer struct {
	Class         string             `json:"class,omitempty"`
	Probability   *float64           `json:"probability,omitempty"`
	Probabilities map[string]float64 `json:"probabilities,omitempty"`
	Values        map[string]float64 `json:"values,omitempty"`
	Steps         []NamedAnswer      `json:"steps,omitempty"`
}

// namedAnswer returns an answer in the form for JSON.
func namedAnswer(a serve.Answer) NamedAnswer {
	if a.Class.Name == "" {
		return NamedAnswer{Values: a.Values}
	}
	return NamedAnswer{Class: a.Class.Name, Probability: &a.Class.Probability, Probabilities: a.Values}
}

// Answer answers rows or sequences of named columns in JSON.
func (r *Repository) Answer(ctx context.Context, name, version string, body []byte) (all []NamedAnswer, err error) {
	m, done, err := r.use(name, version)
	if err != nil {
		return nil, err
	}
	defer done()
	begin := time.Now()
	defer func() { r.metrics.answered(m.Spec, begin, err) }()
	about(ctx, m)
	if m.predictor.TakesSequences() {
		return m.answerSequences(ctx, body)
	}
	rows, err := rowsOf(body, columnNames(m))
	if err != nil {
		return nil, err
	}
	if err := m.admit(ctx, len(rows), 1); err != nil {
		return nil, err
	}
	answers, err := m.predictor.PredictRows(ctx, rows...)
	if err != nil {
		return nil, explained(err)
	}
	for _, a := range answers {
		all = append(all, namedAnswer(a))
	}
	return all, nil
}

// admit reserves the memory of an answer with names for this many rows, or for sequences of this many steps each.
func (m *Model) admit(ctx context.Context, rows, steps int) error {
	asked(ctx, rows)
	names := m.predictor.Names()
	text := 0
	for _, name := range slices.Concat(names.Classes, names.Labels) {
		text += 8 + len(name)
	}
	return takeAnswer(ctx, m.numbers(rows, steps)+int64(rows)*int64(steps)*int64(text)/perNumber)
}

// answerSequences answers sequences.
func (m *Model) answerSequences(ctx context.Context, body []byte) (all []NamedAnswer, err error) {
	sequences, err := sequencesOf(body)
	if err != nil {
		return nil, err
	}
	longest := 0
	for _, s := range sequences {
		longest = max(longest, len(s))
	}
	if err := m.admit(ctx, len(sequences), longest); err != nil {
		return nil, err
	}
	answers, err := m.predictor.PredictSequences(ctx, sequences...)
	if err != nil {
		return nil, explained(err)
	}
	for _, a := range answers {
		if a.Steps == nil {
			all = append(all, namedAnswer(a.Answer))
			continue
		}
		steps := make([]NamedAnswer, len(a.Steps))
		for i, step := range a.Steps {
			steps[i] = namedAnswer(step)
		}
		all = append(all, NamedAnswer{Steps: steps})
	}
	return all, nil
}

// objectOf reads a body that is one object; example is shown in the error.
func objectOf(body []byte, example string) (one map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&one); err != nil {
		return nil, badf("the body is not a JSON object, such as %s: %w", example, misfit(err))
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, badf("there is more than one JSON object in the body")
	}
	return one, nil
}

// rowsOf reads {"rows": […]}, or an object that is the only row. TensorFlow Serving calls the rows instances. A row is
// an object, or a list with a value for each of the columns, in their order.
func rowsOf(body []byte, columns []string) ([]map[string]any, error) {
	const example = `{"rows": [{"COLUMN": VALUE}]}`
	one, err := objectOf(body, example)
	if err != nil {
		return nil, err
	}
	for _, key := range []string{"rows", "instances"} {
		list, several := one[key].([]any)
		switch _, there := one[key]; {
		case there && !several && !slices.Contains(columns, key):
			return nil, badf("%q is not a list; give one, such as %s", key, example)
		case !several:
			continue
		}
		for i, v := range list {
			if values, ok := v.([]any); ok {
				if list[i], err = namedRow(values, i, columns); err != nil {
					return nil, err
				}
			}
		}
		return objects(list, "row")
	}
	if _, tensors := one["inputs"]; tensors && !slices.Contains(columns, "inputs") {
		return nil, badf(`the body has inputs, and this path takes rows, such as %s; POST /v2/models/NAME/infer takes tensors`,
			example)
	}
	if _, several := one["sequences"]; several && !slices.Contains(columns, "sequences") {
		return nil, badf("the body has sequences, and the model takes rows, such as %s", example)
	}
	return []map[string]any{one}, nil
}

// namedRow names the values of a row.
func namedRow(values []any, at int, columns []string) (map[string]any, error) {
	switch {
	case columns == nil:
		return nil, badf("row %d is a list, and the model has no columns; POST /v2/models/NAME/infer takes tensors", at)
	case len(values) != len(columns):
		return nil, badf("row %d is a list of %d values; the model takes %d columns: %s", at, len(values), len(columns),
			data.ShortList(columns))
	}
	row := map[string]any{}
	for i, v := range values {
		row[columns[i]] = v
	}
	return row, nil
}

// sequencesOf reads {"sequences": [{"steps": […]}, …]}, or the object of the only sequence.
func sequencesOf(body []byte) ([][]map[string]any, error) {
	const example = `{"sequences": [{"steps": [{"COLUMN": VALUE}]}]}`
	one, err := objectOf(body, example)
	if err != nil {
		return nil, err
	}
	all := []map[string]any{one}
	if list, several := one["sequences"].([]any); several {
		if all, err = objects(list, "sequence"); err != nil {
			return nil, err
		}
	}
	sequences := make([][]map[string]any, len(all))
	for i, s := range all {
		steps, ok := s["steps"].([]any)
		if !ok {
			return nil, badf("sequence %d has no list of steps; the model takes sequences, such as %s", i, example)
		}
		if sequences[i], err = objects(steps, fmt.Sprintf("sequence %d: step", i)); err != nil {
			return nil, err
		}
	}
	return sequences, nil
}

// objects returns the elements of a list, which must be objects.
func objects(list []any, what string) ([]map[string]any, error) {
	all := make([]map[string]any, len(list))
	for i, v := range list {
		one, ok := v.(map[string]any)
		if !ok {
			return nil, badf(`%s %d is not a JSON object, such as {"COLUMN": VALUE}`, what, i)
		}
		all[i] = one
	}
	return all, nil
}
