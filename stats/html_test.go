package stats

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// many returns n events of a master and workers, as in rounds of training.
func many(n, workers int) []Event {
	r := rand.New(rand.NewPCG(1, 2))
	now := time.Date(2026, 3, 4, 5, 6, 7, 891234567, time.UTC)
	begin := now
	var out []Event
	for len(out) < n {
		round := now
		for w := range workers {
			worker, t := fmt.Sprintf("partition %d", w), round
			for range 10 {
				fit := time.Duration(3000+r.IntN(2000)) * time.Microsecond
				out = append(out, Event{WorkerFit, worker, t.Add(5 * time.Microsecond), fit, 16},
					Event{WorkerProcessMinibatch, worker, t, fit + 20*time.Microsecond, 16})
				t = t.Add(fit + 30*time.Microsecond)
			}
			out = append(out, Event{WorkerTotal, worker, round, t.Sub(round), 160})
			if t.After(now) {
				now = t
			}
		}
		out = append(out, Event{MasterMapPartitions, "master", round, now.Sub(round), 0})
	}
	return append(out, Event{MasterFit, "master", begin, now.Sub(begin), 320})
}

func pageOf(t *testing.T, title string, events []Event) (text string, data page) {
	t.Helper()
	var b strings.Builder
	if err := WriteHTML(&b, title, events); err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(b.String(), `<script type="application/json" id="data">`)
	embedded, _, _ := strings.Cut(after, "</script>")
	if err := json.Unmarshal([]byte(embedded), &data); err != nil {
		t.Fatal(err)
	}
	return b.String(), data
}

// decode decodes the page's data, as the page's script does.
func (p *page) decode() []Event {
	var out []Event
	i := 0
	for l, n := range p.Counts {
		at := time.UnixMicro(int64(p.Origin*1000 + 0.5))
		for range n {
			at = at.Add(time.Duration(p.Start[i]) * time.Microsecond)
			out = append(out, Event{p.Phases[p.Phase[i]-'A'].Name, p.Lanes[l], at.UTC(),
				time.Duration(p.Duration[i]) * time.Microsecond, p.Examples[i]})
			i++
		}
	}
	return out
}

// A page of 100,000 events is small, and its data has the events, to the microsecond.
func TestPageOfManyEvents(t *testing.T) {
	events := many(100_000, 12)
	text, data := pageOf(t, "many", events)
	if len(text) > 2<<20 {
		t.Errorf("a page of %d events has %d bytes", len(events), len(text))
	}
	if data.Lanes[0] != "master" || data.Lanes[3] != "partition 2" || data.Lanes[12] != "partition 11" {
		t.Errorf("lanes %v", data.Lanes)
	}
	if data.RateOf < 0 || data.Phases[data.RateOf].Name != WorkerFit {
		t.Errorf("the rate is of phase %d of %v", data.RateOf, data.Phases)
	}
	want := slices.Clone(events)
	for i := range want {
		e := &want[i]
		end := e.Start.Add(e.Duration).Truncate(time.Microsecond)
		e.Start = e.Start.Truncate(time.Microsecond)
		e.Duration = end.Sub(e.Start)
	}
	order := func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.Worker, b.Worker), a.Start.Compare(b.Start), cmp.Compare(a.Phase, b.Phase))
	}
	got := data.decode()
	slices.SortFunc(want, order)
	slices.SortFunc(got, order)
	if !slices.Equal(got, want) {
		t.Error("the page's data is not the events")
	}
}

// Pages are well-formed up to their scripts, escape names, and request nothing from elsewhere.
func TestPageStandsAlone(t *testing.T) {
	name := "</script><img>&"
	events := append(many(50, 2), Event{WorkerInit, name, time.Unix(1e9, 0), time.Second, 0})
	text, data := pageOf(t, name, events)
	if !slices.Contains(data.Lanes, name) || strings.Contains(text, "<img") || strings.Count(text, "</script>") != 4 {
		t.Error("a name was not escaped, or lost")
	}
	if bad := regexp.MustCompile(`(?i)\b(src|href)=|https?://(?:[^w]|w[^w])|\bimport\b|fetch\(|XMLHttp|url\(`).FindString(text); bad != "" {
		t.Errorf("the page has %q", bad)
	}
	if !strings.Contains(text, `content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"`) {
		t.Error("no policy keeps the page to itself")
	}
	head, _, _ := strings.Cut(text, "<script type")
	elements := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(head + "</body></html>")); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := token.(xml.StartElement); ok {
			elements[s.Name.Local]++
		}
	}
	phases, parts := len(Summarize(events)), len(AccountFor(events).largest())
	if elements["canvas"] != 4 || elements["input"] != phases || elements["option"] != phases ||
		elements["tr"] != phases+parts+2 || elements["g"] != phases {
		t.Errorf("the page has %v", elements)
	}
}

// The page has all elements that the script looks for.
func TestPageHasWhatItsScriptNeeds(t *testing.T) {
	text, _ := pageOf(t, "", many(50, 2))
	script, err := os.ReadFile("page/page.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?:\$|getElementById)\('(\w+)'\)`).FindAllStringSubmatch(string(script), -1) {
		if strings.Count(text, `id="`+m[1]+`"`) != 1 {
			t.Errorf("the page has not one element %s", m[1])
		}
	}
	for i := range Phases {
		if strings.Count(text, fmt.Sprintf("--p%d:", i)) != 2 {
			t.Errorf("phase %d has no colour in both schemes", i)
		}
	}
}

func TestPageOfNothing(t *testing.T) {
	text, data := pageOf(t, "empty", nil)
	if !strings.Contains(text, "There are no events") || strings.Contains(text, "<canvas") || len(data.Start) != 0 {
		t.Error("a page of no events does not say so")
	}
}
