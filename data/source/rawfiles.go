package source

import (
	"context"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/storage"
)

// RawFiles is a Tabular kind whose files workers can read independently.
type RawFiles interface {
	Tabular
	// Deep reports whether files in directories below a place are read, too.
	Deep() bool
	// RawFile opens the raw rows of a file of the place, as Rows does. Errors name the file, and the place in it.
	RawFile(n Name, path string, content Content, o RowOptions) (Rows, error)
}

// folderFiles is a RawFiles that selects files below a place.
type folderFiles interface {
	// below returns the files to read, in order. Empty files are included.
	below(place string, paths []string) ([]string, error)
}

// OneByOne reports whether workers can read the raw rows of the named data one file at a time. Labels may be in a
// separate file, or a separate file for each: see [Name.LabelsFile] and [Name.LabelsPlace].
func OneByOne(n Name) bool {
	k, _ := KindOf(n.Kind)
	_, files := k.(RawFiles)
	_, apart := n.Settings["labels"]
	_, err := n.Sequencing()
	return files && (!apart || n.LabelsFile()+n.LabelsPlace() != "") && err == nil && !n.StandardInput()
}

// RawByWorkers is [OneByOne] for files in storage that the workers of a cluster see.
func RawByWorkers(n Name) bool {
	labels := n.LabelsFile() + n.LabelsPlace()
	return OneByOne(n) && strings.Contains(n.Place, "://") && (labels == "" || strings.Contains(labels, "://"))
}

// RawPaths returns the files of a place that this machine sees, for workers that see them, too.
func RawPaths(ctx context.Context, k RawFiles, place string) (paths []string, err error) {
	if _, some := k.(folderFiles); some && !strings.ContainsAny(place, "*[") && isDirectory(ctx, place) {
		all, err := below(ctx, place, 0, true)
		if err != nil {
			return nil, err
		}
		return PickPaths(k, place, all)
	}
	if !k.Deep() {
		return placeFiles(ctx, place)
	}
	files, err := deepFiles(ctx, place)
	for _, f := range files {
		paths = append(paths, f.path)
	}
	return paths, err
}

// TakesEmpty reports whether files of a kind may be empty, because even an empty file has a row.
func TakesEmpty(k RawFiles) bool {
	_, some := k.(folderFiles)
	return some
}

// PickPaths returns those files of a directory that a kind reads, in the kind's order.
func PickPaths(k RawFiles, place string, paths []string) ([]string, error) {
	if f, some := k.(folderFiles); some {
		return f.below(place, paths)
	}
	return paths, nil
}

// PathColumns returns the columns whose values are in the paths of a place's files, as directories COLUMN=VALUE.
func PathColumns(n Name, paths []string) (columns []pipeline.Column) {
	root := partitionRoot(n.Place)
	var files []placedFile
	for _, p := range paths {
		files = append(files, placedFile{p, partitions(root, p)})
	}
	types := partitionTypes(files)
	for _, p := range files[0].parts {
		columns = append(columns, typedColumn{name: p.name, kind: types[p.name]}.column())
	}
	return columns
}

// Told is implemented by Rows that infer settings from a file, such as whether it has a header. Told returns them. The
// settings of the first file apply to all files.
type Told interface {
	Rows
	Told() map[string]string
}

// Deep returns false: only files directly in the directory are read.
func (csvKind) Deep() bool { return false }

// RawFile opens the raw rows of a file.
func (csvKind) RawFile(n Name, path string, content Content, o RowOptions) (Rows, error) {
	c, err := csvOf(n)
	if err != nil {
		return nil, err
	}
	r := &csvRows{as: o.As}
	r.format, r.before = c.format(), o.First
	r.header = func(record []string) (bool, error) { return c.isRawHeader(record, o.As), nil }
	if err = r.openText(path, content, r.format); err == nil {
		if err = r.begin(path); err != nil && o.Table != nil && r.first == "" && r.err != nil {
			r.schema, err = o.Table, nil // the file has no lines
		}
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// Told returns whether there is a header.
func (r *csvRows) Told() map[string]string {
	if r.head != nil {
		return map[string]string{"header": "true"}
	}
	return map[string]string{"header": "false"}
}

// Deep returns false: only files directly in the directory are read.
func (jsonlKind) Deep() bool { return false }

// RawFile opens the raw rows of a file.
func (jsonlKind) RawFile(n Name, path string, content Content, o RowOptions) (Rows, error) {
	if _, err := jsonlOf(n); err != nil {
		return nil, err
	}
	r := &jsonRows{as: o.As, table: o.Table, most: o.Lines}
	r.ctx = context.Background()
	text, err := r.fileTexts.text(path, content)
	if err == nil {
		r.text = newCSVParser(path, text, 0, 0)
		err = r.begin(path)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Deep returns true, as directories below the place may be partitions.
func (k typedKind) Deep() bool { return true }

// RawFile opens the raw rows of a file.
func (k typedKind) RawFile(n Name, path string, content Content, o RowOptions) (Rows, error) {
	file := placedFile{path, partitions(partitionRoot(n.Place), path)}
	r := &typedTable{ctx: context.Background(), format: k.format, files: []placedFile{file}, schema: o.Table,
		first: "the first file", types: map[string]pipeline.ColumnType{}, dropped: o.Dropped}
	for _, c := range o.Paths {
		r.types[c.Title()] = c.Type()
	}
	if r.as, r.removes = o.As, o.Removes; r.as == nil {
		r.as = o.Table
	}
	wanted := o.wanted(n)
	if content.Size() == 0 || storage.Hidden(path) {
		return nil, &TableError{path, 0, "the file is empty"}
	}
	if err := r.begin(path, content, content.Size(), wanted, wanted != nil); err != nil {
		return nil, err
	}
	return r, nil
}

// wanted returns the names of the columns to read: those of the options, keys and weights, or nil for all.
func (o RowOptions) wanted(n Name) []string {
	wanted := slices.Clone(o.Columns)
	if wanted == nil && o.As != nil {
		wanted = o.As.Names()
	}
	if wanted == nil {
		return nil
	}
	return append(append(wanted, n.Keys()...), n.Weights())
}
