package serving

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"time"
)

// NamedAnswer is the answer about a row: a class with the probabilities by name, or values by name.
type NamedAnswer struct {
	Class         string             `json:"class,omitempty"`
	Probability   *float64           `json:"probability,omitempty"`
	Probabilities map[string]float64 `json:"probabilities,omitempty"`
	Values        map[string]float64 `json:"values,omitempty"`
}

// Answer answers about rows of named columns in JSON.
func (r *Repository) Answer(ctx context.Context, name, version string, body []byte) (all []NamedAnswer, err error) {
	m, done, err := r.use(name, version)
	if err != nil {
		return nil, err
	}
	defer done()
	begin := time.Now()
	defer func() { r.metrics.answered(m.Spec, begin, err) }()
	rows, err := rowsOf(body)
	if err != nil {
		return nil, err
	}
	answers, err := m.predictor.PredictRows(ctx, rows...)
	if err != nil {
		return nil, explained(err)
	}
	for _, a := range answers {
		if a.Class.Name == "" {
			all = append(all, NamedAnswer{Values: a.Values})
			continue
		}
		all = append(all, NamedAnswer{Class: a.Class.Name, Probability: &a.Class.Probability, Probabilities: a.Values})
	}
	return all, nil
}

// rowsOf reads {"rows": […]}, or an object that is the only row.
func rowsOf(body []byte) ([]map[string]any, error) {
	var one map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&one); err != nil {
		return nil, badf(`the body is no JSON object, such as {"rows": [{"COLUMN": VALUE}]}: %w`, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, badf("there is more than one JSON object in the body")
	}
	list, several := one["rows"].([]any)
	if !several {
		return []map[string]any{one}, nil
	}
	rows := make([]map[string]any, len(list))
	for i, v := range list {
		row, ok := v.(map[string]any)
		if !ok {
			return nil, badf(`row %d is no JSON object, such as {"COLUMN": VALUE}`, i)
		}
		rows[i] = row
	}
	return rows, nil
}
