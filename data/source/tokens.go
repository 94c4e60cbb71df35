package source

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/pipeline"
)

// Tokens says how to split the texts of a column into sequences of words or characters.
type Tokens struct {
	Column string `json:"column"`
	// By is "words", runs of letters and digits in lower case, or "characters", each character as it is.
	By string `json:"by"`
	// Longest is the maximum number of tokens of a text. Further tokens are left out.
	Longest int `json:"longest"`
	// Words is the maximum number of different tokens that the network knows. Least is how often a token must occur at
	// least. All other tokens become [UnknownToken].
	Words int `json:"words"`
	Least int `json:"least"`
}

// UnknownToken stands for all tokens that a network does not know, and for texts without tokens.
const UnknownToken = "<unknown>"

// The ways to split texts: see [Tokens].
const (
	ByWords      = "words"
	ByCharacters = "characters"

	longestText = 1000
	usualWords  = 10_000
)

// tokenSettings are the settings of tables with a column of texts.
var tokenSettings = []Setting{
	{Name: "tokens", Value: "COLUMN", Text: "each text is a sequence of words", Rare: true},
	{Name: "tokens-by", Value: "HOW", Text: "words (default) or characters", Offer: []string{ByWords, ByCharacters},
		Rare: true},
	{Name: "max-tokens", Value: "N", Text: "tokens of a text (default 1000)", Rare: true},
	{Name: "max-words", Value: "N", Text: "different tokens (default 10000)", Rare: true},
	{Name: "min-count", Value: "N", Text: "how often a token is there (default 1)", Rare: true},
}

// tokens returns the settings on tokens, or nil if there are none.
func (n Name) tokens() (*Tokens, error) {
	column, given := n.Settings["tokens"]
	t := &Tokens{Column: column, By: ByWords, Longest: longestText, Words: usualWords, Least: 1}
	for _, s := range tokenSettings[1:] {
		v, some := n.Settings[s.Name]
		if some && column == "" {
			return nil, &SettingError{s.Name, v, "it is for sequences of tokens; tokens=COLUMN says of which column"}
		}
	}
	if given && column == "" {
		return nil, &SettingError{"tokens", column, "the name of a column should be here"}
	}
	if !given {
		return nil, nil
	}
	if by, some := n.Settings["tokens-by"]; some {
		if t.By = by; by != ByWords && by != ByCharacters {
			return nil, &SettingError{"tokens-by", by, "there are words and characters"}
		}
	}
	for key, to := range map[string]*int{"max-tokens": &t.Longest, "max-words": &t.Words, "min-count": &t.Least} {
		k, err := n.count(key, "a number from 1 on should be here")
		if err != nil {
			return nil, err
		}
		if k > 0 {
			*to = k
		}
	}
	if slices.Contains(Values(n.Settings["label"]), column) {
		return nil, &SettingError{"tokens", column, "the column is the label"}
	}
	return t, nil
}

// of splits a text. long is true if tokens were left out.
func (t *Tokens) of(text string) (tokens []string, long bool) {
	add := func(token string) bool {
		if long = len(tokens) == t.Longest; !long {
			tokens = append(tokens, token)
		}
		return !long
	}
	if t.By == ByCharacters {
		for _, r := range text {
			if !add(string(r)) {
				break
			}
		}
	} else {
		between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }
		for word := range strings.FieldsFuncSeq(text, between) {
			if !add(strings.ToLower(word)) {
				break
			}
		}
	}
	if len(tokens) == 0 {
		tokens = []string{UnknownToken}
	}
	return tokens, long
}

// tokenRows makes a sequence from each row. Each step holds a token in the place of the text.
type tokenRows struct {
	Rows
	tokens *Tokens
	schema *pipeline.Schema
	at     int // index of the text's column
	long   int // number of texts that were cut
}

func openTokens(ctx context.Context, t Tabular, n Name, o RowOptions, s *Sequencing) (Rows, error) {
	if o.Columns != nil {
		o.Columns = s.with(o.Columns, n.Keys())
	}
	o.As = s.schema(o.As, n.Keys())
	rows, err := t.Rows(ctx, n, o)
	if err != nil {
		return nil, err
	}
	r, err := Tokenized(rows, s)
	if err != nil {
		rows.Close()
	}
	return r, err
}

// Tokenized returns rows as sequences of the tokens of a text, if s has Tokens. Otherwise it returns rows. s may be
// nil.
func Tokenized(rows Rows, s *Sequencing) (Rows, error) {
	if s == nil || s.Tokens == nil {
		return rows, nil
	}
	r := &tokenRows{Rows: rows, tokens: s.Tokens, at: rows.Schema().Index(s.Tokens.Column)}
	if r.at < 0 || rows.Schema().Sequence {
		return nil, &MismatchError{fmt.Errorf("there is no column %q, whose texts are the sequences: there are %s",
			s.Tokens.Column, data.ShortList(rows.Schema().Names()))}
	}
	r.schema = &pipeline.Schema{Columns: slices.Clone(rows.Schema().Columns), Sequence: true}
	r.schema.Columns[r.at] = pipeline.StringColumn{Name: s.Tokens.Column}
	return r, nil
}

// Schema returns the columns of the table.
func (r *tokenRows) Schema() *pipeline.Schema { return r.schema }

// Next returns the tokens of the next row.
func (r *tokenRows) Next() (pipeline.Item, error) {
	item, err := r.Rows.Next()
	if err != nil {
		return item, err
	}
	text := ""
	if v := item.Row[r.at]; !v.IsNull() {
		text = v.String()
	}
	tokens, long := r.tokens.of(text)
	if long {
		r.long++
	}
	rows := make([]pipeline.Row, len(tokens))
	for i, token := range tokens {
		rows[i] = slices.Clone(item.Row)
		rows[i][r.at] = pipeline.Text(token)
	}
	return pipeline.Item{Sequence: rows}, nil
}

// StepPlace returns the place of the row.
func (r *tokenRows) StepPlace(int) string { return r.Place() }

// Under returns the rows of the texts.
func (r *tokenRows) Under() Rows { return r.Rows }

// Notes says how many texts were cut.
func (r *tokenRows) Notes() []string { return cutNotes(r.long, r.tokens) }

func cutNotes(texts int, t *Tokens) []string {
	if texts == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s with more than %d tokens: the others were left out; max-tokens takes more",
		counted(texts, "text"), t.Longest)}
}

// Live reports whether the next row may be long in coming.
func (r *tokenRows) Live() bool { return isLive(r.Rows) }
