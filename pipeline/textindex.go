package pipeline

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
)

// CharactersToIndices makes a step for each character of a text (nlp.TextToCharacterIndexTransform). An Integer column
// with the character's number replaces the text, and the other columns are repeated. It is for sequences.
type CharactersToIndices struct {
	Columns    []string        `dl4j:"requiredColumns"`     // one column
	NewColumns []string        `dl4j:"expandedColumnNames"` // one column
	Characters dl4j.Map[int32] `dl4j:"characterIndexMap"`
	Strict     bool            `dl4j:"exceptionOnUnknown"` // an unknown character is an error; otherwise it is skipped
}

// WordsToIndices is [CharactersToIndices] for the words of a text (nlp.TextToTermIndexSequenceTransform).
type WordsToIndices struct {
	Columns    []string        `dl4j:"requiredColumns"`     // one column
	NewColumns []string        `dl4j:"expandedColumnNames"` // one column
	Words      dl4j.Map[int32] `dl4j:"wordIndexMap"`
	Delimiter  string          `dl4j:"delimiter"` // a Java regular expression
	Strict     bool            `dl4j:"exceptionOnUnknown"`
}

func init() {
	const pkg = "org.datavec.api.transform.transform.nlp."
	RegisterTransform(pkg+"TextToCharacterIndexTransform", func() Transform { return CharactersToIndices{} })
	RegisterTransform(pkg+"TextToTermIndexSequenceTransform", func() Transform { return WordsToIndices{} })
}

// Bind checks the columns and the characters.
func (s CharactersToIndices) Bind(in *Schema) (Bound, error) {
	numbers := make(map[rune]int32)
	for name, n := range s.Characters.All() {
		r := []rune(name)
		if len(r) != 1 || r[0] > 0xFFFF {
			return Bound{}, fmt.Errorf("characterIndexMap: %.60q is not a character of one UTF-16 unit", name)
		}
		numbers[r[0]] = n
	}
	return bindExpansion(in, s.Columns, s.NewColumns, len(numbers), func(text string) (out []Value, err error) {
		for _, r := range text {
			n, ok := numbers[r]
			switch {
			case ok:
				out = append(out, Integer(n))
			case s.Strict:
				return nil, fmt.Errorf("the character %q is not in characterIndexMap", r)
			}
		}
		return out, nil
	})
}

// Bind checks the columns and the delimiter.
func (s WordsToIndices) Bind(in *Schema) (Bound, error) {
	e, err := newExpression(s.Delimiter)
	if err != nil {
		return Bound{}, err
	}
	return bindExpansion(in, s.Columns, s.NewColumns, s.Words.Len(), func(text string) (out []Value, err error) {
		take := func(word string) error {
			n, ok := s.Words.Get(word)
			switch {
			case ok:
				out = append(out, Integer(n))
			case s.Strict:
				return fmt.Errorf("%.60q is not in wordIndexMap", word)
			}
			return nil
		}
		if text == "" { // Java's split returns one empty word
			return out, take("")
		}
		return out, eachToken(e, text, take)
	})
}

// bindExpansion binds a step that makes several steps from one.
func bindExpansion(in *Schema, of, to []string, n int, indices func(string) ([]Value, error)) (Bound, error) {
	if err := wantSequences(in); err != nil {
		return Bound{}, err
	}
	if len(of) != 1 || len(to) != 1 {
		return Bound{},
			fmt.Errorf("it needs one column in requiredColumns and one name in expandedColumnNames, not %d and %d", len(of),
				len(to))
	}
	at, err := in.Find(of[0])
	if err != nil {
		return Bound{}, err
	}
	low, high := int32(0), int32(max(n-1, 0))
	out := in.replaced(at, IntegerColumn{Name: to[0], Min: &low, Max: &high})
	return Bound{out, SequenceMap(func(rows []Row) ([]Row, error) {
		var steps []Row
		for _, r := range rows {
			numbers, err := indices(r[at].String())
			if err != nil {
				return nil, inColumn(of[0], err)
			}
			for _, n := range numbers {
				step := slices.Clone(r)
				step[at] = n
				steps = append(steps, step)
			}
		}
		return steps, nil
	})}, nil
}
