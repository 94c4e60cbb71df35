package source

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dl4go/dl4go/data"
)

// CSV says how a CSV file is read. The zero value reads a table whose last column holds classes.
type CSV struct {
	// Label names the label's column, by the header's name or by its index from 0; -1 is the last one. Regression may
	// have several, separated by commas. "none" means that all columns are features; "" the last column.
	Label string
	// Key names the column, likewise, whose texts are the examples' keys (MultiDataSet.Meta); "" if there is none.
	Key string
	// Classes is the number of classes. Labels that are numbers must lie in 0 … Classes-1 then. With 0 the classes are
	// the different labels that occur: in numeric order if all are numbers, else in alphabetical order.
	Classes int
	// Names are the classes in their order, where labels are names of which not all may occur.
	Names []string
	// Regression takes the labels as numbers, not as classes.
	Regression bool
	// Header says whether the first line names the columns. Nil: it does if none of its fields is a number.
	Header *bool
	// Delimiter separates fields; 0 means a comma.
	Delimiter rune
	// Height and Width tell that the features are the pixels of an image, row by row; 0 if they are not.
	Height, Width int
	// Schema, if not nil, has the names that a model knows: its features are the columns of these names, wherever
	// they are in the file, and other columns are passed over; its classes are those of these names. Labels are the
	// schema's by default.
	Schema *data.Schema
}

// openCSVSpec opens FILE?label=…&key=…&classes=…&names=…&regression=…&header=…&delimiter=…&image=HxW.
func openCSVSpec(ctx context.Context, rest string, as *data.Schema) (*table, error) {
	path, o, err := parseCSVSpec(rest)
	o.Schema = as
	if err != nil {
		return nil, err
	}
	t, err := openCSV(ctx, path, o)
	if err != nil {
		return nil, err
	}
	t.info.Name = "csv:" + rest
	return t, nil
}

func parseCSVSpec(rest string) (path string, o CSV, err error) {
	path, query := rest, ""
	if i := strings.LastIndexByte(rest, '?'); i >= 0 {
		path, query = rest[:i], rest[i+1:]
	}
	if path == "" {
		return "", o, specf("a file is needed: csv:FILE?label=COLUMN&classes=N")
	}
	options, err := parseOptions(query)
	if err != nil {
		return "", o, err
	}
	for _, k := range slices.Sorted(maps.Keys(options)) {
		v := options[k]
		bad := func(want string) error { return specf("%s=%s: %s", k, v, want) }
		switch k {
		case "label":
			o.Label = v
		case "key":
			o.Key = v
		case "classes":
			if o.Classes, err = strconv.Atoi(v); err != nil || o.Classes < 1 {
				return "", o, bad("a number of classes should be here; regression=true says that labels are no classes")
			}
		case "names":
			o.Names = strings.Split(v, ",")
		case "regression":
			if o.Regression, err = strconv.ParseBool(v); err != nil {
				return "", o, bad("true or false should be here")
			}
		case "header":
			h, err := strconv.ParseBool(v)
			if err != nil {
				return "", o, bad("true or false should be here")
			}
			o.Header = &h
		case "delimiter":
			if v == "tab" {
				v = "\t"
			}
			var n int
			if o.Delimiter, n = utf8.DecodeRuneInString(v); n == 0 || n < len(v) {
				return "", o, bad("one character, or tab, should be here")
			}
		case "image":
			if n, err := fmt.Sscanf(v, "%dx%d", &o.Height, &o.Width); n != 2 || err != nil || o.Height < 1 || o.Width < 1 {
				return "", o, bad("an image's HEIGHTxWIDTH should be here")
			}
		default:
			return "", o, specf("unknown option %q: there are label, key, classes, names, regression, header, delimiter "+
				"and image", k)
		}
	}
	return path, o, nil
}
