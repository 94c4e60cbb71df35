package results

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/tensor"
)

// Answer has the names in which a model with a pipeline answers: the columns of .csv files and the members of JSON lines
// are "prediction", the class, and "probability_CLASS" for each of them; or, of numbers, the labels' names; or, of
// labels that each are there or not, their names with 1 or 0, and "probability_LABEL".
type Answer struct {
	Task    source.Task
	Classes []string
	Labels  []string
	Keys    []string // the columns of a key
	// PerStep: each step of a sequence has an answer, with its number from 1 on in the column "step".
	PerStep bool
}

// Named has predictions written under their names. Arrays (.npy) have none.
func (w *Predictions) Named(a Answer) { w.answer, w.columns = &a, len(a.Keys) }

// step is a step's part of the output of a sequence, [1, size, steps].
func step(y *tensor.Dense, at int) *tensor.Dense {
	size, steps := y.Shape[1], y.Shape[2]
	of := tensor.New(1, size)
	for k := range size {
		of.Data[k] = y.Data[k*steps+at]
	}
	return of
}

// eachAnswer gives each the answers of an example: one, or of a sequence one for each step, from 1 on.
func (a *Answer) eachAnswer(y *tensor.Dense, each func(number int, y *tensor.Dense)) {
	if !a.PerStep || len(y.Shape) != 3 {
		each(0, y)
		return
	}
	for i := range y.Shape[2] {
		each(i+1, step(y, i))
	}
}

// columnNames are the columns but for the keys.
func (a *Answer) columnNames() []string {
	switch a.Task {
	case source.Regression:
		return a.Labels
	case source.MultiLabel:
		return append(append([]string(nil), a.Labels...), probabilities(a.Labels)...)
	}
	return append([]string{"prediction"}, probabilities(a.Classes)...)
}

func probabilities(names []string) []string {
	of := make([]string, len(names))
	for i, name := range names {
		of[i] = "probability_" + name
	}
	return of
}

// values calls each with the values of an example in the order of columnNames: a text, or a number.
func (a *Answer) values(y []float32, each func(text string, number float32, isText bool)) {
	switch a.Task {
	case source.Classification:
		each(a.Classes[tensor.Largest(y)], 0, true)
	case source.MultiLabel:
		for _, p := range y {
			there := float32(0)
			if p >= 0.5 {
				there = 1
			}
			each("", there, false)
		}
	}
	for _, v := range y {
		each("", v, false)
	}
}

// header is the first line of a .csv file.
func (w *Predictions) header() []byte {
	names := w.answer.columnNames()
	if w.answer.PerStep {
		names = append([]string{"step"}, names...)
	}
	if w.keyed {
		names = append(append([]string(nil), w.answer.Keys...), names...)
	}
	return append([]byte(source.JoinValues(names)), '\n')
}

// namedCSV appends a line, and before the first one the header.
func (w *Predictions) namedCSV(b []byte, key string, y *tensor.Dense) []byte {
	if !w.begun {
		w.begun = true
		b = append(b, w.header()...)
	}
	w.answer.eachAnswer(y, func(number int, y *tensor.Dense) { b = w.answerCSV(b, key, number, y) })
	return b
}

// answerCSV appends a line.
func (w *Predictions) answerCSV(b []byte, key string, number int, y *tensor.Dense) []byte {
	if w.keyed {
		b = append(appendKey(b, key, w.columns), ',')
	}
	if number > 0 {
		b = append(strconv.AppendInt(b, int64(number), 10), ',')
	}
	first := true
	w.answer.values(y.Data, func(text string, number float32, isText bool) {
		if !first {
			b = append(b, ',')
		}
		if first = false; isText {
			b = appendKey(b, text, 1)
		} else {
			b = strconv.AppendFloat(b, float64(number), 'g', -1, 32)
		}
	})
	return append(b, '\n')
}

// namedJSON appends the members of an object that was begun, and for each step but the first an object.
func (w *Predictions) namedJSON(b []byte, y *tensor.Dense) []byte {
	begun := slices.Clone(b[bytes.LastIndexByte(b, '\n')+1:])
	w.answer.eachAnswer(y, func(number int, y *tensor.Dense) {
		if number > 1 {
			b = append(b, begun...)
		}
		if number > 0 {
			b = append(strconv.AppendInt(append(b, `"step":`...), int64(number), 10), ',')
		}
		b = w.answerJSON(b, y)
	})
	return b
}

// answerJSON appends the members of an answer.
func (w *Predictions) answerJSON(b []byte, y *tensor.Dense) []byte {
	names := w.answer.columnNames()
	i := 0
	w.answer.values(y.Data, func(text string, number float32, isText bool) {
		if i > 0 {
			b = append(b, ',')
		}
		name, _ := json.Marshal(names[i])
		b = append(append(b, name...), ':')
		if i++; isText {
			quoted, _ := json.Marshal(text)
			b = append(b, quoted...)
		} else {
			b = appendJSON(b, nil, []float32{number})
		}
	})
	return append(b, "}\n"...)
}
