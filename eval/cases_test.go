package eval

import (
	"encoding/base64"
	"encoding/xml"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

func row(v ...float32) *tensor.Dense { return &tensor.Dense{Shape: tensor.Shape{1, len(v)}, Data: v} }

// page writes a page of cases, which must be well-formed.
func (c *Cases) page(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	if err := (Page{Title: "page", Cases: c}).Write(&b); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(strings.NewReader(b.String()))
	d.Entity = xml.HTMLEntity
	for {
		if _, err := d.Token(); err == io.EOF {
			return b.String()
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestHardest: the examples with the largest losses are kept, with their features. Outputs that are not finite come
// first, and masked examples do not count.
func TestHardest(t *testing.T) {
	c := &Cases{Names: []string{"<b>cat", "dog"}, Columns: []string{"size", "a&b"}}
	for i := range 1000 {
		p := float32(i%100)/100 + 0.005
		c.Add("", row(1, 0), row(p, 1-p), nil)
	}
	nan := float32(math.NaN())
	c.Add("last", row(0, 1), row(nan, nan), nil)
	c.Add("", row(0, 1), row(1, 0), row(0, 0))
	c.Add("", &tensor.Dense{Shape: tensor.Shape{1, 2, 3}, Data: make([]float32, 6)}, row(1, 0), nil)
	want := []int{1000}
	for i := range 10 {
		want = append(want, 100*i)
	}
	var got []int
	for _, x := range c.hardest[:11] {
		got = append(got, x.Index)
	}
	if len(c.hardest) != mostHardest || !slices.Equal(got, want) || c.Seen() != 1003 {
		t.Errorf("%v", got)
	}
	wanted := c.Wanted()
	for _, at := range wanted {
		c.Feature(at, []float32{float32(at), 2})
	}
	if len(wanted) != mostHardest || !slices.IsSorted(wanted) || c.Wanted() != nil {
		t.Errorf("wanted %v, then %v", wanted, c.Wanted())
	}
	page := c.page(t)
	for _, want := range []string{"&lt;b&gt;cat</td><td>dog (", "a&amp;b", ">last</th><td>dog",
		"<td>900</td><td>2</td>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestPoints: of many examples only some are drawn, evenly spaced, and the page stays small.
func TestPoints(t *testing.T) {
	c := &Cases{Numbers: true, Names: []string{"price <€>"}}
	for i := range MostCases {
		y := float32(i) / 100
		c.Add("", row(y), row(y+float32(i%7)-3), nil)
	}
	if !c.Full() || len(c.points) < mostPoints/2 || len(c.points) > mostPoints || c.points[1].Index != c.every ||
		c.points[len(c.points)-1].Index < MostCases-2*c.every {
		t.Errorf("%d points, one of %d", len(c.points), c.every)
	}
	page := c.page(t)
	if n := strings.Count(page, "<circle"); n != 2*len(c.points) || len(page) > 200_000 {
		t.Errorf("%d circles in %d bytes", n, len(page))
	}
	if !strings.Contains(page, "Residuals of price &lt;€&gt;") || strings.Contains(page, "NaN") {
		t.Error("the page is not as it should be")
	}
	same := &Cases{Numbers: true} // no range, nothing finite
	same.Add("", row(0), row(0), nil)
	same.Add("", row(0), row(float32(math.Inf(1))), nil)
	if page := same.page(t); strings.Contains(page, "NaN") {
		t.Error("a page of equal values has NaN")
	}
	for _, v := range [][]float64{{0}, {5, 5}, {-1e-9, 1e9}, {3, 97}, {-250, -249.5}} {
		if in := rangeOf(v); !(in[0] <= slices.Min(v) && in[1] >= slices.Max(v) && in[0] < in[1]) {
			t.Errorf("the range of %v is %v", v, in)
		}
	}
}

// TestPictures: examples that are pictures are shown as pictures, whatever their range and size.
func TestPictures(t *testing.T) {
	for _, p := range []struct{ height, width, channels, wide int }{{8, 8, 1, 8}, {300, 200, 3, 67}, {4, 4, 2, 0}} {
		c := &Cases{Height: p.height, Width: p.width, Channels: p.channels}
		c.Add("k", row(1, 0), row(0.25, 0.75), nil)
		features := make([]float32, p.height*p.width*p.channels)
		features[0] = 255
		c.Feature(0, features)
		_, after, ok := strings.Cut(c.page(t), "data:image/png;base64,")
		if ok != (p.wide > 0) {
			t.Errorf("%+v: a picture: %t", p, ok)
		}
		if !ok {
			continue
		}
		text, _, _ := strings.Cut(after, `"`)
		picture, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
		if err != nil || picture.Bounds().Dx() != p.wide {
			t.Errorf("%+v: %v, %v", p, picture, err)
			continue
		}
		if red, _, _, _ := picture.At(0, 0).RGBA(); red != 0xffff {
			t.Errorf("%+v: the first pixel is %x", p, red)
		}
	}
}
