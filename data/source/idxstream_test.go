package source

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
)

// drain returns all examples of a stream before its error, which is nil after the last one.
func drain(spec string, labels bool) (all []*data.MultiDataSet, err error) {
	s, err := openStream(spec, labels)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for {
		m, err := s.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		for i := range m.Examples() {
			all = append(all, m.Slice(i, i+1))
		}
	}
}

// TestStreamsAreTheFiles: if Streams is true, a stream has the same examples and description as the loaded data.
func TestStreamsAreTheFiles(t *testing.T) {
	pixels := make([]byte, 7*3*5)
	for i := range pixels {
		pixels[i] = byte(i*37 + 11)
	}
	x, flat := idx([]int{7, 3, 5}, pixels...), idx([]int{7, 15}, pixels...)
	y := idx([]int{7}, 2, 0, 1, 2, 4, 0, 0)
	points, rows := write(t, "p.svm", "1 1:0.5 3:2\n0\n1 2:-1\n"), write(t, "r.csv", "a,b,y\n1,2,u\n3,4,v\n")
	numbers := write(t, "n.csv", "1,2,0.5\n3,4,-1\n")
	for spec, whole := range map[string]bool{
		"idx:" + write(t, "x", x) + "," + write(t, "y", y):                               true,
		"idx:" + write(t, "x", flat) + "," + write(t, "y", y) + "?classes=9":             true,
		"idx:" + write(t, "x.gz", gzipped(t, x)) + "," + write(t, "y.gz", gzipped(t, y)): true,
		"idx:" + write(t, "x.gz", gzipped(t, flat)) + "," + write(t, "y", y):             true,
		"libsvm:" + points + "?features=3&classes=2":                                     true,
		"libsvm:" + points + "?features=3&labels=1,0":                                    true,
		"libsvm:" + points + "?features=4&regression=true":                               true,
		"libsvm:" + points + "?features=3":                                               false,
		"csv:" + rows + "?names=v,u":                                                     true,
		"csv:" + numbers + "?regression=true":                                            true,
		"csv:" + numbers + "?label=none":                                                 true,
		"csv:" + rows + "?classes=2":                                                     false,
		"csv:" + rows:                                                                    false,
	} {
		if got := streams(spec); got != whole {
			t.Errorf("%s: a stream gives what the file has: %v", spec, got)
		}
		if !whole {
			continue
		}
		table := open2(t, spec)
		s, err := openStream(spec, true)
		if err != nil {
			t.Fatal(err)
		}
		info, want := s.Info(), table.Info()
		if strings.HasPrefix(spec, "idx:") != (info.Examples == want.Examples) || s.Live() {
			t.Errorf("%s: %d examples, live: %v", spec, info.Examples, s.Live())
		}
		if info.Name != want.Name || info.Classes != want.Classes || !slices.Equal(info.LabelNames, want.LabelNames) ||
			(info.Image == nil) != (want.Image == nil) || info.Image != nil && *info.Image != *want.Image ||
			!slices.EqualFunc(info.Features, want.Features, slices.Equal) ||
			!slices.EqualFunc(info.Labels, want.Labels, slices.Equal) {
			t.Errorf("%s: described as %+v, wanted %+v", spec, info, want)
		}
		s.Close()
		for _, labels := range []bool{true, false} {
			all, err := drain(spec, labels)
			if err != nil || len(all) != want.Examples {
				t.Fatalf("%s: %d examples, error %v", spec, len(all), err)
			}
			for i, m := range all {
				w := table.(Table).Range(i, i+1)
				if !slices.Equal(m.Features[0].Data, w.Features[0].Data) || !m.Features[0].Shape.Equal(w.Features[0].Shape) {
					t.Errorf("%s: example %d is %v, wanted %v", spec, i, m.Features[0], w.Features[0])
				}
				if !labels {
					w.Labels = nil
				}
				if len(m.Labels) != len(w.Labels) || len(w.Labels) > 0 && !slices.Equal(m.Labels[0].Data, w.Labels[0].Data) {
					t.Errorf("%s: example %d has the labels %v, wanted %v", spec, i, m.Labels, w.Labels)
				}
			}
		}
	}
}

// TestBadIDXStream: errors name the file and the byte, and come before the last example.
func TestBadIDXStream(t *testing.T) {
	pixels := make([]byte, 40*6)
	for i := range pixels {
		pixels[i] = byte(i * i)
	}
	x, y := idx([]int{40, 2, 3}, pixels...), idx([]int{40}, make([]byte, 40)...)
	packed := gzipped(t, x)
	sum := []byte(packed)
	sum[len(sum)-6] ^= 1 // of the checksum
	for name, c := range map[string]struct {
		x, y  string
		want  string
		at    int64
		given int // largest number of examples
	}{
		"cut":           {x[:100], y, "takes 240 bytes, and 84 follow", 4, 0},
		"cut, gzipped":  {gzipped(t, x[:100]), y, "takes 240 bytes, and 84 follow", 100, 14},
		"cut gzip":      {packed[:len(packed)/2], y, "and", -1, 39},
		"more, gzipped": {gzipped(t, x+"1"), y, "and more follow", 256, 39},
		"checksum":      {string(sum), y, "checksum", 256, 39},
		"no images":     {idx([]int{0, 2, 3}), idx([]int{0}), "no images", -1, 0},
		"counts":        {x, idx([]int{39}, make([]byte, 39)...), "39 labels for the 40 images", -1, 0},
		"labels cut":    {x, y[:30], "takes 40 bytes", 4, 0},
		"not IDX":       {"label,pixel\n", y, "not an IDX file", 0, 0},
		"no dimensions": {idx([]int{40}, make([]byte, 40)...), y, "3 dimensions", -1, 0},
	} {
		px, py := write(t, "x", c.x), write(t, "y", c.y)
		all, err := drain("idx:"+px+","+py, true)
		var f *dl4j.FormatError
		if !errors.As(err, &f) || !strings.Contains(err.Error(), c.want) || f.Path != px && f.Path != py {
			t.Errorf("%s: error %v, wanted one with %q", name, err, c.want)
			continue
		}
		if c.at >= 0 && f.Offset != c.at || len(all) > c.given {
			t.Errorf("%s: %v at byte %d, after %d examples", name, err, f.Offset, len(all))
		}
	}
	path := write(t, "x", x)
	for _, spec := range []string{"idx:" + path, "idx:" + path + "," + path + ".none", "idx:-," + path, "idx:" + path +
		"," + path + "?class=1"} {
		if _, err := openStream(spec, true); err == nil {
			t.Errorf("%s is read", spec)
		}
	}
	if _, err := openStream("idx:"+path+","+write(t, "y", idx([]int{40}, append(make([]byte, 39), 7)...))+"?classes=7",
		false); err == nil || !strings.Contains(err.Error(), "label 39 has class 7") {
		t.Errorf("a class too many: %v", err)
	}
}
