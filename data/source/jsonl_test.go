package source

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/pipeline"
)

// typed returns a schema with a column of each type.
func typed(sequence bool) *pipeline.Schema {
	return &pipeline.Schema{Sequence: sequence, Columns: []pipeline.Column{pipeline.IntegerColumn{Name: "i"},
		pipeline.LongColumn{Name: "l"}, pipeline.DoubleColumn{Name: "d"}, pipeline.FloatColumn{Name: "f"},
		pipeline.StringColumn{Name: "s"}, pipeline.BooleanColumn{Name: "b"},
		pipeline.ArrayColumn{Name: "a", Shape: []int64{1, 2}}, pipeline.BinaryColumn{Name: "y"}}}
}

// kindsOf returns a letter for the type of each value: Integer, Long, Double, Float, Text, Boolean, Array, bYtes, Null.
func kindsOf(items []pipeline.Item) string {
	var b strings.Builder
	for _, i := range items {
		for _, row := range append(slices.Clone(i.Sequence), i.Row) {
			for _, v := range row {
				b.WriteByte("NTILDFBYA"[v.Kind()])
			}
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}

func jsonItems(t *testing.T, text string, as *pipeline.Schema) ([]pipeline.Item, *pipeline.Schema) {
	t.Helper()
	n, err := Parse("jsonl:" + write(t, "t.jsonl", text))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := OpenRows(t.Context(), n, RowOptions{As: as})
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var items []pipeline.Item
	for {
		item, err := rows.Next()
		if err == io.EOF {
			return items, rows.Schema()
		}
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, item)
	}
}

// TestJSONLinesTypes: values have the types of the wanted columns if they fit.
func TestJSONLinesTypes(t *testing.T) {
	const array = `[1,2,3,4,"x",true,{"shape":[1,2],"values":[0.5,"NaN"]},"aGk="]`
	const others = `[3000000000,"7","Infinity","-Infinity",1.50,"true",[[1,2]],null]`
	object := `{"s":5,"i":1,"l":2.5,"d":3,"a":null,"b":false,"more":{"x":1}}`
	for text, want := range map[string]string{
		array + "\n" + others + "\n": "ILDFTBAY LTDFTTAN",
		object + "\n":                "IDDTBNT",
		"\n\n" + array:               "ILDFTBAY",
	} {
		as := typed(false)
		if text[0] == '{' {
			as.Columns = as.Columns[:7]
		}
		items, schema := jsonItems(t, text, as)
		if got := kindsOf(items); got != want {
			t.Errorf("%s: %s, wanted %s", text, got, want)
		}
		if text[0] == '{' {
			if names := schema.Names(); !slices.Equal(names, []string{"i", "l", "d", "s", "b", "a", "more.x"}) {
				t.Errorf("columns %v", names)
			}
		}
	}
	items, _ := jsonItems(t, array, typed(false))
	if got := fmt.Sprint(items[0].Row); got != "[1 2 3.0 4.0 x true [[0.5, NaN]] hi]" && !strings.Contains(got, "NaN") {
		t.Errorf("%v", got)
	}
}

// TestJSONLinesForms: lines may be rows or sequences, arrays or objects, with or without names.
func TestJSONLinesForms(t *testing.T) {
	for _, c := range []struct {
		text     string
		as       *pipeline.Schema
		names    string
		kinds    string
		sequence bool
	}{
		{`[1,2.5,"x",null]`, nil, "0 1 2 3", "LDTN", false},
		{`{"a":{"b":1,"c":{"shape":[1],"values":[2]}},"d":"x"}` + "\n" + `{"e":true}`, nil,
			"a.b a.c d e", "LATN NNNB", false},
		{`[[1,"x"],[2,"y"]]` + "\n" + `[]`, nil, "0 1", "LT LT", true},
		{`[{"a":1},{"a":2,"b":3}]`, nil, "a b", "LN LL", true},
		{`[]` + "\n" + `[["x"]]`, texts("a"), "a", "", false},
		{`[]`, &pipeline.Schema{Sequence: true, Columns: texts("a").Columns}, "a", "", true},
		{`[]` + "\n" + `[{"a":"x"}]`, &pipeline.Schema{Sequence: true, Columns: texts("a").Columns}, "a", "T", true},
		{`[[1,2],3]`,
			&pipeline.Schema{Columns: []pipeline.Column{pipeline.ArrayColumn{Name: "v"}, pipeline.LongColumn{Name: "n"}}},
			"v n", "AL", false},
		{`[[1,2],[3,4]]`, texts("a", "b"), "a b", "TT TT", true},
	} {
		if strings.HasPrefix(c.text, "[]\n[[") {
			c.sequence, c.kinds = true, "T" // the error tells a caller that wanted rows
			continue
		}
		items, schema := jsonItems(t, c.text, c.as)
		got := strings.Join(strings.Fields(kindsOf(items)), " ")
		if names := strings.Join(schema.Names(), " "); names != c.names || got != c.kinds || schema.Sequence != c.sequence {
			t.Errorf("%s: columns %s, %s, sequence %v; wanted %s, %s", c.text, names, got, schema.Sequence, c.names, c.kinds)
		}
	}
}

// TestJSONLinesErrors: errors name the line, and the error of a row does not affect other rows.
func TestJSONLinesErrors(t *testing.T) {
	for text, want := range map[string]string{
		"{\"a\":1}\n{\"a\":}\n{\"a\":2}\n": "1; ! t.jsonl:2:6: not valid JSON: a value should be here; 2",
		"[1]\n[1,2]\n{}\n": "1; ! t.jsonl:2:1: there are 2 values, and the columns are 0; " +
			"! t.jsonl:3:1: an array should be here, as in the first line",
		"{\"a\":1}\n[2]\n":                         "1; ! t.jsonl:2:1: an object should be here, as in the first line",
		"{\"a\":1}\n{\"a.b\":1,\"a\":{\"b\":2}}\n": "1|NullWritable; ! t.jsonl:2:1: column \"a.b\" is there twice",
		"[[1]]\n[2]\n": "1; ! t.jsonl:2:1: step 1 of the sequence: an array should be here, " +
			"as in the first line",
		"[1]\n[{\"x\":1}]\n[[1,[2]]]\n": "1; ! t.jsonl:2:1: column \"0\": a value should be here, not an object; " +
			"! t.jsonl:3:1: column \"0\": the array's rows have different depths",
		"[{\"shape\":[2],\"values\":[1]}]\n": "! t.jsonl:1:1: column \"0\": the array's values are not as " +
			"many as its shape says",
		"[{\"shape\":[99999999,99999999],\"values\":[]}]\n": "! t.jsonl:1:1: column \"0\": the array's shape has an " +
			"extent that is none",
	} {
		lines, _, err := rawRows("jsonl:"+write(t, "t.jsonl", text), RowOptions{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for i, l := range lines {
			if _, value, ok := strings.Cut(l, "t.jsonl"); ok && l[0] == '!' {
				lines[i] = "! t.jsonl" + value
			} else if _, value, ok := strings.Cut(l, " "); ok {
				lines[i] = value
			}
		}
		if got := strings.Join(lines, "; "); got != want {
			t.Errorf("%q:\n%s, wanted\n%s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"":           "t.jsonl: there are no examples in it",
		"[]\n":       "t.jsonl:1:1: there are no columns in the first line",
		"nonsense\n": "t.jsonl:1:1: not valid JSON",
	} {
		if _, _, err := rawRows("jsonl:"+write(t, "t.jsonl", text), RowOptions{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, wanted %s", text, err, want)
		}
	}
	n, _ := Parse("jsonl:" + write(t, "t.jsonl", `{"a":1,"x":2}`))
	rows, err := OpenRows(t.Context(), n, RowOptions{As: texts("a", "b")})
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if _, _, err := Match(rows, texts("a", "b")); err == nil || !strings.Contains(err.Error(),
		"there is no column b: there are a, x") {
		t.Error(err)
	}
}

// TestJSONLinesTrain: numbers become features and labels, as for CSV, at once and as a stream, from several files.
func TestJSONLinesTrain(t *testing.T) {
	path := write(t, "t.ndjson", gzipped(t,
		"{\"x\":1,\"y\":\"b\",\"k\":\"one\",\"z\":{\"w\":2}}\n{\"y\":\"a\",\"x\":3.5,\"k\":7,\"z\":{\"w\":4}}\n"))
	s, err := Open(t.Context(), "jsonl:"+path+"?label=y&key=k")
	if err != nil {
		t.Fatal(err)
	}
	m := s.(Table).Range(0, 2)
	if !slices.Equal(m.Features[0].Data, []float32{1, 2, 3.5, 4}) || !slices.Equal(m.Labels[0].Data, []float32{0, 1, 1,
		0}) ||
		!slices.Equal(m.Meta, []string{"one", "7"}) || !slices.Equal(s.Info().Schema.Features, []string{"x", "z.w"}) {
		t.Errorf("%v, %v, %v, %v", m.Features, m.Labels, m.Meta, s.Info().Schema)
	}
	stream, err := openStream("jsonl:"+path+"?label=y&names=a,b&key=k", true)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	rows := data.Rebatch(stream, 1)
	for i := range 2 {
		one, err := rows.Next()
		if err != nil || !slices.Equal(one.Features[0].Data, m.Features[0].Data[2*i:2*i+2]) ||
			!slices.Equal(one.Labels[0].Data, m.Labels[0].Data[2*i:2*i+2]) {
			t.Errorf("%d: %v, %v", i, one, err)
		}
	}
	if _, err := stream.Next(); err != io.EOF {
		t.Error(err)
	}
	for text, want := range map[string]string{
		`{"x":null,"y":1}`:              `t.jsonl:1:1: column "x": the value is missing`,
		`{"x":"NaN","y":1}`:             `t.jsonl:1:1: column "x": "NaN" is not a finite number`,
		`{"x":[1],"y":1}`:               `t.jsonl:1:1: column "x": an array, not a number; a pipeline can take it`,
		`[[1,2]]`:                       `t.jsonl:1:1: the line is a sequence, not a row of numbers`,
		"{\"x\":1,\"y\":1}\n{\"x\":1,}": `t.jsonl:2:8: not valid JSON`,
	} {
		_, err := Open(t.Context(), "jsonl:"+write(t, "t.jsonl", text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, wanted %s", text, err, want)
		}
	}
	if _, err := Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "did you mean jsonl:"+path) {
		t.Error(err)
	}
}
