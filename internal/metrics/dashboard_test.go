package metrics

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// checkDashboard checks that the queries and legends of the dashboard only use the figures of training and
// coordinators, and their labels. Prometheus itself adds instance. The figures of serving are tested in their own
// package.
func checkDashboard(t *testing.T, served prometheus.Gatherer) {
	families, err := served.Gather()
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]map[string]bool{}
	for _, f := range families {
		has := map[string]bool{"instance": true}
		for _, l := range f.Metric[0].Label {
			has[l.GetName()] = true
		}
		labels[f.GetName()] = has
		if f.Metric[0].Histogram != nil {
			labels[f.GetName()+"_bucket"] = has
		}
	}
	text, err := os.ReadFile("../../examples/grafana/dl4go.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Targets []struct{ Expr, LegendFormat string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	selected := regexp.MustCompile(`([a-z0-9_]+)\{([^}]*)\}`)
	legend := regexp.MustCompile(`\{\{([a-z_]+)\}\}`)
	queries := 0
	for _, p := range dashboard.Panels {
		for _, q := range p.Targets {
			if strings.Contains(q.Expr, "dl4go_serve_") {
				continue
			}
			found := selected.FindStringSubmatch(q.Expr)
			if found == nil || labels[found[1]] == nil {
				t.Errorf("%s draws no figure that is served", q.Expr)
				continue
			}
			queries++
			var names []string
			for _, pair := range strings.Split(found[2], ",") {
				name, _, _ := strings.Cut(pair, "=")
				names = append(names, strings.TrimRight(name, "!"))
			}
			for _, l := range legend.FindAllStringSubmatch(q.LegendFormat, -1) {
				names = append(names, l[1])
			}
			for _, name := range names {
				if !labels[found[1]][name] {
					t.Errorf("%s: %s has no label %s", q.Expr, found[1], name)
				}
			}
		}
	}
	if queries < 15 {
		t.Errorf("%d queries", queries)
	}
}
