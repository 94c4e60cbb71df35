package results

import (
	"math"
	"strconv"
)

// Scores writes the score of each example as a line: of CSV, or of JSON.
type Scores struct {
	json    bool
	columns int // of a key
	to      func(lines []byte) error
	lines   []byte
	keyRule
}

// NewScores sends lines to a function. A key has the given number of columns.
func NewScores(json bool, columns int, to func(lines []byte) error) *Scores {
	return &Scores{json: json, columns: columns, to: to}
}

// Examples returns the number of scores written.
func (w *Scores) Examples() int { return w.n }

// Write writes the score of an example.
func (w *Scores) Write(key string, score float64) error {
	if err := w.take(key); err != nil {
		return err
	}
	if w.json {
		if err := w.object(key, score); err != nil {
			return err
		}
	} else {
		if w.keyed {
			w.lines = append(appendKey(w.lines, key, w.columns), ',')
		}
		w.lines = append(appendScore(w.lines, score), '\n')
	}
	if len(w.lines) >= lineBuffer {
		return w.Flush()
	}
	return nil
}

// object appends an event.
func (w *Scores) object(key string, score float64) error {
	w.lines = strconv.AppendInt(append(w.lines, `{"event":"example","example":`...), int64(w.n-1), 10)
	if w.keyed {
		text, err := jsonKey(key, w.columns)
		if err != nil {
			return err
		}
		w.lines = append(append(w.lines, `,"key":`...), text...)
	}
	w.lines = append(w.lines, `,"score":`...)
	if math.IsNaN(score) || math.IsInf(score, 0) {
		w.lines = strconv.AppendQuote(w.lines, strconv.FormatFloat(score, 'g', -1, 64))
	} else {
		w.lines = appendScore(w.lines, score)
	}
	w.lines = append(w.lines, "}\n"...)
	return nil
}

// appendScore appends a score with as many digits as it was computed with: a loss is a float32, and with the
// regularisation term a float64.
func appendScore(b []byte, score float64) []byte {
	bits := 64
	if float64(float32(score)) == score {
		bits = 32
	}
	return strconv.AppendFloat(b, score, 'g', -1, bits)
}

// Flush sends the collected lines.
func (w *Scores) Flush() error {
	err := w.to(w.lines)
	w.lines = w.lines[:0]
	return err
}
