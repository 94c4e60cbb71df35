package source

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
)

// TestCSVKeys: keys may be in any column and don't change the other results; a stream has the same rows.
func TestCSVKeys(t *testing.T) {
	for _, c := range []struct{ text, options string }{
		{"id,a,b,y\nx,1,2,0\nz é,3,4,1\nx,5,6,1\n", "?key=id"},
		{"a,id,b,y\n1,x,2,0\n3,z é,4,1\n5,x,6,1\n", "?key=1&label=y"},
		{"1,2,0,x\n3,4,1,z é\n5,6,1,x\n", "?key=-1&header=false"},
	} {
		path := write(t, "t.csv", c.text)
		s, err := Open(t.Context(), "csv:"+path+c.options)
		if err != nil {
			t.Fatal(err)
		}
		all := s.(Table).Range(0, 3)
		keys := []string{"x", "z é", "x"}
		if !slices.Equal(all.Meta, keys) || !slices.Equal(all.Features[0].Data, []float32{1, 2, 3, 4, 5, 6}) ||
			!slices.Equal(all.Labels[0].Data, []float32{1, 0, 0, 1, 0, 1}) {
			t.Errorf("%q: keys %q, features %v, labels %v", c.options, all.Meta, all.Features[0].Data, all.Labels[0].Data)
		}
		stream, err := openStream("csv:"+path+c.options, false)
		if err != nil {
			t.Fatal(err)
		}
		if first := stream.First(); first.Meta[0] != "x" {
			t.Errorf("the first row is %v", first)
		}
		rows := data.Rebatch(stream, 1)
		for i := range 3 {
			m, err := rows.Next()
			if err != nil || m.Meta[0] != keys[i] || !slices.Equal(m.Features[0].Data, all.Features[0].Data[2*i:2*i+2]) ||
				m.Labels != nil {
				t.Errorf("row %d of the stream: %v, error %v", i, m, err)
			}
		}
		for range 2 {
			if _, err := stream.Next(); err != io.EOF {
				t.Errorf("after the last row: %v", err)
			}
		}
		stream.Close()
	}
	for want, c := range map[string][2]string{
		`t.csv:3:1: column "id": the key is missing`: {"id,a,y\nx,1,0\n,1,0\n", "?key=id"},
		`there is no key column "name"`:              {"id,a,y\nx,1,0\n", "?key=name"},
		`column "id" is both the key and a label`:    {"id,a,y\nx,1,0\n", "?key=id&label=id"},
		`none is left for features`:                  {"id,y\nx,0\n", "?key=id"},
	} {
		spec := "csv:" + write(t, "t.csv", c[0]) + c[1]
		if _, err := Open(t.Context(), spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, wanted %q", err, want)
		}
		s, err := openStream(spec, false)
		for err == nil {
			_, err = s.Next()
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("a stream: error %v, wanted %q", err, want)
		}
	}
}

// TestRowsBeforeABadOne: a stream returns the rows before one that can't be read, and nothing of that one.
func TestRowsBeforeABadOne(t *testing.T) {
	for _, c := range []struct{ text, settings string }{
		{"id,a,y\nx,1,0\n,2,0\n", "?key=id"},
		{"id,a,y\nx,1,0\nz,oops,0\n", "?key=id"},
		{"a,id,y\n1,x,0\n2,z,1.5e99\n", "?key=id&regression=true"},
		{"a,id,w,y\n1,x,1,0\n2,z,-1,1\n", "?key=id&weights=w&classes=2"},
		{"a,id,w,y\n1,x,1,0\n2,z,1,7\n", "?key=id&weights=w&classes=2"},
	} {
		s, err := openStream("csv:"+write(t, "t.csv", c.text)+c.settings, true)
		rows := 0
		for err == nil {
			var m *data.MultiDataSet
			if m, err = s.Next(); err != nil {
				break
			}
			rows += m.Examples()
			if x := m.Features[0].Data; !slices.Equal(x, []float32{1}) || !slices.Equal(m.Meta, []string{"x"}) {
				t.Errorf("%q: features %v of %q", c.text, x, m.Meta)
			}
			if m.Weights != nil && m.Weights.Rows() != 1 || m.Labels != nil && m.Labels[0].Rows() != 1 {
				t.Errorf("%q: %v weights and %v labels of one row", c.text, m.Weights, m.Labels)
			}
		}
		if err == io.EOF || rows > 1 {
			t.Errorf("%q: %d rows, then %v", c.text, rows, err)
		}
	}
}

// openStream opens data by its name.
func openStream(text string, labels bool) (*Stream, error) {
	n, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return OpenStream(context.Background(), n, Options{Unlabelled: !labels})
}

// streams reports whether data with labels can be read as a stream.
func streams(text string) bool {
	n, err := Parse(text)
	return err == nil && Streams(n, Options{})
}
