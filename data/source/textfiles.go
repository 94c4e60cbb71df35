package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/storage"
)

// textInFile is a file of texts.
type textInFile struct {
	path, name string // name tells it from the others in messages and predictions
	class      string // of the folder; empty where there is none
	lines      bool   // each line is a text
}

// findTexts lists the files of a place: those of class folders, by class and name, those of a folder, or one file.
func findTexts(ctx context.Context, place string, c textOptions) ([]textInFile, error) {
	if place == "-" || strings.ContainsAny(place, "*[") || !isDirectory(ctx, place) {
		return filesOfLines(ctx, place)
	}
	dirs, dirErr := storage.Directories(ctx, place)
	dirs = slices.DeleteFunc(dirs, storage.Hidden)
	entries, _, err := storage.Files(ctx, place)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err = cmp.Or(dirErr, err); err != nil && len(dirs) == 0 {
		return nil, err
	}
	files := textEntries(entries, "", c.lines)
	if len(dirs) > 0 && len(files) > 0 {
		return nil, fmt.Errorf("%s: the file %s stands beside folders of classes; move it into one of them, or away", place,
			files[0].name)
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		class := storage.Base(strings.TrimSuffix(dir, "/"))
		entries, err := storage.List(ctx, dir)
		if err != nil {
			return nil, err
		}
		files = append(files, textEntries(entries, class, c.lines)...)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: there are no files in this directory", place)
	}
	return files, nil
}

// textEntries are the files of a folder.
func textEntries(entries []storage.Entry, class string, lines bool) (files []textInFile) {
	for _, e := range entries {
		if storage.Hidden(e.URL) {
			continue
		}
		f := textInFile{path: e.URL, name: storage.Base(e.URL), class: class, lines: lines}
		if class != "" {
			f.name = class + "/" + f.name
		}
		files = append(files, f)
	}
	return files
}

// filesOfLines are files that a place names.
func filesOfLines(ctx context.Context, place string) (files []textInFile, err error) {
	paths, err := placeFiles(ctx, place)
	for _, p := range paths {
		files = append(files, textInFile{path: p, name: storage.Base(p), lines: true})
	}
	return files, err
}
