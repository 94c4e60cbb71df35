package serving

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// TestDashboard: the serving figures that the dashboard of examples/grafana shows exist, with their labels.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("../../examples/grafana/dl4go.json")
	if err != nil {
		t.Fatal(err)
	}
	m := newMetrics(&Repository{})
	described := make(chan *prometheus.Desc, 100)
	for _, c := range []prometheus.Collector{m.requests, m.seconds, m.batches, m.compute, m.waited, m} {
		c.Describe(described)
	}
	close(described)
	labels := map[string][]string{}
	for d := range described {
		found := regexp.MustCompile(`fqName: "(.*?)".*variableLabels: \{(.*?)\}`).FindStringSubmatch(d.String())
		labels[found[1]] = strings.Split(found[2], ",")
	}
	query := regexp.MustCompile(`(dl4go_serve_[a-z_]+)\{[^\n]*\n *"legendFormat": "(.*)"`)
	queries := query.FindAllStringSubmatch(string(text), -1)
	if len(queries) < 4 {
		t.Errorf("%d queries", len(queries))
	}
	for _, q := range queries {
		has := labels[strings.TrimSuffix(q[1], "_bucket")]
		if has == nil {
			t.Errorf("the dashboard draws %s, which is not served", q[1])
		}
		for _, l := range regexp.MustCompile(`\{\{([a-z_]+)\}\}`).FindAllStringSubmatch(q[2], -1) {
			if l[1] != "instance" && !slices.Contains(has, l[1]) {
				t.Errorf("%s has no label %s: %v", q[1], l[1], has)
			}
		}
	}
}
