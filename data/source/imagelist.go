package source

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/storage"
)

// maxList limits the bytes of a list of pictures: room for a million long paths.
const maxList = 256 << 20

// readList reads a list of pictures. Its first line holds the names of the columns.
func readList(ctx context.Context, place string) ([][]string, error) {
	f, err := storage.OpenWatched(ctx, place)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size() > maxList {
		return nil, fmt.Errorf("%s: a list of %d bytes: at most %d are read", place, f.Size(), maxList)
	}
	r := csv.NewReader(io.LimitReader(f, maxList))
	if strings.EqualFold(path.Ext(place), ".tsv") {
		r.Comma = '\t'
	}
	rows, err := r.ReadAll()
	if wrong := (*csv.ParseError)(nil); errors.As(err, &wrong) {
		return nil, &CSVError{place, wrong.Line, wrong.Column, wrong.Err.Error()}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", place, err)
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("%s: a list of pictures has a line with the names of its columns, and lines with paths", place)
	}
	rows[0][0] = strings.TrimPrefix(rows[0][0], "\ufeff")
	return rows, nil
}

// listColumn finds the column called name. Without a name it takes the first column with a usual name, or the one with
// index at.
func listColumn(place string, header []string, name string, at int, usual ...string) (int, error) {
	if name != "" {
		if i := slices.Index(header, name); i >= 0 {
			return i, nil
		}
		return 0, fmt.Errorf("%s: there is no column %q: the columns are %s", place, name, strings.Join(header, ", "))
	}
	for _, u := range usual {
		if i := slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(h, u) }); i >= 0 {
			return i, nil
		}
	}
	return at, nil
}
