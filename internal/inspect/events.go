package inspect

import "slices"

// Events returns the report for programs: the notices, then an event for each column.
func (r *Report) Events() (all []map[string]any) {
	for _, n := range r.Table.Notices {
		all = append(all, map[string]any{"event": "notice", "column": n.Column, "kind": n.Kind, "text": n.Text})
	}
	for i := range r.Table.Columns {
		c := &r.Table.Columns[i]
		d := r.Decision(c.Name)
		all = append(all, map[string]any{"event": "column", "name": c.Name, "profile": c, "action": d.Action,
			"reason": d.Reason,
			"out":    slices.Concat([]string{}, d.Out), "label": slices.Contains(r.Table.Label, c.Name)})
	}
	return all
}

// Done returns the last event.
func (r *Report) Done() map[string]any {
	e := map[string]any{"data": r.Data, "rows": r.Table.Rows, "columns": len(r.Table.Columns)}
	if r.Problem != nil {
		e["problem"] = r.Problem.Error()
	}
	if p := r.Proposal; p != nil {
		e["task"], e["features"], e["labels"] = p.Task, p.Features, p.Labels
		if p.Classes != nil {
			e["classes"] = p.Classes
		}
		if p.Scale != nil {
			e["scale"] = p.Scale
		}
	}
	return e
}
