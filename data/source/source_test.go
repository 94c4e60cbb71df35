package source

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/tensor"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, spec string) Table {
	t.Helper()
	s, err := Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if s.Info().Name != spec {
		t.Errorf("%s is named %s", spec, s.Info().Name)
	}
	return s.(Table)
}

func TestDigits(t *testing.T) {
	all, train, test := open(t, "digits"), open(t, "digits:train"), open(t, "digits:test")
	if all.Objects() != 1797 || train.Objects() != 1497 || test.Objects() != 300 {
		t.Errorf("%d, %d and %d images", all.Objects(), train.Objects(), test.Objects())
	}
	i := all.Info()
	if *i.Image != (Image{8, 8, 1}) || i.Classes != 10 || !i.Features[0].Equal(tensor.Shape{64}) ||
		!i.Labels[0].Equal(tensor.Shape{10}) {
		t.Errorf("%+v", i)
	}
	m := all.Range(0, 2)
	// The first image is a zero with the first row 0 0 5 13 9 1 0 0; the second is a one.
	if want := []float32{0, 0, 5. / 16, 13. / 16, 9. / 16, 1. / 16, 0, 0}; !slices.Equal(m.Features[0].Data[:8], want) {
		t.Errorf("the first row is %v, want %v", m.Features[0].Data[:8], want)
	}
	if m.Labels[0].Data[0] != 1 || m.Labels[0].Data[11] != 1 {
		t.Errorf("the labels are %v", m.Labels[0].Data)
	}
	// Both parts together are all digits; every class is in both.
	counts := func(s Table) (per [10]int) {
		y := s.Range(0, s.Objects()).Labels[0]
		for i, v := range y.Data {
			per[i%10] += int(v)
		}
		return per
	}
	a, b, c := counts(train), counts(test), counts(all)
	for k := range 10 {
		if a[k]+b[k] != c[k] || b[k] < 20 {
			t.Errorf("digit %d: %d to train with, %d to test, %d in all", k, a[k], b[k], c[k])
		}
	}
	if x := all.Examples([]int{6, 0}); !slices.Equal(x.Features[0].Data, append(test.Range(1, 2).Features[0].Data,
		m.Features[0].Data[:64]...)) {
		t.Error("examples by index are others than by range")
	}
}

// idx returns an IDX file of bytes.
func idx(shape []int, bytes ...byte) string {
	b := []byte{0, 0, 8, byte(len(shape))}
	for _, d := range shape {
		b = append(b, 0, 0, byte(d>>8), byte(d))
	}
	return string(append(b, bytes...))
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestIDX(t *testing.T) {
	x, y := idx([]int{2, 1, 3}, 0, 51, 255, 1, 2, 3), idx([]int{2}, 2, 0)
	for _, spec := range []string{
		"idx:" + write(t, "x", x) + "," + write(t, "y", y),
		"idx:" + write(t, "x.gz", gzipped(t, x)) + "," + write(t, "y.gz", gzipped(t, y)),
	} {
		s, err := Open(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		m := s.(Table).Range(0, 2)
		if want := []float32{0, 0.2, 1, 1. / 255, 2. / 255, 3. / 255}; !slices.Equal(m.Features[0].Data, want) {
			t.Errorf("pixels %v, want %v", m.Features[0].Data, want)
		}
		if want := []float32{0, 0, 1, 1, 0, 0}; !slices.Equal(m.Labels[0].Data, want) {
			t.Errorf("labels %v, want %v", m.Labels[0].Data, want)
		}
		if i := s.Info(); *i.Image != (Image{1, 3, 1}) || i.Classes != 3 {
			t.Errorf("%+v", i)
		}
	}
	if s := open2(t, "idx:"+write(t, "x", x)+","+write(t, "y", y)+"?classes=10"); s.Info().Classes != 10 {
		t.Errorf("classes=10 gives %+v", s.Info())
	}
}

func open2(t *testing.T, spec string) Source {
	t.Helper()
	s, err := Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBadIDX(t *testing.T) {
	x, y := idx([]int{2, 1, 3}, 0, 51, 255, 1, 2, 3), idx([]int{2}, 2, 0)
	for name, c := range map[string]struct{ x, y, want string }{
		"counts":    {x, idx([]int{3}, 0, 1, 2), "3 labels for the 2 images"},
		"swapped":   {y, x, "3 dimensions"},
		"truncated": {x[:len(x)-1], y, "takes 6 bytes, and 5 follow"},
		"longer":    {x + "a", y, "takes 6 bytes, and 7 follow"},
		"foreign":   {"label,pixel\n", y, "not an IDX file"},
		"empty":     {"", y, "not an IDX file"},
		"floats":    {strings.Replace(x, "\x08", "\x0d", 1), y, "type 0xd"},
		"huge":      {"\x00\x00\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", y, "damaged"},
		"gzip":      {gzipped(t, x)[:20], y, "ends too early"},
		"huge gzip": {gzipped(t, "\x00\x00\x08\x03\x00\x00\x00\x02\x00\x00\xff\xff\x00\x00\x01\x00abc"), y, "and 3 follow"},
		"huge image": {gzipped(t, "\x00\x00\x08\x03\x00\x00\x00\x02\x00\x0f\xff\xff\x00\x00\xff\xffabc"), y,
			"an image has 68718362625 elements"},
		"no examples": {idx([]int{0, 1, 3}), idx([]int{0}), "no images"},
	} {
		path := write(t, "x", c.x)
		_, err := Open(t.Context(), "idx:"+path+","+write(t, "y", c.y))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	spec := "idx:" + write(t, "x", x) + "," + write(t, "y", y)
	for _, bad := range []string{spec + "?classes=2", spec + "?classes=0", spec + "?clases=3", "idx:one",
		"idx:/no/such,/file"} {
		if _, err := Open(t.Context(), bad); err == nil {
			t.Errorf("%s is opened", bad)
		}
	}
}

const flowers = "length,width,species\n5.1,3.5,setosa\n 7.0 ,\"3.2\",virginica\n6.4,3.2,setosa\n"

func TestCSV(t *testing.T) {
	for name, c := range map[string]struct {
		text, options string
		x, y          []float32
		names         string
	}{
		"names": {flowers, "", []float32{5.1, 3.5, 7, 3.2, 6.4, 3.2}, []float32{1, 0, 0, 1, 1, 0},
			"setosa,virginica"},
		"more classes": {flowers, "?classes=3", []float32{5.1, 3.5, 7, 3.2, 6.4, 3.2}, []float32{1, 0, 0, 0, 1, 0, 1, 0, 0},
			"setosa,virginica"},
		"listed names": {flowers, "?names=virginica,setosa", []float32{5.1, 3.5, 7, 3.2, 6.4, 3.2},
			[]float32{0, 1, 1, 0, 0, 1}, "virginica,setosa"},
		"column by name": {"class,a\n1,2\n0,3\n", "?label=class&classes=2", []float32{2, 3}, []float32{0, 1, 1, 0}, ""},
		"column 0":       {"1,2\n0,3\n", "?label=0&classes=3", []float32{2, 3}, []float32{0, 1, 0, 1, 0, 0}, ""},
		"numbers":        {"2,10\n3,9\n4,9.0\n", "", []float32{2, 3, 4}, []float32{0, 1, 1, 0, 1, 0}, "9,10"},
		"regression":     {"2,10.5\n3,9\n", "?regression=true", []float32{2, 3}, []float32{10.5, 9}, ""},
		"two targets":    {"a,b,c\n1,2,3\n4,5,6\n", "?label=a,c&regression=true", []float32{2, 5}, []float32{1, 3, 4, 6}, ""},
		"no label":       {"1,2\n3,4\n", "?label=none", []float32{1, 2, 3, 4}, nil, ""},
		"numeric header": {"0,1\n3,1\n", "?header=true&classes=2", []float32{3}, []float32{0, 1}, ""},
		"no header":      {"3,yes\n", "?header=false", []float32{3}, []float32{1}, "yes"},
		"tabs, CRLF":     {"\ufeff1\t0\r\n2\t1\r\n", "?delimiter=tab&classes=2", []float32{1, 2}, []float32{1, 0, 0, 1}, ""},
	} {
		s, err := Open(t.Context(), "csv:"+write(t, "t.csv", c.text)+c.options)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		m := s.(Table).Range(0, s.Objects())
		var y []float32
		if len(m.Labels) > 0 {
			y = m.Labels[0].Data
		}
		if !slices.Equal(m.Features[0].Data, c.x) || !slices.Equal(y, c.y) ||
			strings.Join(s.Info().LabelNames, ",") != c.names {
			t.Errorf("%s: features %v, labels %v, names %v", name, m.Features[0].Data, y, s.Info().LabelNames)
		}
		if err := m.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBadCSV(t *testing.T) {
	for name, c := range map[string]struct{ text, options, want string }{
		"empty":       {"", "", "no examples"},
		"header only": {"a,b\n", "", "no examples"},
		"no such column": {flowers, "?label=colour",
			`t.csv:1:1: there is no label column "colour": there are length, width, species`},
		"column 3": {"1,2,0\n", "?label=3", `no label column "3"`},
		"not a number": {"length,species\n5.1,a\nlong,b\n", "",
			`t.csv:3:1: column "length": "long" is not a finite number`},
		"NaN":             {"1,2,0\n1,NaN,1\n", "", `t.csv:2:3: column 1: "NaN" is not a finite number`},
		"missing":         {"1,2,0\n1,,1\n", "", "t.csv:2:3: column 1: the value is missing"},
		"missing label":   {"1,2\n1,\n", "", "t.csv:2:3: column 1: the label is missing"},
		"out of range":    {"1,2\n1,3\n", "?classes=3", "t.csv:2:3: the label 3 is out of range: classes=3 allows 0 to 2"},
		"negative":        {"1,0\n1,-1\n", "?classes=3", "t.csv:2:3: the label -1 is out of range"},
		"fraction":        {"1,0\n1,1.5\n", "", "regression=true"},
		"a word":          {"1,0\n1,cat\n", "?classes=2", `t.csv:2:3: the label "cat" is not a number`},
		"too many":        {flowers, "?classes=1", `t.csv:3:13: the label "virginica" is one too many`},
		"other names":     {flowers, "?names=setosa,rose", `t.csv:3:13: the label "virginica" is none of`},
		"fields":          {"1,2,0\n1,2\n", "", "t.csv:2:1: this line has 2 fields, the first line has 3"},
		"quotes":          {"1,\"2,0\n", "", "t.csv:1:"},
		"only labels":     {"1\n2\n", "", "none is left for features"},
		"image":           {"1,2,0\n", "?image=2x2", "4 pixels"},
		"unknown option":  {flowers, "?lable=species", `unknown option "lable"`},
		"bad classes":     {flowers, "?classes=many", "classes=many"},
		"bad regression":  {flowers, "?regression=perhaps", "regression=perhaps"},
		"classes, names":  {flowers, "?classes=3&names=setosa,virginica", "names lists 2"},
		"regression word": {flowers, "?regression=true", `"setosa" is not a finite number`},
	} {
		_, err := Open(t.Context(), "csv:"+write(t, "t.csv", c.text)+c.options)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestSaved(t *testing.T) {
	dir := t.TempDir()
	save := func(name string, n, length int) {
		x, y := tensor.New(n, 2, length), tensor.New(n, 3)
		for i := range n {
			y.Data[3*i+i%3] = 1
		}
		m := &data.MultiDataSet{Features: []*tensor.Dense{x}, Labels: []*tensor.Dense{y}}
		if err := m.SaveFile(t.Context(), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	save("b.bin", 4, 5)
	save("a.bin", 2, 5)
	for _, name := range []string{".hidden", "_SUCCESS"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := open2(t, "dl4j:"+dir).(*Saved)
	i := s.Info()
	if i.Examples != 6 || s.Objects() != 2 || !strings.HasSuffix(s.Paths()[0], "a.bin") || i.Classes != 3 ||
		!i.Features[0].Equal(tensor.Shape{2, 5}) {
		t.Errorf("%+v, %v", i, s.Paths())
	}
	if m, err := s.Object(1); err != nil || m.Examples() != 4 {
		t.Errorf("%v, %v", m, err)
	}
	save("c.bin", 1, 7)
	if s = open2(t, "dl4j:"+dir).(*Saved); !s.Info().Features[0].Equal(tensor.Shape{2, -1}) {
		t.Errorf("series of different lengths have the shape %v", s.Info().Features[0])
	}
	wide := &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(1, 3, 5)}}
	if err := wide.SaveFile(t.Context(), filepath.Join(dir, "d.bin")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), "dl4j:"+dir); err == nil ||
		!strings.Contains(err.Error(), "d.bin: an example's features have the shape [3, 5]") {
		t.Errorf("features of another size: %v", err)
	}
	for i := range 7 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("foreign%d.txt", i)), []byte("some text\n"),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(t.Context(), "dl4j:"+dir); err == nil ||
		!strings.Contains(err.Error(), "7 of 11 files can't be used: ") ||
		!strings.Contains(err.Error(), "foreign4.txt: ") || strings.Contains(err.Error(), "foreign5") ||
		!strings.Contains(err.Error(), "and 2 more") {
		t.Errorf("files that are no data sets: %v", err)
	}
	for _, bad := range []string{"dl4j:", "dl4j:" + t.TempDir(), "dl4j:/no/such", "digits:all", "digits:", "mnist", ""} {
		if _, err := Open(t.Context(), bad); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestBatches(t *testing.T) {
	dir := t.TempDir()
	digits := open(t, "digits:test")
	for i, cut := range [][2]int{{0, 7}, {7, 12}, {12, 40}} {
		if err := digits.Range(cut[0], cut[1]).SaveFile(t.Context(), filepath.Join(dir, fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	saved := open2(t, "dl4j:"+dir)
	for _, c := range []struct {
		s     Source
		size  int
		sizes []int
	}{
		{saved, 0, []int{7, 5, 28}}, {saved, 16, []int{16, 16, 8}}, {digits, 128, []int{128, 128, 44}},
		{digits, 0, slices.Repeat([]int{1}, 300)},
	} {
		it := Batches(c.s, c.size)
		var sizes []int
		at := 0
		for {
			m, err := it.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := digits.Range(at, at+m.Examples()); !slices.Equal(m.Features[0].Data, want.Features[0].Data) {
				t.Errorf("batches of %d: examples from %d are others", c.size, at)
			}
			at += m.Examples()
			sizes = append(sizes, m.Examples())
		}
		if !slices.Equal(sizes, c.sizes) {
			t.Errorf("batches of %d: %v, want %v", c.size, sizes, c.sizes)
		}
	}
}

func ExampleOpen() {
	s, err := Open(context.Background(), "digits:test")
	if err != nil {
		fmt.Println(err)
		return
	}
	i := s.Info()
	fmt.Println(i.Examples, i.Features[0], i.Classes, *i.Image)
	// Output: 300 [64] 10 {8 8 1}
}
