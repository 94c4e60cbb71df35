package pipeline

import (
	"fmt"
	"strings"
	"sync"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// AppendString appends a text to the values of a column (string.AppendStringColumnTransform). Like the other steps on
// texts, it takes any value as the text that DataVec prints for it: null as "NullWritable". The resulting String
// column has no limits.
type AppendString struct {
	Column string `dl4j:"columnName"`
	Text   string `dl4j:"toAppend"`
}

// ChangeCase converts a column's texts to lower or upper case (string.ChangeCaseStringTransform), by Unicode's rules:
// "ß" becomes "SS".
type ChangeCase struct {
	Column string   `dl4j:"columnName"`
	Case   CaseType `dl4j:"caseType"`
}

// CaseType is a case of letters.
type CaseType string

// The cases.
const (
	LowerCase CaseType = "LOWER"
	UpperCase CaseType = "UPPER"
)

// RemoveWhitespace removes spaces, tabs, newlines, vertical tabs, form feeds and returns from a column's texts
// (string.RemoveWhiteSpaceTransform). Other white space is kept.
type RemoveWhitespace struct {
	Column string `dl4j:"columnName"`
}

// MapStrings replaces whole texts (string.StringMapTransform). A text without an entry is kept.
type MapStrings struct {
	Column string        `dl4j:"columnName"`
	Map    StringMapping `dl4j:"map"`
}

// MapAllExcept replaces all texts except those listed (string.MapAllStringsExceptListTransform).
type MapAllExcept struct {
	Column     string   `dl4j:"columnName"`
	Value      string   `dl4j:"newValue"`
	Exceptions []string `dl4j:"exceptions"`
}

// ReplaceStrings replaces the matches of regular expressions in a column's texts (string.ReplaceStringTransform), in
// the order of Map. Expressions and replacements are Java's: "$1" is the first group.
type ReplaceStrings struct {
	Column string        `dl4j:"columnName"`
	Map    StringMapping `dl4j:"map"`
}

// ConcatenateStrings appends a column with the texts of others, joined by a delimiter
// (string.ConcatenateStringColumns).
type ConcatenateStrings struct {
	NewColumn string   `dl4j:"newColumnName"`
	Delimiter string   `dl4j:"delimiter"`
	Columns   []string `dl4j:"columnsToConcatenate"`
}

func init() {
	const pkg = "org.datavec.api.transform.transform.string."
	RegisterTransform(pkg+"AppendStringColumnTransform", func() Transform { return AppendString{} })
	RegisterTransform(pkg+"ChangeCaseStringTransform", func() Transform { return ChangeCase{} })
	RegisterTransform(pkg+"RemoveWhiteSpaceTransform", func() Transform { return RemoveWhitespace{} })
	RegisterTransform(pkg+"StringMapTransform", func() Transform { return MapStrings{} })
	RegisterTransform(pkg+"MapAllStringsExceptListTransform", func() Transform { return MapAllExcept{} })
	RegisterTransform(pkg+"ReplaceStringTransform", func() Transform { return ReplaceStrings{} })
	RegisterTransform(pkg+"ConcatenateStringColumns", func() Transform { return ConcatenateStrings{} })
}

// mapText binds a function on texts.
func mapText(in *Schema, name string, f func(string) string) (Bound, error) {
	at, err := in.Find(name)
	if err != nil {
		return Bound{}, err
	}
	do := func(v Value) (Value, error) { return Text(f(v.String())), nil }
	return Bound{in.replaced(at, toString(name)), &cellMap{at: at, name: name, do: do, text: f}}, nil
}

// Bind finds the column.
func (s AppendString) Bind(in *Schema) (Bound, error) {
	return mapText(in, s.Column, func(text string) string { return text + s.Text })
}

// Bind checks the case.
func (s ChangeCase) Bind(in *Schema) (Bound, error) {
	switch s.Case {
	case LowerCase:
		return mapText(in, s.Column, changeCase(strings.ToLower, cases.Lower))
	case UpperCase:
		return mapText(in, s.Column, changeCase(strings.ToUpper, cases.Upper))
	}
	return Bound{}, fmt.Errorf("%q is not a case: there are LOWER and UPPER", string(s.Case))
}

// changeCase uses the faster function for ASCII. Only one goroutine may use a Caser at a time.
func changeCase(ascii func(string) string, caser func(language.Tag, ...cases.Option) cases.Caser) func(string) string {
	pool := sync.Pool{New: func() any { return new(caser(language.Und)) }}
	return func(s string) string {
		if isASCII(s) {
			return ascii(s)
		}
		c := pool.Get().(*cases.Caser)
		defer pool.Put(c)
		return c.String(s)
	}
}

// Bind finds the column.
func (s RemoveWhitespace) Bind(in *Schema) (Bound, error) {
	return mapText(in, s.Column, func(text string) string {
		if !strings.ContainsAny(text, " \t\n\v\f\r") {
			return text
		}
		return strings.Map(func(r rune) rune {
			if r == ' ' || r >= '\t' && r <= '\r' {
				return -1
			}
			return r
		}, text)
	})
}

// Bind finds the column.
func (s MapStrings) Bind(in *Schema) (Bound, error) {
	to := make(map[string]string, len(s.Map))
	for _, m := range s.Map {
		to[m.From] = m.To
	}
	return mapText(in, s.Column, func(text string) string {
		if other, ok := to[text]; ok {
			return other
		}
		return text
	})
}

// Bind finds the column.
func (s MapAllExcept) Bind(in *Schema) (Bound, error) {
	stay := newTextTable(s.Exceptions)
	b, err := mapText(in, s.Column, func(text string) string {
		if stay.find(text) >= 0 {
			return text
		}
		return s.Value
	})
	if m, ok := b.Run.(*cellMap); ok {
		m.list, m.rest = stay, s.Value
	}
	return b, err
}

// Bind compiles the expressions.
func (s ReplaceStrings) Bind(in *Schema) (Bound, error) {
	replacers := make([]*replacer, len(s.Map))
	for i, m := range s.Map {
		var err error
		if replacers[i], err = newReplacer(m.From, m.To); err != nil {
			return Bound{}, err
		}
	}
	return mapText(in, s.Column, func(text string) string {
		for _, r := range replacers {
			text = r.replace(text)
		}
		return text
	})
}

// Bind finds the columns.
func (s ConcatenateStrings) Bind(in *Schema) (Bound, error) {
	return appendCell(in, toString(s.NewColumn), s.Columns, func(at []int, r Row) (Value, error) {
		texts := make([]string, len(at))
		for i, k := range at {
			texts[i] = r[k].String()
		}
		return Text(strings.Join(texts, s.Delimiter)), nil
	})
}
