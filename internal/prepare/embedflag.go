package prepare

import (
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// EmbedFlag is the value of the flag --embed[=COLUMNS].
type EmbedFlag struct{ Of *analysis.Embed }

// EveryColumn is the flag's value if it names no columns. No list of names has this form.
const EveryColumn = ","

// Set reads names of columns.
func (f EmbedFlag) Set(columns string) error {
	if *f.Of = (analysis.Embed{All: columns == EveryColumn}); !f.Of.All {
		f.Of.Columns = source.Values(columns)
	}
	return nil
}

// String returns the text for Set; empty if nothing is embedded.
func (f EmbedFlag) String() string {
	switch {
	case f.Of == nil || f.Of.Columns == nil && !f.Of.All:
		return ""
	case f.Of.All:
		return EveryColumn
	}
	return source.JoinValues(f.Of.Columns)
}

// Type is for help texts.
func (EmbedFlag) Type() string { return "columns" }
