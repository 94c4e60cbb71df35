package pipeline

import (
	"fmt"
	"slices"
)

// StringListToCategories splits a text into tokens. It replaces the column by one for each known token, which says
// whether the text has the token: a Categorical column with the states true and false
// (string.StringListToCategoricalSetTransform). An unknown token is an error.
type StringListToCategories struct {
	Column     string   `dl4j:"columnName"`
	NewColumns []string `dl4j:"newColumnNames"`
	Tokens     []string `dl4j:"categoryTokens"`
	Delimiter  string   `dl4j:"delimiter"` // a Java regular expression
}

// StringListToCounts splits a text into words, and counts the words of a vocabulary in an array of shape [1, words]
// (string.StringListToCountsNDArrayTransform). The array replaces the text.
type StringListToCounts struct {
	Column        string   `dl4j:"columnName"`
	NewColumn     string   `dl4j:"newColumnName"`
	Vocabulary    []string `dl4j:"vocabulary"`
	Delimiter     string   `dl4j:"delimiter"`     // a Java regular expression
	Binary        bool     `dl4j:"binary"`        // 1 for a word that occurs, however often
	IgnoreUnknown bool     `dl4j:"ignoreUnknown"` // otherwise an unknown word is an error
}

// StringListToIndices is [StringListToCounts] with the indices in the vocabulary instead of counts, in ascending order
// (string.StringListToIndicesNDArrayTransform). A word that occurs twice gives two numbers, unless Binary is true.
type StringListToIndices struct {
	Column        string   `dl4j:"columnName"`
	NewColumn     string   `dl4j:"newColumnName"`
	Vocabulary    []string `dl4j:"vocabulary"`
	Delimiter     string   `dl4j:"delimiter"`
	Binary        bool     `dl4j:"binary"`
	IgnoreUnknown bool     `dl4j:"ignoreUnknown"`
}

func init() {
	const pkg = "org.datavec.api.transform.transform.string."
	RegisterTransform(pkg+"StringListToCategoricalSetTransform", func() Transform { return StringListToCategories{} })
	RegisterTransform(pkg+"StringListToCountsNDArrayTransform", func() Transform { return StringListToCounts{} })
	RegisterTransform(pkg+"StringListToIndicesNDArrayTransform", func() Transform { return StringListToIndices{} })
}

// Bind makes the columns.
func (s StringListToCategories) Bind(in *Schema) (Bound, error) {
	at, err := in.findOf(s.Column, StringType)
	if err != nil {
		return Bound{}, err
	}
	if len(s.Tokens) != len(s.NewColumns) || len(s.Tokens) == 0 {
		return Bound{}, fmt.Errorf("there are %d tokens and %d new columns: give as many, and at least one", len(s.Tokens),
			len(s.NewColumns))
	}
	e, err := newExpression(s.Delimiter)
	if err != nil {
		return Bound{}, err
	}
	columns := make([]Column, len(s.NewColumns))
	for i, name := range s.NewColumns {
		columns[i] = trueOrFalse(name)
	}
	number := numbered(s.Tokens)
	return Bound{in.replaced(at, columns...), RowMap(func(r Row) (Row, error) {
		text := r[at].String()
		r = widen(r, at, len(columns))
		for i := range columns {
			r[at+i] = Text("false")
		}
		return r, eachToken(e, text, func(token string) error {
			k, ok := number[token]
			if !ok {
				return fmt.Errorf("column %q: %.60q is none of its tokens", s.Column, token)
			}
			r[at+k] = Text("true")
			return nil
		})
	})}, nil
}

// Bind makes the column.
func (s StringListToCounts) Bind(in *Schema) (Bound, error) {
	n := len(s.Vocabulary)
	return bindWords(in, StringListToIndices(s), func(words []int) *Array {
		a := &Array{Shape: []int{1, n}, Data: make([]float64, n)}
		for _, k := range words {
			a.Data[k]++
		}
		return a
	})
}

// Bind makes the column.
func (s StringListToIndices) Bind(in *Schema) (Bound, error) {
	return bindWords(in, s, func(words []int) *Array {
		a := &Array{Shape: []int{1, len(words)}, Data: make([]float64, len(words))}
		slices.Sort(words)
		for i, k := range words {
			a.Data[i] = float64(k)
		}
		return a
	})
}

// bindWords binds a step that makes an array from the indices of words in a vocabulary.
func bindWords(in *Schema, s StringListToIndices, array func(words []int) *Array) (Bound, error) {
	if _, err := in.findOf(s.Column, StringType); err != nil {
		return Bound{}, err
	}
	e, err := newExpression(s.Delimiter)
	if err != nil {
		return Bound{}, err
	}
	number := numbered(s.Vocabulary)
	column := func(Column) Column { return ArrayColumn{s.NewColumn, []int64{int64(len(s.Vocabulary))}} }
	return mapCell(in, s.Column, column, func(v Value) (Value, error) {
		var words []int
		err := eachToken(e, v.String(), func(word string) error {
			k, ok := number[word]
			switch {
			case !ok && !s.IgnoreUnknown:
				return fmt.Errorf("%.60q is not in the vocabulary; set ignoreUnknown to leave it out", word)
			case ok:
				words = append(words, k)
			}
			return nil
		})
		if s.Binary {
			slices.Sort(words)
			words = slices.Compact(words)
		}
		return ArrayOf(array(words)), err
	})
}

// eachToken splits a text like Java's String.split: empty pieces at the end are dropped. The empty text has no tokens.
func eachToken(e *expression, text string, token func(string) error) error {
	if text == "" {
		return nil
	}
	begin, empty := 0, 0 // empty counts empty pieces, which are tokens only if another one follows
	emit := func(piece string) error {
		if piece == "" {
			empty++
			return nil
		}
		for ; empty > 0; empty-- {
			if err := token(""); err != nil {
				return err
			}
		}
		return token(piece)
	}
	for _, m := range e.matches(text) {
		if m[1] == 0 { // an empty match before the first character is not a delimiter
			continue
		}
		if err := emit(text[begin:m[0]]); err != nil {
			return err
		}
		begin = m[1]
	}
	return emit(text[begin:])
}
