package source

import (
	"io"
	"slices"

	"github.com/dl4go/dl4go/data"
)

// CSV holds the settings of a CSV file. The zero value reads a table with classes in the last column.
type CSV struct {
	// Label names the label's column, by the header's name or by its index from 0; -1 is the last one. Regression may
	// have several, separated by commas. "none" means that all columns are features; "" means the last column.
	Label string
	// Key names the column of the examples' keys (MultiDataSet.Meta), as Label does; "" if there is none.
	Key string
	// Weights names the column of the examples' weights (MultiDataSet.Weights), as Label does; "" if there is none.
	Weights string
	// Classes is the number of classes. Labels that are numbers must lie in 0 … Classes-1 then. With 0 the classes are
	// the different labels that occur, in numeric order if all are numbers, otherwise in alphabetical order.
	Classes int
	// Names lists the classes in order, for labels that are names. Some may not occur in the file.
	Names []string
	// Regression takes the labels as numbers, not as classes.
	Regression bool
	// Header is true if the first line names the columns. If it is nil, the first line is a header if none of its
	// fields is a number.
	Header *bool
	// Delimiter separates fields; 0 means a comma.
	Delimiter rune
	// Comment begins lines that are skipped; 0 means that there are none.
	Comment rune
	// Quote encloses fields with delimiters or line breaks; 0 means a double quote.
	Quote byte
	// Skip is the number of lines to skip at the beginning of each file.
	Skip int
	// Encoding is the text's encoding, such as "utf-16" or "latin-1". The empty string means UTF-8.
	Encoding string
	// Height and Width are the size of an image if the features are its pixels, row by row; otherwise they are 0.
	Height, Width int
	// Schema, if not nil, holds the names that a model knows. The features are the columns with its names, in any
	// order; other columns are not read. The classes are the schema's. The label columns are the schema's by default.
	Schema *data.Schema
}

// format returns the settings for reading the text.
func (o CSV) format() csvFormat {
	return csvFormat{o.Delimiter, o.Comment, o.Encoding, o.Quote, o.Skip}
}

// Fields splits a line into its fields.
func (o CSV) Fields(line string) ([]string, error) {
	if line == "" {
		return []string{""}, nil
	}
	p := newCSVParser("line", nil, o.Delimiter, 0)
	if o.Quote != 0 {
		p.quote = o.Quote
	}
	p.buf, p.ended, p.single = make([]byte, len(line)+wordSize), io.EOF, true
	p.to = copy(p.buf, line)
	fields, err := p.read()
	return slices.Clone(fields), err
}
