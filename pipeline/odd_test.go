package pipeline_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// oddSettings replace each setting of each step.
var oddSettings = []any{nil, 0, -1, 1 << 31, 1e300, "", "x", "i", "NaN", "(", true, []any{}, []any{"i", "i"},
	[]any{nil},
	map[string]any{}}

// TestOddSettings: no setting makes Parse, Bind or a run panic, or take unlimited memory.
func TestOddSettings(t *testing.T) {
	texts := map[string]string{}
	for _, step := range steps {
		texts[step] = stepJSON(step)
	}
	for name, text := range texts {
		var tree map[string]any
		if err := json.Unmarshal([]byte(text), &tree); err != nil {
			t.Fatal(err)
		}
		change(tree["actionList"], func(where string) {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("%s, %s: %v", name, where, p)
				}
			}()
			text, err := json.Marshal(tree)
			if err != nil {
				t.Fatal(err)
			}
			p, err := pipeline.Parse(text)
			if err != nil {
				return
			}
			if plan, err := p.Bind(); err == nil {
				runAnything(t, plan)
			}
		})
	}
}

// change replaces each value in a tree by odd settings, one at a time, and tells do where.
func change(tree any, do func(where string)) {
	try := func(value any, set func(any), where string) {
		for _, odd := range oddSettings {
			set(odd)
			do(fmt.Sprintf("%s: %v", where, odd))
		}
		set(value)
		change(value, do)
	}
	switch v := tree.(type) {
	case map[string]any:
		for name, value := range v {
			if name != "@class" && name != "inputSchema" {
				try(value, func(x any) { v[name] = x }, name)
			}
		}
	case []any:
		for i, value := range v {
			try(value, func(x any) { v[i] = x }, fmt.Sprint(i))
		}
	}
}
