package source

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/dl4go/dl4go/pipeline"
)

// maxText limits the bytes of a text.
const maxText = 16 << 20

// textRows reads the texts of files one by one.
type textRows struct {
	ctx      context.Context
	conf     textOptions
	open     func(ctx context.Context, path, encoding string) (*textLines, error)
	files    []textInFile // files that are not yet read
	labelled bool
	labels   *textLines // labels of files of lines; nil if folders are labels, or there are none
	shared   bool       // labels go on after the last file
	schema   *pipeline.Schema

	file textInFile
	in   *textLines // of the current file; nil if there is none
	live bool
}

// Schema returns the columns.
func (r *textRows) Schema() *pipeline.Schema { return r.schema }

// Next returns the next text.
func (r *textRows) Next() (pipeline.Item, error) {
	for {
		if r.in == nil {
			if len(r.files) == 0 {
				return pipeline.Item{}, r.end()
			}
			var err error
			r.file, r.files = r.files[0], r.files[1:]
			if r.in, err = r.open(r.ctx, r.file.path, r.conf.encoding); err != nil {
				return pipeline.Item{}, err
			}
			r.live = r.live || r.in.live
			if !r.file.lines {
				text, err := r.in.whole()
				if err != nil {
					return pipeline.Item{}, err
				}
				r.in = nil
				return r.row(r.file.name, text)
			}
		}
		text, err := r.in.next()
		if err == nil {
			return r.row(fmt.Sprintf("%s:%d", r.file.name, r.in.line), text)
		}
		if err != io.EOF {
			return pipeline.Item{}, err
		}
		if err := r.in.close(); err != nil {
			return pipeline.Item{}, err
		}
		r.in = nil
	}
}

// row returns the row of a text, with its label.
func (r *textRows) row(name, text string) (pipeline.Item, error) {
	row := pipeline.Row{pipeline.Text(name), pipeline.Text(text)}
	switch {
	case r.labels != nil:
		label, err := r.labels.next()
		if err == io.EOF {
			return pipeline.Item{}, fmt.Errorf("%s: there is no label for %s: there are %d", r.conf.labels, name, r.labels.line)
		}
		if err != nil {
			return pipeline.Item{}, err
		}
		row = append(row, pipeline.Text(strings.TrimSpace(label)))
	case r.labelled:
		row = append(row, pipeline.Text(r.file.class))
	}
	return pipeline.Item{Row: row}, nil
}

// end returns the error after the last text: io.EOF, unless there are more labels than texts.
func (r *textRows) end() error {
	if r.labels == nil || r.shared {
		return io.EOF
	}
	if _, err := r.labels.next(); err == nil {
		return fmt.Errorf("%s:%d: there are more labels than texts", r.conf.labels, r.labels.line)
	} else if err != io.EOF {
		return err
	}
	return io.EOF
}

// Place returns the place of the last text.
func (r *textRows) Place() string {
	if r.in == nil {
		return r.file.path
	}
	return fmt.Sprintf("%s:%d", streamName(r.file.path), r.in.line)
}

// Live reports whether the next text may be long in coming.
func (r *textRows) Live() bool { return r.live }

// Close closes the open files.
func (r *textRows) Close() (err error) {
	if r.shared {
		r.labels = nil
	}
	for _, t := range []*textLines{r.in, r.labels} {
		if t != nil {
			if e := t.close(); err == nil {
				err = e
			}
		}
	}
	r.in, r.labels = nil, nil
	return err
}

// textLines reads the lines of a file one by one, or the whole file.
type textLines struct {
	fileTexts
	path string
	in   *bufio.Reader
	line int // number of the last line, from 1
}

func openLines(ctx context.Context, path, encoding string) (*textLines, error) {
	t := &textLines{path: streamName(path)}
	t.ctx, t.encoding, t.files = ctx, encoding, []string{path}
	_, file, err := t.fileTexts.next()
	if err != nil {
		return nil, err
	}
	return t, t.begin(path, file)
}

// begin opens the text of a file.
func (t *textLines) begin(path string, file io.Reader) error {
	text, err := t.text(path, file)
	if err == nil {
		t.in = bufio.NewReader(text)
	}
	return err
}

// next returns the next line, without its end, or io.EOF after the last one.
func (t *textLines) next() (string, error) {
	var line []byte
	t.line++
	for {
		piece, err := t.in.ReadSlice('\n')
		line = append(line, piece...)
		if len(line) > maxText {
			return "", fmt.Errorf("%s:%d: the line has more than %d MB", t.path, t.line, maxText>>20)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(line) == 0:
			t.line--
			return "", io.EOF
		case err != nil && err != io.EOF:
			return "", fmt.Errorf("%s:%d: %w", t.path, t.line, err)
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		return t.checked(line, fmt.Sprintf("%s:%d", t.path, t.line))
	}
}

// whole returns the text of the whole file, and closes it.
func (t *textLines) whole() (string, error) {
	text, err := io.ReadAll(io.LimitReader(t.in, maxText+1))
	if err == nil && len(text) > maxText {
		err = fmt.Errorf("it has more than %d MB, which is long for one text; lines=true takes each line as one", maxText>>20)
	}
	if e := t.close(); err == nil {
		err = e
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", t.path, err)
	}
	return t.checked(text, t.path)
}

// checked returns bytes as a text, or an error if they are no text in UTF-8.
func (t *textLines) checked(text []byte, place string) (string, error) {
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return "", fmt.Errorf("%s: it is not a text in UTF-8; say encoding=…, or leave the file out", place)
	}
	return string(text), nil
}
