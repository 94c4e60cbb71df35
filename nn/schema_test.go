package nn

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
)

// TestSchemaInFiles: model files and copies of the network keep the names of columns and classes. Without names the
// file has no entry for them.
func TestSchemaInFiles(t *testing.T) {
	net, err := New(Configuration{Layers: []layer.Layer{layer.Output{NIn: 2, NOut: 2, Activation: activation.Softmax{},
		Loss: loss.NewMCXENT()}}})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(1)
	write := func() []byte {
		var b bytes.Buffer
		if err := net.Write(&b, SaveOptions{}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	if bytes.Contains(write(), []byte(dl4j.SchemaEntry)) {
		t.Error("there is an entry for no names")
	}
	want := &data.Schema{Features: []string{"a", "b"}, Labels: []string{"kind"}, Classes: []string{"cat", "dog"}}
	if err := net.SetSchema(want); err != nil {
		t.Fatal(err)
	}
	again, err := Unmarshal(write())
	if err != nil {
		t.Fatal(err)
	}
	want = &data.Schema{Version: 1, Features: want.Features, Labels: want.Labels, Classes: want.Classes}
	if got := again.Copy().Schema(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, wanted %+v", got, want)
	}
	if err := net.SetSchema(&data.Schema{Features: []string{"a", "a"}}); err == nil {
		t.Error("two columns have one name")
	}

	entries, err := net.Entries(SaveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for text, said := range map[string]string{`{"version":2}`: "version 2",
		`{"version":1,"classes":["a","a"]}`: "is named twice", `{`: "names of columns"} {
		entries[len(entries)-1] = dl4j.BytesEntry(dl4j.SchemaEntry, []byte(text))
		var b bytes.Buffer
		if err := dl4j.WriteModel(&b, entries...); err != nil {
			t.Fatal(err)
		}
		_, err := Unmarshal(b.Bytes())
		if f := (*dl4j.FormatError)(nil); !errors.As(err, &f) || f.Entry != dl4j.SchemaEntry ||
			!strings.Contains(err.Error(), said) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
