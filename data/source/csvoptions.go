package source

import "github.com/dl4go/dl4go/data"

// CSV has the settings of a CSV file. The zero value reads a table whose last column holds classes.
type CSV struct {
	// Label names the label's column, by the header's name or by its index from 0; -1 is the last one. Regression may
	// have several, separated by commas. "none" means that all columns are features; "" the last column.
	Label string
	// Key names the column, likewise, whose texts are the examples' keys (MultiDataSet.Meta); "" if there is none.
	Key string
	// Weights names the column, likewise, of the examples' weights (MultiDataSet.Weights); "" if there is none.
	Weights string
	// Classes is the number of classes. Labels that are numbers must lie in 0 … Classes-1 then. With 0 the classes are
	// the different labels that occur: in numeric order if all are numbers, else in alphabetical order.
	Classes int
	// Names are the classes in order, for labels that are names. Some may not occur in the file.
	Names []string
	// Regression takes the labels as numbers, not as classes.
	Regression bool
	// Header is true if the first line names the columns. nil means: if none of its fields is a number.
	Header *bool
	// Delimiter separates fields; 0 means a comma.
	Delimiter rune
	// Comment begins lines that are passed over; 0 means that there are none.
	Comment rune
	// Quote stands around fields with delimiters or line breaks; 0 means a double quote.
	Quote byte
	// Skip is how many lines at the beginning of each file are passed over.
	Skip int
	// Encoding is that of the text: "utf-16" or "latin-1", for example. The empty text means UTF-8.
	Encoding string
	// Height and Width tell that the features are the pixels of an image, row by row; 0 if they are not.
	Height, Width int
	// Schema, if not nil, has the names that a model knows: its features are the columns of these names, wherever
	// they are in the file, and other columns are passed over; its classes are those of these names. Labels are the
	// schema's by default.
	Schema *data.Schema
}

// format is how the text is read.
func (o CSV) format() csvFormat {
	return csvFormat{o.Delimiter, o.Comment, o.Encoding, o.Quote, o.Skip}
}
