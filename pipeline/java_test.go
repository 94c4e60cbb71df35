package pipeline

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
)

// javaFacts returns lines of the output of testdata/JavaFacts.java under Java 25: the kind, the inputs, and the result
// after a =, or ! for an exception.
func javaFacts(t *testing.T, kinds ...string) (facts [][]string) {
	t.Helper()
	f, err := os.Open("testdata/java-facts.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if !slices.Contains(kinds, fields[0]) {
			continue
		}
		for i, s := range fields {
			if err := json.Unmarshal([]byte(`"`+s+`"`), &fields[i]); err != nil {
				t.Fatal(err)
			}
		}
		facts = append(facts, fields)
	}
	if lines.Err() != nil || len(facts) == 0 {
		t.Fatal(lines.Err(), kinds)
	}
	return facts
}

// refusedExpressions have a meaning in Java and no counterpart here.
var refusedExpressions = []string{"a++", "a*+", "a?+", "a{1,2}+", "(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b", "(?>a)",
	`(a)\1`, `(?<n>a)\k<n>`, "[a-c[x-z]]", "[a-z&&[aeiou]]", `a\Z`, `\Ga`, `\X`, "(?x) a", `(?U)\w`, "(?d).",
	`\p{IsAlphabetic}`, `\p{InGreek}`, `\p{javaLowerCase}`}

// otherMeaning reports expressions whose meaning differs for some texts, as documented at goRegex: Java's $ matches
// before a newline at the end, it has more newlines, and an empty match may split a pair of surrogates.
func otherMeaning(expression, text string) bool {
	switch {
	case strings.HasSuffix(expression, "$"), strings.HasPrefix(expression, "(?m)"):
		return text == "" || strings.ContainsAny(text, "\n\r\u2028\u0085")
	}
	e, err := newExpression(expression)
	return err == nil && e.re.MatchString("") && strings.Contains(text, "\U0001F600")
}

func TestExpressionsAreJavas(t *testing.T) {
	refused := map[string]bool{}
	for _, f := range javaFacts(t, "matches", "replace", "split") {
		text, want := f[2], f[len(f)-1]
		if otherMeaning(f[1], text) {
			continue
		}
		got, err := javaExpression(f[0], f[1], text, f[3])
		switch {
		case err != nil && want != "!":
			refused[f[1]] = true
			if !slices.Contains(refusedExpressions, f[1]) {
				t.Errorf("%q is refused: %v", f[1:], err)
			}
		case err == nil && want != "!" && "="+got != want:
			t.Errorf("%s of %q: %q, want %q", f[0], f[1:len(f)-1], got, want[1:])
		}
	}
	for _, expression := range refusedExpressions {
		if !refused[expression] {
			t.Errorf("%q is not refused", expression)
		}
	}
}

func javaExpression(kind, expression, text, replacement string) (string, error) {
	switch kind {
	case "matches":
		re, err := wholeMatch(expression)
		if err != nil {
			return "", err
		}
		return strconv.FormatBool(re.MatchString(text)), nil
	case "replace":
		r, err := newReplacer(expression, replacement)
		if err != nil {
			return "", err
		}
		return r.replace(text), nil
	}
	e, err := newExpression(expression)
	if err != nil {
		return "", err
	}
	var tokens []string
	err = eachToken(e, text, func(s string) error {
		tokens = append(tokens, s)
		return nil
	})
	return strings.Join(tokens, "\x00"), err
}

func TestTextsAreReadAsJavaReadsThem(t *testing.T) {
	for _, f := range javaFacts(t, "int", "long", "double", "float") {
		v := Text(f[1])
		var got Value
		var err error
		switch f[0] {
		case "int":
			got, err = IntegerColumn{}.Convert(v)
		case "long":
			got, err = LongColumn{}.Convert(v)
		case "double":
			got, err = DoubleColumn{}.Convert(v)
		case "float":
			got, err = FloatColumn{}.Convert(v)
		}
		if strings.HasPrefix(f[1], "0x") {
			continue // DataVec reads these as integers, and testdata/cases.jsonl.gz has them
		}
		if want := f[2]; (err != nil) != (want == "!") || err == nil && "="+got.String() != want {
			t.Errorf("%s of %q is %v, %v; want %s", f[0], f[1], got, err, want)
		}
	}
}

func TestNumbersAreConvertedAndPrintedAsJavaDoes(t *testing.T) {
	for _, f := range javaFacts(t, "print", "printfloat", "toint", "tolong", "low", "upper", "lower") {
		x, _ := Text(f[1]).Double()
		var got string
		switch f[0] {
		case "print":
			got = Double(x).String()
		case "printfloat":
			got = Float(float32(x)).String()
		case "toint":
			n, _ := Double(x).Integer()
			got = strconv.Itoa(int(n))
		case "tolong":
			n, _ := Double(x).Long()
			got = strconv.FormatInt(n, 10)
		case "low":
			long, _ := Text(f[1]).Long()
			n, _ := Long(long).Integer()
			got = strconv.Itoa(int(n))
		case "upper", "lower":
			step := ChangeCase{"s", CaseType(strings.ToUpper(f[0]))}
			bound, err := step.Bind(&Schema{Columns: []Column{StringColumn{Name: "s"}}})
			if err != nil {
				t.Fatal(err)
			}
			row, _ := bound.Run.(rowOperator).row(Row{Text(f[1])})
			got = row[0].String()
		}
		if "="+got != f[2] {
			t.Errorf("%s of %q is %q, want %q", f[0], f[1], got, f[2][1:])
		}
	}
}

// TestOperationsAreJavas runs values through steps with each operation: on a column and a number, and on two columns.
func TestOperationsAreJavas(t *testing.T) {
	for _, f := range javaFacts(t, "Integer", "Long", "Double", "Float") {
		column, err := NewColumn("x", ColumnType(f[0]))
		if err != nil {
			t.Fatal(err)
		}
		x, errX := column.Convert(Text(f[2]))
		y, errY := column.Convert(Text(f[3]))
		if errX != nil || errY != nil {
			t.Fatal(f)
		}
		op, in := MathOp(f[1]), &Schema{Columns: []Column{column, column.Renamed("y")}}
		scalar, columns := mathSteps(op, y)
		checkOperation(t, scalar, in, Row{x, y}, 0, f)
		if op.checkColumns(2) == nil {
			checkOperation(t, columns, in, Row{x, y}, 2, f)
		} else if _, err := columns.Bind(in); err == nil {
			t.Errorf("%T is allowed on columns: %v", columns, f)
		}
	}
}

// mathSteps returns a step on the column x and a number, and one on the columns x and y.
func mathSteps(op MathOp, y Value) (scalar, columns Step) {
	both := []string{"x", "y"}
	switch y.Kind() {
	case IntegerKind:
		return IntegerMath{"x", op, int32(y.integer())}, IntegerColumnsMath{"z", op, both}
	case LongKind:
		return LongMath{"x", op, y.integer()}, LongColumnsMath{"z", op, both}
	case DoubleKind:
		return DoubleMath{"x", op, y.real()}, DoubleColumnsMath{"z", op, both}
	}
	return FloatMath{"x", op, float32(y.real())}, FloatColumnsMath{"z", op, both}
}

func checkOperation(t *testing.T, step Step, in *Schema, row Row, at int, fact []string) {
	t.Helper()
	bound, err := step.Bind(in)
	if err != nil {
		t.Fatalf("%T of %v: %v", step, fact, err)
	}
	row, err = bound.Run.(rowOperator).row(row)
	if err != nil && fact[4] != "!" || err == nil && "="+row[at].String() != fact[4] {
		t.Errorf("%T of %v: %v, %v", step, fact, row, err)
	}
}

func TestFunctionsAreJavas(t *testing.T) {
	for _, f := range javaFacts(t, "function") {
		of, err := MathFunction(f[1]).find()
		x, _ := Text(f[2]).Double()
		want, _ := Text(f[3][1:]).Double()
		if err != nil {
			t.Fatal(err)
		}
		got := of(x)
		if math.Float64bits(got) == math.Float64bits(want) || got != got && want != want {
			continue
		}
		if !near.Equal(got, want, 0, 1e-11) || got == 0 {
			t.Errorf("%s(%s) is %v, want %v", f[1], f[2], got, want)
		}
	}
}
