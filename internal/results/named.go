package results

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/tensor"
)

// Named makes w write predictions under the names of an answer: as columns of .csv and .parquet files, and as members
// of JSON lines. Arrays (.npy) have no names. The answer for a step has the step's number, from 1, in the column
// "step".
func (w *Predictions) Named(a source.Answer) { w.answer = &a }

// step returns the output of one step of a sequence, [1, size, steps].
func step(y *tensor.Dense, at int) *tensor.Dense {
	size, steps := y.Shape[1], y.Shape[2]
	of := tensor.New(1, size)
	for k := range size {
		of.Data[k] = y.Data[k*steps+at]
	}
	return of
}

// eachAnswer calls each with the answers for an example: one, or for a sequence one for each step, numbered from 1.
func (w *Predictions) eachAnswer(y *tensor.Dense, each func(number int, y *tensor.Dense) error) error {
	if !w.answer.PerStep || len(y.Shape) != 3 {
		if err := w.answer.Check(len(y.Data)); err != nil {
			return err
		}
		return each(0, y)
	}
	if err := w.answer.Check(y.Shape[1]); err != nil {
		return err
	}
	for i := range y.Shape[2] {
		if err := each(i+1, step(y, i)); err != nil {
			return err
		}
	}
	return nil
}

// header returns the first line of a .csv file.
func (w *Predictions) header() []byte {
	names := w.answer.Columns()
	if w.answer.PerStep {
		names = append([]string{"step"}, names...)
	}
	if w.keyed {
		names = append(slices.Clone(w.keyNames()), names...)
	}
	return append([]byte(source.JoinValues(names)), '\n')
}

// namedCSV appends a line, or one for each step, and the header before the first line.
func (w *Predictions) namedCSV(b []byte, key string, y *tensor.Dense) ([]byte, error) {
	if !w.begun {
		w.begun = true
		b = append(b, w.header()...)
	}
	err := w.eachAnswer(y, func(number int, y *tensor.Dense) error {
		if w.keyed {
			b = append(appendKey(b, key, len(w.keys)), ',')
		}
		if number > 0 {
			b = append(strconv.AppendInt(b, int64(number), 10), ',')
		}
		if class, ok := w.answer.Class(y.Data); ok {
			b = append(appendKey(b, class, 1), ',')
		}
		w.numbers = w.answer.AppendNumbers(w.numbers[:0], y.Data)
		b = append(appendNumbers(b, w.numbers), '\n')
		return nil
	})
	return b, err
}

// appendNumbers appends numbers, separated by commas.
func appendNumbers(b []byte, numbers []float32) []byte {
	for k, v := range numbers {
		if k > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(v), 'g', -1, 32)
	}
	return b
}

// namedJSON appends the members of an open object, and an object for each further step.
func (w *Predictions) namedJSON(b []byte, y *tensor.Dense) ([]byte, error) {
	begun := slices.Clone(b[bytes.LastIndexByte(b, '\n')+1:])
	err := w.eachAnswer(y, func(number int, y *tensor.Dense) error {
		if number > 1 {
			b = append(b, begun...)
		}
		if number > 0 {
			b = append(strconv.AppendInt(append(b, `"step":`...), int64(number), 10), ',')
		}
		b = w.answerJSON(b, y)
		return nil
	})
	return b, err
}

// answerJSON appends the members of an answer.
func (w *Predictions) answerJSON(b []byte, y *tensor.Dense) []byte {
	names := w.answer.Columns()
	if class, ok := w.answer.Class(y.Data); ok {
		quoted, _ := json.Marshal(class)
		b = append(append(append(b, `"prediction":`...), quoted...), ',')
		names = names[1:]
	}
	w.numbers = w.answer.AppendNumbers(w.numbers[:0], y.Data)
	for i, v := range w.numbers {
		if i > 0 {
			b = append(b, ',')
		}
		name, _ := json.Marshal(names[i])
		b = appendJSON(append(append(b, name...), ':'), nil, []float32{v})
	}
	return append(b, "}\n"...)
}
