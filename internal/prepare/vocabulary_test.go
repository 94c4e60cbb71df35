package prepare

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// TestVocabulary: the most frequent tokens are numbered by their counts, and then in alphabetical order.
func TestVocabulary(t *testing.T) {
	lines := []string{"text,label", "b a c b,x", "a b d,y", "c,x"}
	for settings, want := range map[string]string{
		"":             "[b a c d <unknown>]",
		"max-words=2":  "[b a <unknown>]",
		"min-count=2":  "[b a c <unknown>]",
		"min-count=9":  "no tokens that are there 9 times",
		"tokens-by=no": "there are words and characters",
	} {
		n := rows(t, lines...)
		n.Settings = map[string]string{"tokens": "text"}
		if key, value, ok := strings.Cut(settings, "="); ok {
			n.Settings[key] = value
		}
		r, err := Open(context.Background(), n, Settings{})
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(r.Preparation.Pipeline.Steps[1].(pipeline.StringToCategorical).States)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, not %s", settings, got, want)
		}
	}
}
