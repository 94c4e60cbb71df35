package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// workload is the part of a Deployment or a Job that the test needs.
type workload struct {
	Kind string
	Spec struct {
		Template struct {
			Spec struct{ Containers []struct{ Args []string } }
		}
		Metrics []struct {
			Pods struct{ Metric struct{ Name string } }
		}
	}
}

// TestKubernetes: dl4go accepts the arguments in examples/kubernetes, and serves the metric for scaling. make
// test-kubernetes checks the schemas of Kubernetes.
func TestKubernetes(t *testing.T) {
	metrics, err := os.ReadFile("../../internal/serving/metrics.go")
	if err != nil {
		t.Fatal(err)
	}
	commands, scaled := 0, 0
	for _, name := range []string{"serve.yaml", "train.yaml"} {
		text, err := os.ReadFile("../../examples/kubernetes/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
			var w workload
			if err := d.Decode(&w); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, c := range w.Spec.Template.Spec.Containers {
				commands++
				if got := dl4go(t, append(c.Args, "--help")...); !strings.Contains(got, "Usage:\n  dl4go "+c.Args[0]) {
					t.Errorf("%s: dl4go %q: %s", name, c.Args, got)
				}
			}
			for _, m := range w.Spec.Metrics {
				scaled++
				if !strings.Contains(string(metrics), `"`+m.Pods.Metric.Name+`"`) {
					t.Errorf("%s: there is no metric %s", name, m.Pods.Metric.Name)
				}
			}
		}
	}
	if commands != 2 || scaled != 1 {
		t.Errorf("%d commands, %d metrics", commands, scaled)
	}
}
