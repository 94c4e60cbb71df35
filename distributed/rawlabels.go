package distributed

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
)

// rawLabels says which labels of a separate file belong to the rows of each file. The file is the first one of each
// partition. Paired means that each file has a file of labels, which stands before it.
type rawLabels struct {
	Starts []int64 // rows before each file of the table
	Files  []int   // files before each partition
	Paired bool
}

// paired puts files of labels before the files of each partition. labels has one for each file.
func (t *RawTable) paired(parts [][]string, labels []string) [][]string {
	with := make([][]string, len(parts))
	for p, files := range parts {
		for _, file := range files {
			with[p] = append(with[p], labels[0], file)
			labels = labels[1:]
		}
	}
	return with
}

// labelled puts the file of labels before the files of each partition. The workers count the rows of all files first.
func (t *RawTable) labelled(ctx context.Context, e engine.Engine, parts [][]string) ([][]string, error) {
	path := t.name.LabelsFile()
	counting := append(slices.Clone(parts), []string{path})
	counts := make([][]int64, len(counting))
	conf := rowCounting{Texts: t.name.TextRows(), Labels: t.name.LabelRows(), Partitions: len(parts)}
	err := engine.ReadFiles(e, counting).Map(countRows.With(conf)).Collect(ctx, func(p int, row engine.Row) error {
		n, err := strconv.ParseInt(string(row.Bytes), 10, 64)
		counts[p] = append(counts[p], n)
		return err
	})
	if err != nil {
		return nil, err
	}
	l, all := &rawLabels{}, int64(0)
	for p := range parts {
		l.Files = append(l.Files, len(l.Starts))
		for _, n := range counts[p] {
			l.Starts = append(l.Starts, all)
			all += n
		}
	}
	if labels := counts[len(parts)]; len(labels) != 1 || labels[0] > all {
		return nil, fmt.Errorf("%s:%d: there are more labels than texts", path, all+1)
	}
	t.conf.Labels = l
	with := make([][]string, len(parts))
	for p, files := range parts {
		with[p] = append([]string{path}, files...)
	}
	return with, nil
}

// rowCounting names the files: those of the texts in the first partitions, and that of the labels in the last one.
type rowCounting struct {
	Texts, Labels source.Name
	Partitions    int
}

// countRows writes the number of rows of each file.
var countRows = engine.Register("distributed.countRows",
	func(t *engine.Task, conf rowCounting, in engine.Rows, out engine.Writer) error {
		read := rawConf{Name: conf.Texts}
		if t.Partition == conf.Partitions {
			read.Name = conf.Labels
		}
		return eachOpened(t, in, func(path string, content source.Content) error {
			rows, err := read.file(path, content, nil)
			if err != nil {
				return engine.Permanent(err)
			}
			defer rows.Close()
			n := int64(0)
			for ; ; n++ {
				if err := t.Context().Err(); err != nil {
					return err
				}
				if _, err := rows.Next(); err == io.EOF {
					break
				} else if err != nil {
					return engine.Permanent(err)
				}
			}
			return out.Write(engine.Unindexed(strconv.AppendInt(nil, n, 10)))
		})
	})

// labelReader gives the files of a partition their labels. Without a separate file of labels, it does nothing.
type labelReader struct {
	conf   rawConf
	file   int // of the table
	labels *source.Labels
}

// labelReader returns that of a partition.
func (c rawConf) labelReader(partition int) *labelReader {
	r := &labelReader{conf: c}
	if c.Labels != nil && !c.Labels.Paired {
		r.file = c.Labels.Files[partition]
	}
	return r
}

// take opens a file if it has labels, and reports that.
func (r *labelReader) take(file engine.File) (taken bool, err error) {
	switch {
	case r.conf.Labels == nil || r.labels != nil:
		return false, nil
	case r.conf.Labels.Paired:
		r.labels = source.LabelsOf(file.Path, file.Content)
		return true, nil
	}
	r.labels, err = source.OpenLabels(r.conf.Name, bytes.NewReader(file.Content))
	return true, err
}

// next returns the labels, at that of the first row of the next file.
func (r *labelReader) next() (*source.Labels, error) {
	if r.labels == nil {
		return nil, nil
	}
	if labels := r.labels; r.conf.Labels.Paired {
		r.labels = nil
		return labels, nil
	}
	r.file++
	return r.labels, r.labels.SkipTo(r.conf.Labels.Starts[r.file-1])
}

// close closes the labels.
func (r *labelReader) close() {
	if r.labels != nil {
		r.labels.Close()
	}
}
