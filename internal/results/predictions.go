// Package results writes the results of a network for each example: predictions to files or as lines, scores as lines.
package results

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/npy"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// Predictions writes predictions: each output to its own file, all outputs to one file, or lines to a function.
type Predictions struct {
	each    []*predictionFile        // one per output; or only one, of kind .jsonl
	names   []string                 // of the outputs, if there are several
	class   bool                     // the output is a softmax
	keys    []string                 // the columns of a key; nil if keys have no columns
	piped   func(lines []byte) error // takes lines, if there are no files
	answer  *source.Answer           // the names; nil if there are none
	numbers []float32                // of an answer; reused
	begun   bool                     // the header has been written
	keyRule
}

// predictionFile is the file of an output, or of all.
type predictionFile struct {
	path  string
	file  *storage.Output
	npy   *npy.Writer
	rows  *parquetRows
	lines []byte
	shape tensor.Shape // of an example's output

	flat  bool // Deeplearning4j's array is [examples], ours [examples, 1]
	times int  // number of rows of an example
	// the outputs, if times is above 1: a .npy file has the first rows of all examples, then their second ones
	apart []*tensor.Dense
}

// Paths returns the files of outputs with these names: path, or if there are several, one with each output's name. The
// kind is .npy, .csv, .parquet or .jsonl, which has all outputs in one file.
func Paths(names []string, path, kind string) []string {
	if len(names) == 1 || kind == ".jsonl" {
		return []string{path}
	}
	var paths []string
	for _, name := range names {
		paths = append(paths, PathOf(path, name))
	}
	return paths
}

// PipePredictions sends lines of the kind .csv or .jsonl to a function. keys are the columns of a key.
func PipePredictions(net *nn.Network, kind string, keys []string, to func(lines []byte) error) *Predictions {
	return &Predictions{names: Outputs(net), class: Classifies(net), keys: keys, piped: to,
		each: []*predictionFile{{path: kind}}}
}

// CreatePredictions writes files of the kind .npy, .csv, .jsonl or .parquet. keys are the columns of a key. The files
// appear with Commit.
func CreatePredictions(ctx context.Context, net *nn.Network, path, kind string, keys []string) (*Predictions, error) {
	w := &Predictions{names: Outputs(net), class: Classifies(net), keys: keys}
	layers := net.OutputLayers()
	for i, path := range Paths(w.names, path, kind) {
		file, err := storage.Create(ctx, path)
		if err != nil {
			w.Close()
			return nil, err
		}
		_, ocnn := layers[i].(layer.OCNNOutput)
		w.each = append(w.each, &predictionFile{path: path, file: file, flat: ocnn && kind == ".npy",
			times: net.OutputRows()[i]})
	}
	return w, nil
}

// File is a written file, and the shape of its content, rows first.
type File struct {
	Path  string
	Shape tensor.Shape
}

// Files returns the files, once all examples are written.
func (w *Predictions) Files() (all []File) {
	for _, f := range w.each {
		rows := w.n
		if f.apart != nil {
			rows *= f.times
		}
		all = append(all, File{f.path, append(tensor.Shape{rows}, f.shape...)})
	}
	return all
}

// Write writes an example's outputs.
func (w *Predictions) Write(key string, outputs []*tensor.Dense) error {
	if err := w.take(key); err != nil {
		return err
	}
	for i, f := range w.each {
		y := outputs[i]
		f.shape = y.Shape[1:]
		if f.flat {
			y = &tensor.Dense{Shape: y.Shape[:len(y.Shape)-1], Data: y.Data}
			f.shape = y.Shape[1:]
		}
		var err error
		switch strings.ToLower(filepath.Ext(f.path)) {
		case ".npy":
			if w.answer != nil && w.answer.PerStep {
				return fmt.Errorf("--output %s: sequences differ in length, and a .npy file is one array; write a .csv, "+
					".jsonl or .parquet file", f.path)
			}
			if f.times > 1 {
				f.shape = y.Shape[2:]
				f.apart = append(f.apart, y)
				break
			}
			err = f.array(y)
		case ".csv":
			if w.answer != nil {
				f.lines, err = w.namedCSV(f.lines, key, y)
				break
			}
			f.lines = w.csvLine(f.lines, key, y)
		case ".parquet":
			err = w.parquetRow(f, key, y)
		default:
			f.lines, err = w.jsonLine(f.lines, key, outputs)
		}
		if err != nil {
			return f.full(err)
		}
		if len(f.lines) >= lineBuffer {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// array writes rows of a .npy file. It opens the file when their shape is known.
func (f *predictionFile) array(y *tensor.Dense) (err error) {
	if f.npy == nil {
		if f.npy, err = npy.NewWriter(f.file, y.Shape[1:]...); err != nil {
			return err
		}
	}
	return f.npy.Rows(y)
}

// finish writes the outputs that were collected.
func (f *predictionFile) finish() error {
	for k := range f.times {
		for _, y := range f.apart {
			size := len(y.Data) / f.times
			if err := f.array(&tensor.Dense{Shape: append(tensor.Shape{1}, f.shape...),
				Data: y.Data[k*size : (k+1)*size]}); err != nil {
				return err
			}
		}
	}
	switch {
	case f.npy != nil:
		return f.npy.Close()
	case f.rows != nil:
		return f.rows.to.Finish()
	}
	return nil
}

// csvLine appends an example's key and output.
func (w *Predictions) csvLine(b []byte, key string, y *tensor.Dense) []byte {
	if w.keyed {
		b = append(appendKey(b, key, len(w.keys)), ',')
	}
	return append(appendNumbers(b, y.Data), '\n')
}

// jsonLine appends an object.
func (w *Predictions) jsonLine(b []byte, key string, outputs []*tensor.Dense) ([]byte, error) {
	b = append(b, '{')
	if w.piped != nil {
		b = append(b, `"event":"prediction",`...)
	}
	if w.keyed {
		text, err := jsonKey(key, len(w.keys))
		if err != nil {
			return b, err
		}
		b = append(append(append(b, `"key":`...), text...), ',')
	}
	if w.answer != nil {
		return w.namedJSON(b, outputs[0])
	}
	if w.class {
		b = append(strconv.AppendInt(append(b, `"class":`...), int64(tensor.Largest(outputs[0].Data)), 10), ',')
	}
	if len(outputs) == 1 {
		b = appendJSON(append(b, `"prediction":`...), outputs[0].Shape[1:], outputs[0].Data)
		return append(b, "}\n"...), nil
	}
	b = append(b, `"predictions":{`...)
	for i, y := range outputs {
		if i > 0 {
			b = append(b, ',')
		}
		name, _ := json.Marshal(w.names[i])
		b = appendJSON(append(append(b, name...), ':'), y.Shape[1:], y.Data)
	}
	return append(b, "}}\n"...), nil
}

// Flush writes the collected lines.
func (w *Predictions) Flush() error {
	for _, f := range w.each {
		if len(f.lines) == 0 {
			continue
		}
		var err error
		if w.piped != nil {
			err = w.piped(f.lines)
		} else {
			_, err = f.file.Write(f.lines)
			err = f.full(err)
		}
		if err != nil {
			return err
		}
		f.lines = f.lines[:0]
	}
	return nil
}

// full adds to an error of the disk the name of the file, which has another name until it is complete.
func (f *predictionFile) full(err error) error {
	var disk *fs.PathError
	if !errors.As(err, &disk) {
		return err
	}
	return fmt.Errorf("%s can't be written: %w", f.path, engine.Advised(disk.Err))
}

// Commit makes the files appear.
func (w *Predictions) Commit() error {
	if w.piped != nil {
		return nil
	}
	for _, f := range w.each {
		if err := f.finish(); err != nil {
			return f.full(err)
		}
	}
	for _, f := range w.each {
		if err := f.file.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// Close discards the files that were not committed.
func (w *Predictions) Close() {
	for _, f := range w.each {
		if f.file != nil {
			f.file.Close()
		}
	}
}
