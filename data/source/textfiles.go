package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/storage"
)

// textInFile is a file with one or several texts.
type textInFile struct {
	path, name string // name identifies the file in messages and predictions
	class      string // name of the class folder, if any
	lines      bool   // each line is a text
}

// findTexts lists the files of a place: those of class folders, by class and name; those of a folder; or one file.
func findTexts(ctx context.Context, place string, c textOptions) ([]textInFile, error) {
	if place == "-" || strings.ContainsAny(place, "*[") {
		return filesOfLines(ctx, place)
	}
	entries, isDir, err := storage.Files(ctx, place)
	switch {
	case err == nil && !isDir:
		return filesOfLines(ctx, place)
	case err != nil && !errors.Is(err, fs.ErrNotExist): // a bucket may have only folders
		return nil, err
	}
	dirs, dirErr := storage.Directories(ctx, place)
	dirs = slices.DeleteFunc(dirs, storage.Hidden)
	if err = cmp.Or(err, dirErr); err != nil && len(dirs) == 0 {
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

// textEntries returns the files of a folder.
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

// filesOfLines returns the files that a place names, with a text in each line.
func filesOfLines(ctx context.Context, place string) (files []textInFile, err error) {
	paths, err := placeFiles(ctx, place)
	for _, p := range paths {
		files = append(files, textInFile{path: p, name: storage.Base(p), lines: true})
	}
	return files, err
}

// below selects the files of class folders, by class and name, or those of a folder.
func (textKind) below(place string, paths []string) (files []string, err error) {
	var flat string
	class := map[string]string{}
	for _, path := range paths {
		switch folder, _, _ := strings.Cut(inPlace(place, path), "/"); strings.Count(inPlace(place, path), "/") {
		case 0:
			flat = path
		case 1:
			class[path] = folder
		default:
			continue
		}
		files = append(files, path)
	}
	if flat != "" && len(class) > 0 {
		return nil, fmt.Errorf("%s: the file %s stands beside folders of classes; move it into one of them, or away", place,
			storage.Base(flat))
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Or(cmp.Compare(class[a], class[b]), cmp.Compare(a, b)) })
	return files, nil
}

// inPlace returns a file's path below a place, or "" if the file is the place. The paths may write their scheme
// differently.
func inPlace(place, path string) string {
	plain := func(p string) string {
		if _, rest, url := strings.Cut(p, ":/"); url {
			p = rest
		}
		return strings.TrimPrefix(strings.Trim(filepath.ToSlash(p), "/"), "./")
	}
	return strings.Trim(strings.TrimPrefix(plain(path), plain(place)), "/")
}

// textAt describes the texts in a file of a place.
func textAt(place, path string, c textOptions) textInFile {
	f := textInFile{path: path, name: storage.Base(path), lines: c.lines}
	in := inPlace(place, path)
	if in == "" || strings.ContainsAny(place, "*[") {
		f.lines = true
	} else if class, _, folder := strings.Cut(in, "/"); folder {
		f.class, f.name = class, class+"/"+f.name
	}
	return f
}
