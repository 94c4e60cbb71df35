package source

import (
	"bytes"
	"io"
)

// Labels are the labels of texts, one on each line of a file, or those of a sequence. Workers read those of their own
// texts and sequences.
type Labels struct {
	lines *textLines
	path  string // of a sequence's labels
	text  []byte
}

// LabelsOf returns the labels of a sequence in a file of their own.
func LabelsOf(path string, content []byte) *Labels { return &Labels{path: path, text: content} }

// LabelsPlace returns the place with a file of labels for each file, or "" if the files have their labels themselves.
func (n Name) LabelsPlace() string {
	if n.Kind != "csvseq" {
		return ""
	}
	return n.Settings["labels"]
}

// LabelsFile returns the file with a label for each row of all files, or "" if the rows have their labels themselves.
func (n Name) LabelsFile() string {
	if n.Kind != "text" {
		return ""
	}
	return n.Settings["labels"]
}

// LabelRows returns the name of the labels, as texts of a file.
func (n Name) LabelRows() Name {
	of := n.without("labels")
	of.Place = n.LabelsFile()
	return of
}

// TextRows returns the name of the texts without their labels.
func (n Name) TextRows() Name { return n.without("labels") }

// OpenLabels opens the file of labels of a name.
func OpenLabels(n Name, content *bytes.Reader) (*Labels, error) {
	c, err := textKind{}.options(n)
	if err != nil {
		return nil, err
	}
	t := &textLines{path: c.labels}
	t.encoding = c.encoding
	return &Labels{lines: t}, t.begin(c.labels, content)
}

// SkipTo goes on to the label of a row, counted from 0 over all files. A row behind the last label has none.
func (l *Labels) SkipTo(row int64) error {
	for int64(l.lines.line) < row {
		if _, err := l.lines.next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// Close closes the file.
func (l *Labels) Close() error {
	if l.lines == nil {
		return nil
	}
	return l.lines.close()
}
