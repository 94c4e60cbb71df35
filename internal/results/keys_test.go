package results

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

// TestKeysOfSome: if only some examples have a key, no line with missing columns is written.
func TestKeysOfSome(t *testing.T) {
	for _, keys := range [][]string{{"a", "b", ""}, {"", "b"}} {
		for _, asJSON := range []bool{false, true} {
			var b bytes.Buffer
			to := func(lines []byte) error { _, err := b.Write(lines); return err }
			score := NewScores(asJSON, 1, to)
			prediction := Predictions{names: []string{""}, keys: []string{"id"}, piped: to,
				each: []*predictionFile{{path: ".csv"}}}
			if asJSON {
				prediction.each[0].path = ".jsonl"
			}
			for name, write := range map[string]func(string) error{
				"score":      func(key string) error { return score.Write(key, 0.5) },
				"prediction": func(key string) error { return prediction.Write(key, []*tensor.Dense{tensor.New(1, 2)}) },
			} {
				for i, key := range keys {
					err := write(key)
					if last := i == len(keys)-1; last != (err != nil && strings.Contains(err.Error(), "is not like the first one")) {
						t.Errorf("%s of example %d of those with the keys %q: %v", name, i, keys, err)
					}
				}
			}
			if err := score.Flush(); err != nil {
				t.Fatal(err)
			}
			if lines := strings.Count(b.String(), "\n"); lines != len(keys)-1 {
				t.Errorf("%d scores were written of examples with the keys %q", lines, keys)
			}
		}
	}
}
