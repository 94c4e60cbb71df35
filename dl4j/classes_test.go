package dl4j

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

type shape interface{ area() float64 }

type square struct {
	Side  float64 `dl4j:"side"`
	Name  string  `dl4j:"name,zeronull"`
	Inner shape   `dl4j:"inner,omitnull"`
}

type disc struct {
	Radius float64 `dl4j:"radius,creator,alias=r"`
	Tags   []int   `dl4j:"points"`
	Limit  *int    `dl4j:"limit"`
	Inert  Inert
}

func (square) area() float64         { return 0 }
func (*disc) area() float64          { return 0 }
func (disc) InertFields() Object     { return Object{{"cacheMode", "NONE"}, {"speed", nil}} }
func newDisc() shape                 { return &disc{Radius: 1, Tags: []int{}} }
func newSquare() shape               { return square{Side: 2} }
func intPointer(n int) *int          { return &n }
func formatErr(e error) *FormatError { var f *FormatError; errors.As(e, &f); return f }

type drawing struct {
	Shapes []shape    `dl4j:"shapes"`
	Named  Map[shape] `dl4j:"named"`
	Pair   [2]int32   `dl4j:"pair"`
}

var shapes = NewClasses[shape]("shape")

func init() {
	shapes.Register("org.example.Disc", newDisc)
	shapes.Register("org.example.Square", newSquare)
	shapes.Alias("org.example.old.Square", "org.example.Square")
}

const drawn = `{
  "named" : {
    "z" : {
      "@class" : "org.example.Square",
      "name" : null,
      "side" : "NaN"
    },
    "a" : null
  },
  "pair" : [ 1, -2 ],
  "shapes" : [ {
    "@class" : "org.example.Disc",
    "radius" : 1.0E-8,
    "cacheMode" : "NONE",
    "limit" : 3,
    "points" : [ ],
    "speed" : 7
  }, {
    "@class" : "org.example.Square",
    "inner" : {
      "@class" : "org.example.Square",
      "name" : "in",
      "side" : 2.0
    },
    "name" : null,
    "side" : 1.0
  } ]
}`

func TestPolymorphicObjects(t *testing.T) {
	var d drawing
	if err := Unmarshal([]byte(drawn), &d); err != nil {
		t.Fatal(err)
	}
	again, err := Marshal(d)
	if err != nil || string(again) != drawn {
		t.Errorf("%v, written as\n%s", err, again)
	}
	got := d.Shapes[0].(*disc)
	got.Inert = Inert{}
	if want := (&disc{Radius: 1e-8, Tags: []int{}, Limit: intPointer(3)}); !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, want %+v", got, want)
	}
	if z, _ := d.Named.Get("z"); !math.IsNaN(z.(square).Side) {
		t.Errorf("read %+v", z)
	}
	if again, _ = Marshal(got); !strings.Contains(string(again), `"speed" : null`) {
		t.Errorf("an inert member's usual value is not written:\n%s", again)
	}
}

func TestAbsentMembersKeepTheConstructorsValues(t *testing.T) {
	var s shape
	if err := Unmarshal([]byte(`{"@class":"org.example.old.Square"}`), &s); err != nil || s != newSquare() {
		t.Errorf("%+v, %v", s, err)
	}
	if err := Unmarshal([]byte(`{"@class":"org.example.Disc", "r": 2}`), &s); err != nil || s.(*disc).Radius != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestWhatIsWrongInAConfigurationIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		`{"shapes":[{"@class":"org.example.Disc"},{"@class":"org.example.Cube"}]}`: `shapes[1]: shape of the unknown class ` +
			`"org.example.Cube"; read it with a program that imports the package of this class`,
		`{"shapes":[{"@class":"org.nd4j.Cube"}]}`:             `shapes[0]: shape of the unknown class "org.nd4j.Cube"`,
		`{"shapes":[{"@class":"org.example.Disc","wide":1}]}`: `shapes[0].wide: unknown member of org.example.Disc`,
		`{"shapes":[{}]}`: `shapes[0]: shape without "@class"`,
		`{"shapes":[{"@class":"org.example.Disc","points":[1,2.5]}]}`: `shapes[0].points[1]: a whole number of 64 bits should be here, not 2.5`,
		`{"named":{"q":[]}}`: `named.q: shape (an object) should be here, not an array`,
		`{"pair":[1]}`:       `pair: an array of 2 values should be here, not of 1`,
		`{"pair":[1,"x"]}`:   `pair[1]: a whole number should be here, not "x"`,
		`{"pair":[1,3e9]}`:   `pair[1]: a whole number of 32 bits should be here, not 3e9`,
		`{"colour":"red"}`:   `colour: unknown member`,
		`[]`:                 `an object should be here, not an array`,
		`{"shapes":[{"@class":"org.example.Square","side":"1.5"}]}`: `shapes[0].side: a number should be here, not "1.5"`,
		`{"shapes":[{"@class":"org.example.Square","side":1e999}]}`: `shapes[0].side: a number that a float of 64 bits can hold should be here, not 1e999`,
	} {
		var d drawing
		err := Unmarshal([]byte(text), &d)
		if f := formatErr(err); f == nil || f.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
	type cube struct{ square }
	if _, err := Marshal(drawing{Shapes: []shape{square{}, cube{}}}); err == nil ||
		!strings.HasPrefix(err.Error(), "shapes[1]: ") {
		t.Errorf("an unregistered type is written: %v", err)
	}
}

func TestErrorsNameTheFile(t *testing.T) {
	err := Unmarshal([]byte(`{"pair":1}`), &drawing{})
	err = In(In(err, "", "configuration.json"), "model.zip", "")
	if want := "model.zip: configuration.json: pair: an array should be here, not 1"; err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
