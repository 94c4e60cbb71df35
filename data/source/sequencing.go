package source

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/dl4go/dl4go/data"
)

// Sequencing says which rows of a table form a sequence: those with equal values in the columns ID, in the order of the
// column Time. Without Time they stay in the order of the table. The rows of a sequence need not be adjacent.
//
// With Tokens, each row is a sequence by itself: the words or characters of a text.
type Sequencing struct {
	ID     []string `json:"id,omitempty"`
	Time   string   `json:"time,omitempty"`
	Tokens *Tokens  `json:"tokens,omitempty"`
}

// sequenceSettings are the settings of tables whose rows may form sequences.
var sequenceSettings = append([]Setting{
	{Name: "sequence", Flag: "sequence-id", Value: "COLUMNS", Text: "rows with equal values are a sequence", List: true,
		Rare: true},
	{Name: "time", Flag: "sequence-time", Value: "COLUMN", Text: "order of the rows of a sequence", Rare: true},
}, tokenSettings...)

// columns returns all columns that s names.
func (s *Sequencing) columns() []string {
	if s.Tokens != nil {
		return []string{s.Tokens.Column}
	}
	if s.Time == "" {
		return s.ID
	}
	return append(slices.Clone(s.ID), s.Time)
}

// equal reports whether the settings make the same sequences as a model's. They need not repeat the time.
func (s *Sequencing) equal(o *Sequencing) bool {
	if o != nil && (s.Tokens != nil || o.Tokens != nil) {
		return s.Tokens != nil && o.Tokens != nil && *s.Tokens == *o.Tokens
	}
	return o != nil && slices.Equal(s.ID, o.ID) && (s.Time == "" || s.Time == o.Time)
}

// Sequencing returns the settings on sequences, or nil if there are none.
func (n Name) Sequencing() (*Sequencing, error) {
	list, given := n.Settings["sequence"]
	at, timed := n.Settings["time"]
	k, _ := KindOf(n.Kind)
	if k == nil {
		return nil, nil
	}
	if texts, is := k.(interface{ tokenColumn() string }); is {
		n.Settings = maps.Clone(n.Settings)
		if n.Settings == nil {
			n.Settings = map[string]string{}
		}
		n.Settings["tokens"] = texts.tokenColumn()
	} else if _, has := k.About().Setting("sequence"); !has {
		return nil, nil
	}
	tokens, err := n.tokens()
	switch {
	case err != nil:
		return nil, err
	case tokens != nil && (given || timed):
		return nil, &SettingError{"tokens", tokens.Column, "each text is a sequence; leave out sequence= and time="}
	case tokens != nil:
		return &Sequencing{Tokens: tokens}, nil
	case !given && !timed:
		return nil, nil
	}
	if !given {
		return nil, &SettingError{"time", at, "it orders the rows of sequences; sequence=COLUMN says which rows are one"}
	}
	s := &Sequencing{ID: Values(list), Time: at}
	if name, twice := data.Repeated(s.columns()); twice || slices.Contains(s.ID, "") {
		return nil, &SettingError{"sequence", list, fmt.Sprintf("names of columns should be here, each once: %q is none or "+
			"is there twice", name)}
	}
	if timed && at == "" {
		return nil, &SettingError{"time", at, "the name of a column should be here"}
	}
	for _, label := range Values(n.Settings["label"]) {
		if slices.Contains(s.columns(), label) {
			return nil, &SettingError{"label", n.Settings["label"],
				fmt.Sprintf("the column %q identifies the sequences, so it cannot be a label", label)}
		}
	}
	return s, nil
}

// Sequenced reports whether the settings make sequences from rows.
func Sequenced(n Name) bool {
	s, err := n.Sequencing()
	return s != nil && err == nil
}

// Regroups reports whether sequences are put together from rows that may be in different files.
func (s *Sequencing) Regroups() bool { return s != nil && s.Tokens == nil }

// errSequences is the error if rows should form sequences, but there is no pipeline.
var errSequences = errors.New("sequences are made of rows by a pipeline, which dl4go train proposes and the model " +
	"keeps; read them with it, or leave out sequence=COLUMNS")

func skipsFiles(n Name) bool {
	k, _ := KindOf(n.Kind)
	_, ok := k.(SkipsFiles)
	return ok
}

// CheckPipeline returns an error if the settings need a pipeline and there is none.
func CheckPipeline(n Name, o Options) error {
	switch {
	case o.Preparation == nil && Sequenced(n):
		return &SpecError{errSequences.Error()}
	case o.Preparation == nil && n.BadRows() != nil && !skipsFiles(n):
		return specf("bad-rows=%s: it is for tables that go through a pipeline; leave it out",
			n.Settings[badRowsSetting.Name])
	}
	return nil
}
