package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// TestTokens: texts are split into words or characters, up to the limit.
func TestTokens(t *testing.T) {
	for _, c := range []struct {
		text, by string
		longest  int
		want     string
		long     bool
	}{
		{"It's GRÖßE 7, ok?", ByWords, 9, "[it s größe 7 ok]", false},
		{"a b c", ByWords, 3, "[a b c]", false},
		{"a b c d", ByWords, 3, "[a b c]", true},
		{" -- ", ByWords, 3, "[<unknown>]", false},
		{"Aé b", ByCharacters, 9, "[A é   b]", false},
		{"abcd", ByCharacters, 2, "[a b]", true},
		{"", ByCharacters, 2, "[<unknown>]", false},
	} {
		got, long := (&Tokens{By: c.by, Longest: c.longest}).of(c.text)
		if fmt.Sprint(got) != c.want || long != c.long {
			t.Errorf("%q: %q %v", c.text, got, long)
		}
	}
}

// TestTokenSequences: each text is the sequence of its tokens' numbers; long texts are cut and counted.
func TestTokenSequences(t *testing.T) {
	n := readings(t, "tokens=s&max-tokens=3&key=id", "id,s,y", "1,A b,n", "2,b x a b,p", "3,,n")
	tokens := &Tokens{"s", ByWords, 3, usualWords, 1}
	p := &Preparation{Task: Classification, Labels: []string{"y"}, Outputs: []string{"y"}, Classes: []string{"n", "p"},
		Sequence: &Sequencing{Tokens: tokens}, Pipeline: &pipeline.Pipeline{Initial: pipeline.Schema{Sequence: true,
			Columns: []pipeline.Column{pipeline.StringColumn{Name: "s"}, pipeline.StringColumn{Name: "y"}}},
			Steps: []pipeline.Step{
				pipeline.MapAllExcept{Column: "s", Value: UnknownToken, Exceptions: []string{"a", "b"}},
				pipeline.StringToCategorical{Column: "s", States: []string{"a", "b", UnknownToken}},
				pipeline.CategoricalToInteger{Column: "s"}}}}
	steps, labels, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := DecodePreparation(steps, labels)
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenName(t.Context(), n, Options{Preparation: again})
	if err != nil {
		t.Fatal(err)
	}
	m := s.(Table).Range(0, 3)
	if got, want := fmt.Sprint(m.Features[0].Data, m.FeatureMasks[0].Data, m.Labels[0].Data, m.Meta, s.Info().Words,
		s.Info().Notes), "[0 1 0 1 2 0 2 0 0] [1 1 0 1 1 1 1 0 0] [1 0 0 1 1 0] [1 2 3] 3 "+
		"[1 text with more than 3 tokens: the others were left out; max-tokens takes more]"; got != want {
		t.Errorf("%s, not\n%s", got, want)
	}
	for settings, want := range map[string]string{
		"tokens=s&max-tokens=4":    "the model takes its sequences in another way",
		"sequence=id":              "the model takes its sequences in another way",
		"tokens=s&sequence=id":     "each text is a sequence; leave out sequence=",
		"tokens=s&tokens-by=bytes": "there are words and characters",
		"tokens=s&max-words=0":     "a number from 1 on should be here",
		"min-count=2":              "tokens=COLUMN says of which column",
		"tokens=y&label=y":         "the column is the label",
	} {
		_, err := OpenName(t.Context(), readings(t, settings, "id,s,y", "1,a,n"), Options{Preparation: again})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %s", settings, err, want)
		}
	}
}
