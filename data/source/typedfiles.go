package source

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/storage"
)

// placedFile is a file of a place, and its partitions.
type placedFile struct {
	path  string
	parts []partition // partitions in the names of the directories between place and file
}

// partition is a column whose value is in the name of a directory: year=2026.
type partition struct{ name, value string }

// noPartition is Hive's directory name for null.
const noPartition = "__HIVE_DEFAULT_PARTITION__"

// part returns the value of a partition, or "" if it is null.
func (f placedFile) part(name string) string {
	for _, p := range f.parts {
		if p.name == name {
			return p.value
		}
	}
	return ""
}

// deepFiles returns the files of a place: those of placeFiles, and those in its directories that are not hidden. The
// names of these directories may be partitions.
func deepFiles(ctx context.Context, place string) (files []placedFile, err error) {
	tops := []string{place}
	if strings.ContainsAny(place, "*[") && !storage.IsURL(place) {
		if names, err := filepath.Glob(place); err == nil && len(names) > 0 {
			tops = names
		}
	}
	root := partitionRoot(place)
	for _, top := range tops {
		if len(tops) > 1 && storage.Hidden(top) {
			continue
		}
		if !isDirectory(ctx, top) {
			paths, err := placeFiles(ctx, top)
			if err != nil {
				return nil, err
			}
			for _, p := range paths {
				files = append(files, placedFile{p, partitions(root, p)})
			}
			continue
		}
		below, err := below(ctx, top, 0, false)
		if err != nil {
			return nil, err
		}
		for _, p := range below {
			files = append(files, placedFile{p, partitions(root, p)})
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: there are no files in this directory", place)
	}
	return files, nil
}

// maxDirectories limits the depth of nested directories.
const maxDirectories = 32

// below returns the files in a directory and all directories below it, in the order of their names. It includes empty
// files if empty is set.
func below(ctx context.Context, dir string, depth int, empty bool) (files []string, err error) {
	if depth == maxDirectories {
		return nil, fmt.Errorf("%s: the directories lie too deep in each other", dir)
	}
	entries, err := storage.List(ctx, dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !storage.Hidden(e.URL) && (empty || e.Size > 0) {
			files = append(files, e.URL)
		}
	}
	dirs, err := storage.Directories(ctx, dir)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, err
	}
	for _, d := range dirs {
		if storage.Hidden(strings.TrimRight(d, "/")) {
			continue
		}
		more, err := below(ctx, d, depth+1, empty)
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	slices.Sort(files)
	return files, nil
}

// partitionRoot returns the part of a place before the first directory that may be a partition. If there is a pattern,
// that is the part before the pattern.
func partitionRoot(place string) string {
	if i := strings.IndexAny(place, "*["); i >= 0 {
		return place[:strings.LastIndexAny(place[:i], `/\`)+1]
	}
	return place
}

// partitions returns the partitions in the directories between a root and a file.
func partitions(root, path string) (parts []partition) {
	rest := strings.TrimPrefix(path, strings.TrimPrefix(root, "./"))
	names := strings.FieldsFunc(rest, func(c rune) bool { return c == '/' || c == filepath.Separator })
	for _, name := range names[:max(len(names)-1, 0)] {
		key, value, ok := strings.Cut(name, "=")
		if !ok || key == "" {
			continue
		}
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		if value == noPartition {
			value = ""
		}
		parts = append(parts, partition{key, value})
	}
	return parts
}
