package spark

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
)

func TestUnmurmur(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 1_000_000 {
		k := r.Uint32()
		if i < 1000 {
			k = uint32(i)
		}
		if got := unmurmur(murmur3(k)); got != k {
			t.Fatalf("%08x became %08x", k, got)
		}
	}
	// Values of Spark 4.1: SELECT hash(1f), hash(0f), hash(2f).
	for value, hash := range map[float32]int32{0: 933211791, 1: -466301895, 2: 1199227445} {
		if got := math.Float32frombits(unmurmur(uint32(hash))); got != value {
			t.Errorf("hash %d stands for %v, wanted %v", hash, got, value)
		}
	}
}

// packed returns numbers as Spark packs them.
func packed(numbers ...float32) string {
	var b []byte
	for _, x := range numbers {
		b = binary.BigEndian.AppendUint32(b, murmur3(math.Float32bits(x)))
	}
	return string(b)
}

func pick(columns ...string) engine.Pick {
	var p engine.Pick
	for _, c := range columns {
		name, kind, _ := strings.Cut(c, " ")
		p.Columns = append(p.Columns, engine.Column{Name: name, Type: kind})
	}
	return p
}

func text(column string) engine.Pick {
	p := pick(column)
	p.Text = true
	return p
}

func TestUnpack(t *testing.T) {
	inf := float32(math.Inf(1))
	type cells []engine.Cell
	for _, test := range []struct {
		picks []engine.Pick
		row   string
		want  any // cells, or a part of the error
	}{
		{[]engine.Pick{text("id bigint"), pick("x double")}, "2 1\n17" + packed(0.5),
			cells{{Text: []byte("17")}, {Shape: []int{}, Numbers: []float32{0.5}}}},
		{[]engine.Pick{text("id string"), pick("x double", "y int")}, "-1 2\n" + packed(1, -2),
			cells{{}, {Shape: []int{2}, Numbers: []float32{1, -2}}}},
		{[]engine.Pick{text("id string"), text("b binary")}, "0 2\n\x00\n",
			cells{{Text: []byte{}}, {Text: []byte("\x00\n")}}},
		{[]engine.Pick{pick("a array<float>")}, "3 0\n" + packed(1, 2, 3),
			cells{{Shape: []int{3}, Numbers: []float32{1, 2, 3}}}},
		{[]engine.Pick{pick("a array<array<int>>")}, "2 2 2 4 0\n" + packed(1, 2, 3, 4),
			cells{{Shape: []int{2, 2}, Numbers: []float32{1, 2, 3, 4}}}},
		{[]engine.Pick{pick("a array<array<array<int>>>")}, "1 2 2 1 1 2 0\n" + packed(1, 2),
			cells{{Shape: []int{1, 2, 1}, Numbers: []float32{1, 2}}}},
		{[]engine.Pick{pick("x int", "a vector", "y int", "z int"), pick("w int")}, "1 2 0 2 1\n" + packed(1, 2, 3, 4, 5, 6),
			cells{{Shape: []int{5}, Numbers: []float32{1, 2, 3, 4, 5}}, {Shape: []int{}, Numbers: []float32{6}}}},
		{[]engine.Pick{text("id bigint"), pick("x double", "y int")}, "2 -2\n17" + packed(1, 2),
			`column y is NULL in the row with id = "17": leave such rows out (WHERE y IS NOT NULL)`},
		{[]engine.Pick{pick("a array<float>")}, "-1 0\n", "column a is NULL in a row"},
		{[]engine.Pick{pick("a array<float>")}, "2 1\n" + packed(1, 1), "column a has an array with NULL in it"},
		{[]engine.Pick{pick("a array<float>")}, "0 0\n", "column a has an array without elements"},
		{[]engine.Pick{pick("a array<array<int>>")}, "2 1 2 3 0\n" + packed(1, 2, 3), "have 1 to 2 elements"},
		{[]engine.Pick{pick("a array<array<int>>")}, "2 -1 2 -1 0\n", "column a has an array with NULL in it"},
		{[]engine.Pick{pick("a array<array<int>>")}, "-1 0 0 -1 0\n", "column a is NULL"},
		{[]engine.Pick{pick("a array<float>")}, "2 0\n" + packed(1, inf), "column a has +Inf"},
		{[]engine.Pick{pick("x double", "odd`name float")}, "2\n" + packed(1, float32(math.NaN())),
			"column odd`name has NaN"},
		{[]engine.Pick{pick("x double")}, "1\n" + packed(1)[:3], "1 bytes too early"},
		{[]engine.Pick{pick("x double")}, "1\n" + packed(1) + "x", "1 bytes too many"},
		{[]engine.Pick{pick("x double")}, "1 2\n" + packed(1), "too many"},
		{[]engine.Pick{pick("x double")}, "z\n" + packed(1), "head"},
		{[]engine.Pick{pick("x double")}, "1", "no head"},
	} {
		u := unpacker{parts: parts(engine.Query{Pick: test.picks})}
		for range 2 { // twice, because nothing of a row may be left for the next
			row, err := u.row([]byte(test.row))
			if message, ok := test.want.(string); ok {
				if err == nil || !strings.Contains(err.Error(), message) {
					t.Errorf("%v, row %q: error %v, wanted %q", test.picks, test.row, err, message)
				}
				u = unpacker{parts: u.parts}
				continue
			}
			if err != nil {
				t.Errorf("%v, row %q: %v", test.picks, test.row, err)
				continue
			}
			got, err := engine.Cells(row)
			if err != nil || !reflect.DeepEqual(cells(got), test.want) {
				t.Errorf("%v, row %q: %#v, error %v", test.picks, test.row, got, err)
			}
		}
	}
}

func TestStatement(t *testing.T) {
	for text, ok := range map[string]bool{
		"SELECT 1": true, " select 1": true, "WITH a AS (SELECT 1) SELECT * FROM a": true, "FROM t SELECT 1": true,
		"VALUES (1)": true, "TABLE t": true,
		"-- my data\nSELECT 1": true, "/* a\nb */ SELECT 1": true, "(SELECT 1) UNION (SELECT 2)": true,
		"": false, "DROP TABLE t": false, "INSERT INTO t SELECT 1": false, "-- SELECT\nDROP TABLE t": false,
		"SELECTED": false, "/* SELECT */ DELETE FROM t": false,
		"t": false,
	} {
		if statement.MatchString(text) != ok {
			t.Errorf("%q: a query: %v", text, !ok)
		}
	}
}

func TestDocument(t *testing.T) {
	columns := []engine.Column{{Name: "id", Type: "bigint"}, {Name: "name", Type: "string"},
		{Name: "prediction", Type: "array<float>"}, {Name: "class", Type: "int"}}
	b, err := appendDocument(nil, columns, []engine.Cell{{Text: []byte("17")}, {},
		{Shape: []int{5}, Numbers: []float32{0.1, float32(math.NaN()), float32(math.Inf(-1)), 1e-45,
			float32(math.Copysign(0, -1))}},
		{Shape: []int{}, Numbers: []float32{3}}})
	if want := `{"c0":"MTc=","c1":null,"c2":[0.1,"NaN","-Infinity",1e-45,-0.0],"c3":"Mw=="}`; err != nil ||
		string(b) != want {
		t.Errorf("%s, error %v, wanted %s", b, err, want)
	}
	if _, err := appendDocument(nil, columns[:1], []engine.Cell{{Shape: []int{2}, Numbers: []float32{1, 2}}}); err == nil {
		t.Error("two numbers fitted a column of one")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		x := math.Float32frombits(r.Uint32())
		if x != x || math.IsInf(float64(x), 0) {
			continue
		}
		var back float64
		if _, err := fmt.Sscan(string(appendFloat(nil, x)), &back); err != nil || float32(back) != x {
			t.Fatalf("%v became %s", x, appendFloat(nil, x))
		}
	}
}

func TestCheckColumns(t *testing.T) {
	id, out := engine.Column{Name: "id", Type: "bigint"}, engine.Column{Name: "prediction", Type: "array<float>"}
	for _, test := range []struct {
		write engine.TableWrite
		want  string // in the error; empty for no error
	}{
		{engine.TableWrite{Table: "t", Columns: []engine.Column{id, out}}, ""},
		{engine.TableWrite{Columns: []engine.Column{id}}, "a table's name"},
		{engine.TableWrite{Table: "t", Mode: "upsert", Columns: []engine.Column{id}}, "error, append or overwrite"},
		{engine.TableWrite{Table: "t", Columns: []engine.Column{id, {Name: "m", Type: "map<int,int>"}}}, "map<int,int>"},
		{engine.TableWrite{Table: "t", Columns: []engine.Column{id, {Name: "ID", Type: "int"}}}, "two columns"},
	} {
		if err := checkColumns(test.write); (err == nil) != (test.want == "") || err != nil &&
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, wanted %q", test.write, err, test.want)
		}
	}
	w := engine.TableWrite{Table: "t", Mode: engine.Append, Columns: []engine.Column{id, out}}
	for _, test := range []struct {
		there []engine.Column
		fits  bool
	}{
		{[]engine.Column{id, out}, true}, {[]engine.Column{out, {Name: "ID", Type: "bigint"}}, true},
		{[]engine.Column{id}, false}, {[]engine.Column{id, {Name: "prediction", Type: "array<double>"}}, false},
		{[]engine.Column{id, out, {Name: "class", Type: "int"}}, false},
	} {
		if err := fits(w, test.there); (err == nil) != test.fits {
			t.Errorf("%v: error %v", test.there, err)
		}
	}
}
