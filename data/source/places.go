package source

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/storage"
)

// placeFiles returns the files of a place, in the order of their names: a file, all files of a directory except hidden
// ones, or the files that match a pattern such as logs/2026-*.csv. In a URL only the last part may be a pattern.
func placeFiles(ctx context.Context, place string) ([]string, error) {
	if place == "-" {
		return []string{place}, nil
	}
	if strings.ContainsAny(place, "*[") {
		files, err := matching(ctx, place)
		if len(files) > 0 || err != nil {
			return files, err
		}
		if found, err := storage.Exists(ctx, place); err != nil || !found { // a file's name may look like a pattern
			return nil, fmt.Errorf("%s: no file fits this pattern", place)
		}
		return []string{place}, nil
	}
	if !isDirectory(ctx, place) {
		return []string{place}, nil
	}
	entries, _, err := storage.Files(ctx, place)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if !storage.Hidden(e.URL) {
			files = append(files, e.URL)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: there are no files in this directory", place)
	}
	return files, nil
}

// isDirectory reports whether a place is a directory. A URL is one if it ends in a slash, or if no file has its name.
func isDirectory(ctx context.Context, place string) bool {
	_, dir, err := storage.Files(ctx, place)
	return err == nil && dir
}

// matching returns the files that match a pattern.
func matching(ctx context.Context, pattern string) (files []string, err error) {
	if pattern, err = storage.Path(pattern); err != nil {
		return nil, err
	}
	if !storage.IsURL(pattern) {
		names, err := filepath.Glob(pattern)
		for _, name := range names {
			if !storage.Hidden(name) && !isDirectory(ctx, name) {
				files = append(files, name)
			}
		}
		return files, err
	}
	dir, base := path.Split(pattern)
	if strings.ContainsAny(dir, "*[") {
		return nil, &fs.PathError{Op: "list", Path: pattern, Err: fmt.Errorf("only the last part of a URL may be a pattern")}
	}
	entries, err := storage.List(ctx, dir)
	for _, e := range entries {
		name := storage.Base(e.URL)
		if fits, bad := path.Match(base, name); bad != nil {
			return nil, bad
		} else if fits && !storage.Hidden(name) {
			files = append(files, e.URL)
		}
	}
	slices.Sort(files)
	return files, err
}
