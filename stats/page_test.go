package stats

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/dop251/goja"
)

// scripted runs page/model.js, with a page's data as data and the decoded data as e, and then evaluates a text.
func scripted(t *testing.T, events []Event, text string) any {
	t.Helper()
	vm := goja.New()
	model, err := os.ReadFile("page/model.js")
	if err != nil {
		t.Fatal(err)
	}
	_, p := pageOf(t, "", events)
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	v, err := vm.RunString(string(model) + "\nconst data = " + string(data) +
		", e = model.decode(data), shown = data.phases.map(() => true);\n" + text)
	if err != nil {
		t.Fatal(err)
	}
	return v.Export()
}

// TestScriptsCompile: both scripts are valid JavaScript.
func TestScriptsCompile(t *testing.T) {
	for _, file := range []string{"page/model.js", "page/page.js", "page/chart.js"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := goja.Compile(file, string(text), true); err != nil {
			t.Error(err)
		}
	}
}

// TestScriptDecodes: the script decodes the data to the events.
func TestScriptDecodes(t *testing.T) {
	events := many(600, 3)
	_, p := pageOf(t, "", events)
	want := ""
	for _, e := range p.decode() {
		want += fmt.Sprintf("%s %s %d %d %d\n", e.Worker, e.Phase, e.Start.UnixMicro()-int64(p.Origin*1000+0.5),
			e.Duration.Microseconds(), e.Examples)
	}
	got := scripted(t, events, `let all = '';
		for (let i = 0; i < e.n; i++) all += data.lanes[e.lane[i]] + ' ' + data.phases[e.phase[i]].name + ' ' + e.start[i] + ' ' + (e.end[i] - e.start[i]) + ' ' + e.examples[i] + '\n';
		all`)
	if got != want {
		t.Error("the script reads other events")
	}
}

// TestScriptModel: rows have no overlapping events; there are no more bars than pixels, and they cover exactly the
// covered time; pointing finds the event there; examples and durations are all counted.
func TestScriptModel(t *testing.T) {
	for name, text := range map[string]string{
		"rows": `const rows = model.rows(e, 10), seen = new Set(); let bad = '';
			for (const r of rows) r.events.forEach((i, k) => {
				seen.add(i);
				if (k > 0 && e.start[i] < e.end[r.events[k - 1]]) bad = 'events ' + r.events[k - 1] + ' and ' + i + ' overlap';
				if (e.lane[i] !== r.lane) bad = 'event ' + i + ' is in another lane';
			});
			seen.size === e.n ? bad : seen.size + ' events are in rows'`,
		"bars": `let bad = '';
			for (const [from, to] of [[0, e.until], [e.until / 3, e.until / 2], [1000, 1500]]) for (const r of model.rows(e, 10)) {
				let n = 0, drawn = 0, truth = 0, before = -1;
				model.bars(e, r.events, from, to, 500, shown, (x, w, p, share) => {
					n++; drawn += w * share;
					if (x < -1e-9 || x + w > 501 || !(share > 0 && share <= 1) || data.phases[p] === undefined) bad = 'a bar at ' + x + ' of ' + w;
				});
				for (const i of r.events) truth += Math.max(0, Math.min(to, e.end[i]) - Math.max(from, e.start[i])) / (to - from) * 500;
				if (n > 2 * 500 + 2 || Math.abs(drawn - truth) > 0.1 * truth + 0.2 * n) bad = n + ' bars cover ' + drawn + ', the events ' + truth;
			}
			const none = shown.map(() => false);
			model.bars(e, model.rows(e, 10)[0].events, 0, e.until, 500, none, () => { bad = 'a phase is drawn that is not shown'; });
			bad`,
		"at": `let bad = '';
			for (const r of model.rows(e, 10)) for (const i of r.events) {
				if (e.end[i] - e.start[i] > 2 && model.at(e, r.events, (e.start[i] + e.end[i]) / 2, 1, shown) !== i) bad = 'event ' + i + ' is not found';
			}
			const first = model.rows(e, 10)[0].events;
			if (model.at(e, first, -1e6, 10, shown) !== -1) bad = 'something is found where nothing is';
			bad`,
		"rate": `let bad = '';
			const bins = 97, r = model.rate(e, data.rateOf, 0, e.until, bins);
			let sum = 0, truth = 0;
			for (const x of r) sum += x * e.until / bins / 1e6;
			for (let i = 0; i < e.n; i++) if (e.phase[i] === data.rateOf) truth += e.examples[i];
			Math.abs(sum - truth) > 1e-6 * truth ? sum + ' examples of ' + truth : ''`,
		"histogram and course": `let bad = '';
			for (let p = 0; p < data.phases.length; p++) {
				let n = 0, m = 0, truth = 0;
				for (const c of model.histogram(e, p, 40).counts) n += c;
				const course = model.course(e, p, 0, e.until, 33);
				for (const c of course.count) m += c;
				for (let i = 0; i < e.n; i++) truth += e.phase[i] === p;
				if (n !== truth || m !== truth) bad = data.phases[p].name + ': ' + n + ' and ' + m + ' of ' + truth;
				course.count.forEach((c, b) => { if (c && !(course.least[b] <= course.mean[b] + 1e-6 && course.mean[b] <= course.most[b] + 1e-6 && course.most[b] <= course.top)) bad = 'course'; });
			}
			bad`,
	} {
		if got := scripted(t, many(1000, 3), text); got != "" {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestScriptNumbers: marks of axes are round, and times are written in the usual form.
func TestScriptNumbers(t *testing.T) {
	got := scripted(t, many(50, 2),
		`[model.ticks(0, 1, 4).join(), model.ticks(3, 47, 5).join(), model.timeTicks(0, 6e8, 6).join(),
		model.clock(5e5), model.clock(61e6, 1e6), model.clock(3723.5e6, 1e5), model.span(0), model.span(1234), model.span(999), model.span(65.4e6), model.span(3e8), model.span(1e10)].join('|')`)
	want := "0,0.5,1|10,20,30,40|0,120000000,240000000,360000000,480000000,600000000|500 ms|1:01|1:02:03.5|0|1.23 " +
		"ms|999 µs|65.4 s|5.00 min|2.78 h"
	if got != want {
		t.Errorf("%v\nnot\n%v", got, want)
	}
}
