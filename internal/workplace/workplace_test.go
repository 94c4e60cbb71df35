package workplace

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/usage"
)

func quiet() *console.Output { return console.New(io.Discard, io.Discard, false) }

func none(string) bool { return false }

// refused checks that err is a mistake in the command line.
func refused(t *testing.T, err error, want string) {
	t.Helper()
	if wrong := (*usage.Error)(nil); !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
		t.Errorf("%q is not in the error %v", want, err)
	}
}

// TestSettingsByFlag: a flag sets a setting of data, and contradicts one in the name.
func TestSettingsByFlag(t *testing.T) {
	d := &Data{Flags: []string{"label"}, Value: func(flag string) []string {
		return map[string][]string{"label": {"species"}, "classes": {"3"}}[flag]
	}}
	n, err := d.Name("data", "csv:x.csv")
	if err != nil || n.Settings["label"] != "species" {
		t.Errorf("%+v, %v", n, err)
	}
	if _, has := n.Settings["classes"]; has {
		t.Error("a flag that is no setting here has an effect")
	}
	if _, err := d.Name("data", "csv:x.csv?label=species"); err != nil {
		t.Errorf("the same value twice: %v", err)
	}
	_, err = d.Name("data", "csv:x.csv?label=age")
	refused(t, err, "--label species and label=age in --data csv:x.csv?label=age: these are two values")
	refused(t, d.Check("digits"), "--label only applies to")
	if err := d.Check("csv:x.csv"); err != nil {
		t.Error(err)
	}
	if _, err := (*Data)(nil).Name("data", "csv:x.csv"); err != nil {
		t.Errorf("without settings: %v", err)
	}
}

// TestEngineOptions: flags of a cluster are refused elsewhere, and files of other programs need their form.
func TestEngineOptions(t *testing.T) {
	for _, c := range []struct {
		name string
		at   Engine
		want string
	}{
		{"cluster flag", Engine{Master: "local[2]", Given: func(f string) bool { return f == "ca-file" }},
			"--ca-file is about --master sc://…: it has no effect with --master local[2]"},
		{"half a pair", Engine{Master: "sc://h", Given: none, Connection: engine.Connection{CertFile: "c"}},
			"--client-cert and --client-key"},
		{"no file", Engine{Master: "sc://h", Given: none, Binaries: []string{"linux/arm64"}}, `"linux/arm64": wanted`},
		{"no kind", Engine{Master: "sc://h", Given: none, Binaries: []string{"arm=x"}}, "--worker-binary: "},
	} {
		_, err := c.at.Options(quiet())
		t.Run(c.name, func(t *testing.T) { refused(t, err, c.want) })
	}
	o, err := (&Engine{Master: "sc://h", Given: none, Binaries: []string{"linux/arm64=x"}, Deadline: 7}).Options(quiet())
	if err != nil || o.WorkerBinaries["linux/arm64"] != "x" || o.TaskDeadline != 7 || o.Progress != nil {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestUnknownEngine: an unknown engine is a mistake in the command line, with a suggestion.
func TestUnknownEngine(t *testing.T) {
	for master, want := range map[string]string{"locl[2]": "did you mean local?", "yarn": "sc://HOST:15002"} {
		_, err := (&Engine{Master: master, Given: none}).Open(t.Context(), quiet())
		refused(t, err, want)
		if n := strings.Count(err.Error(), "did you mean"); n > 1 {
			t.Errorf("%d suggestions: %v", n, err)
		}
	}
}

// closer is a source that records when it is closed.
type closer struct {
	source.Source
	name   string
	closed *[]string
}

func (c closer) Close() error {
	*c.closed = append(*c.closed, c.name)
	return nil
}

// TestPlace: the engine is started once, and closing the place closes what it owns.
func TestPlace(t *testing.T) {
	w := &Place{Engine: &Engine{Master: "local[2]", Given: none}, Data: &Data{}, Out: quiet()}
	e, err := w.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := w.Open(t.Context()); err != nil || again != e {
		t.Errorf("another engine, or %v", err)
	}
	var closed []string
	w.Own(closer{name: "train", closed: &closed}, nil, closer{name: "test", closed: &closed})
	if err := w.Close(); err != nil || !slices.Equal(closed, []string{"train", "test"}) {
		t.Errorf("closed %v, %v", closed, err)
	}
	if w.Cluster() || (*Place)(nil).Cluster() {
		t.Error("this is no cluster")
	}
}

// TestDataOfClusters: data that only a cluster reads is refused elsewhere.
func TestDataOfClusters(t *testing.T) {
	w := &Place{Engine: &Engine{Master: "local[2]", Given: none}, Data: &Data{}, Out: quiet()}
	_, err := w.OpenData(t.Context(), "data", "sql:SELECT 1", nil)
	refused(t, err, "--master local[2] has no tables")
	_, err = (*Place)(nil).OpenData(t.Context(), "data", "csv:-?classes=2", nil)
	refused(t, err, "standard input can be read once")
	if !Queried("sql:SELECT 1") || Queried("digits") {
		t.Error("queries are not told from other data")
	}
}

// TestBound: on a cluster --memory is refused; elsewhere half of it is for examples.
func TestBound(t *testing.T) {
	far := &Place{Engine: &Engine{Master: "sc://h", Given: none}, Out: quiet()}
	_, err := far.Bound("1GiB", true)
	refused(t, err, "--memory is about this machine")
	if m, err := far.Bound("", false); err != nil || m.Room == nil || m.Room.Memory != sentMemory || m.Limit != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	_, err = (&Place{Engine: &Engine{Master: "local"}, Out: quiet()}).Bound("much", true)
	refused(t, err, "--memory much: ")
}
