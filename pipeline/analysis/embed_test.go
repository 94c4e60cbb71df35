package analysis_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline/analysis"
)

// embeddable has cities, one of them in a single row and two gaps, user numbers, and a name for each row.
func embeddable() string {
	var s strings.Builder
	s.WriteString("city,user,name,size,label\n")
	for i := range 60 {
		city := fmt.Sprint("c", i%5)
		switch i {
		case 3, 4:
			city = ""
		case 50:
			city = "lone"
		}
		fmt.Fprintf(&s, "%s,%d,n%d,%d.5,%c\n", city, i%12*7, i, i*i%31, 'a'+rune(i%2))
	}
	return s.String()
}

// TestEmbed: categories become numbers in the last columns. Gaps and rare ones have their own numbers, and unknown
// ones are defined.
func TestEmbed(t *testing.T) {
	label := []string{"label"}
	for _, c := range []struct {
		embed              analysis.Embed
		most               int
		embedded, features string
		highest            map[string]float64
	}{
		{analysis.Embed{All: true}, 0, "city", "user size city", map[string]float64{"city": 6}},
		{analysis.Embed{Columns: []string{"user", "city"}}, 0, "city user", "size city user",
			map[string]float64{"city": 6, "user": 11}},
		{analysis.Embed{Columns: []string{"city"}}, 2, "city", "user size city", map[string]float64{"city": 3}},
	} {
		p, out := propose(t, embeddable(), analysis.Options{Label: label, Embed: c.embed, MaxCategories: c.most})
		if got := strings.Join(p.Embedded, " "); got != c.embedded || strings.Join(p.Features, " ") != c.features {
			t.Errorf("%+v: %s of %v are embedded", c.embed, got, p.Features)
		}
		for name, want := range c.highest {
			numbers := map[float64]bool{}
			for _, row := range out {
				numbers[row[name]] = true
			}
			if !numbers[0] || !numbers[want] || len(numbers) != int(want)+1 {
				t.Errorf("%+v: %s has the numbers %v, want 0 to %v", c.embed, name, numbers, want)
			}
		}
		unknown := table("city,user,name,size\nnowhere,1000,x,1.5\nlone,0,x,1.5\nc1,49,x,1.5\n")
		got := runThrough(t, p.Serving, unknown)
		if got[0]["city"] != got[1]["city"] || got[1]["city"] == got[2]["city"] {
			t.Errorf("%+v: an unknown and a rare city are numbers %v and %v", c.embed, got[0]["city"], got[1]["city"])
		}
		if slices.Contains(p.Embedded, "user") && got[0]["user"] != got[1]["user"] { // all equally frequent
			t.Errorf("an unknown user is number %v", got[0]["user"])
		}
	}
}

// TestEmbedMistakes: columns that can't be embedded are refused by name.
func TestEmbedMistakes(t *testing.T) {
	found := infer(t, embeddable(), analysis.InferOptions{Label: []string{"label"}})
	for name, want := range map[string]string{
		"nobody": `there is no column "nobody"`, "label": `the column "label" is not a feature`,
		"name": `column "name": no value is in two rows`,
	} {
		p, err := analysis.Propose(found, analysis.Options{Label: []string{"label"},
			Embed: analysis.Embed{Columns: []string{name}}})
		if err == nil {
			err = p.Refused()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	p, err := analysis.Propose(found, analysis.Options{Label: []string{"label"}, Missing: analysis.MissingError,
		Embed: analysis.Embed{All: true}})
	if err != nil || p.Refused() == nil || !strings.Contains(p.Refused().Error(), `column "city": 2 gaps`) {
		t.Errorf("gaps: %v, %v", err, p.Refused())
	}
}
