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

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/storage"
)

// maxList limits the bytes of a list of pictures: room for a million long paths.
const maxList = 256 << 20

// isList reports whether a place is a list of pictures.
func isList(place string) bool {
	ending := strings.ToLower(path.Ext(place))
	return ending == ".csv" || ending == ".tsv"
}

// fromList reads a list: a CSV file of paths and classes. Paths are relative to the list's folder.
func (f *imageFiles) fromList(ctx context.Context, place string, labelled bool) error {
	list, err := storage.OpenWatched(ctx, place)
	if err != nil {
		return err
	}
	defer list.Close()
	return f.parseList(place, list, labelled)
}

// parseList is fromList for an open list.
func (f *imageFiles) parseList(place string, list Content, labelled bool) error {
	rows, err := readList(place, list)
	if err != nil {
		return err
	}
	header := rows[0]
	pathColumn, err := listColumn(place, header, f.conf.path, 0, "path", "file", "filename", "image")
	if err != nil {
		return err
	}
	labelColumn, err := listColumn(place, header, f.conf.label, 1, "label", "class")
	if err != nil {
		return err
	}
	if labelled = labelled && labelColumn < len(header); !labelled {
		f.classes = nil
	} else if !f.known {
		for _, row := range rows[1:] {
			f.classes = append(f.classes, row[labelColumn])
		}
		slices.Sort(f.classes)
		f.classes = slices.Compact(f.classes)
	}
	for i, row := range rows[1:] {
		file := imageFile{path: row[pathColumn], key: row[pathColumn]}
		if file.path == "" {
			return &CSVError{Path: place, Line: i + 2, Column: pathColumn + 1, Problem: "there is no path"}
		}
		if !storage.IsURL(file.path) && !path.IsAbs(file.path) {
			file.path = storage.Join(folderOf(place), file.path)
		}
		if labelled {
			if file.class = slices.Index(f.classes, row[labelColumn]); file.class < 0 {
				return f.unknown(fmt.Sprintf("%s:%d", place, i+2), row[labelColumn])
			}
			if row[labelColumn] == "" {
				return &CSVError{Path: place, Line: i + 2, Column: labelColumn + 1, Problem: "there is no class"}
			}
		}
		f.files = append(f.files, file)
	}
	return nil
}

// readList reads the rows of a list. Its first line holds the names of the columns.
func readList(place string, list Content) ([][]string, error) {
	if list.Size() > maxList {
		return nil, fmt.Errorf("%s: a list of %d bytes: at most %d are read", place, list.Size(), maxList)
	}
	r := csv.NewReader(io.LimitReader(list, maxList))
	if strings.EqualFold(path.Ext(place), ".tsv") {
		r.Comma = '\t'
	}
	rows, err := r.ReadAll()
	if wrong := (*csv.ParseError)(nil); errors.As(err, &wrong) {
		return nil, &CSVError{Path: place, Line: wrong.Line, Column: wrong.Column, Problem: wrong.Err.Error()}
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

// IsList reports whether the place is a list of pictures.
func (imagesKind) IsList(n Name) bool { return isList(n.Place) }

// ReadList reads a list of pictures, for workers that read these.
func (imagesKind) ReadList(n Name, o Options, list Content) (files []Listed, _ Options, err error) {
	c, err := imagesOf(n, o.As)
	if err != nil {
		return nil, o, err
	}
	f := newImageFiles(n, c, o)
	if err = f.parseList(n.Place, list, !o.Unlabelled); err == nil {
		err = f.checkClasses()
	}
	for _, file := range f.files {
		files = append(files, Listed{file.path, file.key, file.class})
	}
	o.As = o.As.With(&data.Schema{Images: c.settings(c.height > 0)})
	if o.Unlabelled = o.Unlabelled || f.classes == nil; f.classes != nil {
		o.As = o.As.With(&data.Schema{Classes: f.classes})
	}
	return files, o, err
}
