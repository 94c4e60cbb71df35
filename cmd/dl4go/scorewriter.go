package main

import (
	"math"
	"strconv"
)

// scoreWriter prints scores on standard output.
type scoreWriter struct {
	out     *output
	columns int // that a key has
	lines   []byte
	keyRule
}

func (w *scoreWriter) write(key string, score float64) error {
	if err := w.take(key); err != nil {
		return err
	}
	if w.out.json {
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
		return w.flush()
	}
	return nil
}

// object appends an event.
func (w *scoreWriter) object(key string, score float64) error {
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

// appendScore appends as many digits as tell a score from others: a loss is computed as a float32, and with regularisation's
// part it is a float64.
func appendScore(b []byte, score float64) []byte {
	bits := 64
	if float64(float32(score)) == score {
		bits = 32
	}
	return strconv.AppendFloat(b, score, 'g', -1, bits)
}

func (w *scoreWriter) flush() error {
	err := w.out.data(w.lines)
	w.lines = w.lines[:0]
	return err
}
