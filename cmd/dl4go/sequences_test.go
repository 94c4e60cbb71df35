package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// machines writes a long table of 60 machines with rows in random order. A machine's kind says whether its temperature
// rises or falls; its state depends on the temperature.
func machines(t *testing.T) string {
	t.Helper()
	lines := make([]string, 0, 600)
	for step := 11; step >= 0; step-- {
		for m := range 60 {
			if step >= 3+m%9 {
				continue
			}
			x, kind, state := float64(step)+float64(m%4)/4, "rising", "cool"
			if m%2 == 1 {
				x, kind = 8-x, "falling"
			}
			if x > 4 {
				state = "warm"
			}
			lines = append(lines, fmt.Sprintf("m%d,2026-01-01 %02d:00,%g,%s,%s", m, step, x, kind, state))
		}
	}
	path := filepath.Join(t.TempDir(), "readings.csv")
	text := "machine,at,temperature,kind,state\n" + strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSequencesOfALongTable: a model learns from the rows of each machine, with one label for each machine or for each
// row, and answers by their names; goroutines and processes give the same bytes.
func TestSequencesOfALongTable(t *testing.T) {
	t.Parallel()
	table := machines(t)
	for label, want := range map[string]struct{ header, first, notice string }{
		"kind":  {"machine,prediction,probability_falling,probability_rising", "m8,rising,", "kind: one label a sequence"},
		"state": {"machine,step,prediction,probability_cool,probability_warm", "m8,1,cool,", "state: one label a step"},
	} {
		var saved [2][]byte
		var text string
		for i, on := range []string{"local[2]", "processes[2]"} {
			save := t.TempDir() + "/model.zip"
			text = dl4go(t, "train", "--data", "csv:"+table, "--sequence-id", "machine", "--sequence-time", "at", "--label",
				label, "--split", "0.8", "--epochs", "40", "--master", on, "--workers", "2", "--save", save)
			var err error
			if saved[i], err = os.ReadFile(save); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				defer os.Remove(save)
				out := dl4go(t, "predict", "--model", save, "--data", "csv:"+table, "--output", "-")
				lines := strings.SplitN(out, "\n", 3)
				if lines[0] != want.header || !strings.HasPrefix(lines[1], want.first) {
					t.Errorf("%s: %s\n%s", label, lines[0], lines[1])
				}
				score := dl4go(t, "evaluate", "--model", save, "--data", "csv:"+table+"?sequence=machine", "--json")
				if !strings.Contains(score, `"accuracy":0.9`) && !strings.Contains(score, `"accuracy":1`) {
					t.Errorf("%s: %s", label, score)
				}
			}
		}
		if !bytes.Equal(saved[0], saved[1]) {
			t.Errorf("%s: processes give another model than goroutines", label)
		}
		if !strings.Contains(text, want.notice) || !strings.Contains(text, "notice 60 sequences of 411 rows") {
			t.Errorf("%s: %s", label, text)
		}
	}
}

// TestFilesOfSequences: each CSV file is a sequence, with its label in another file, with and without the pipeline.
func TestFilesOfSequences(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"x", "y"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 40 {
		text, by := "temperature\n", 1-2*float64(i%2)
		for step := range 3 + i%7 {
			text += fmt.Sprintln(by*float64(step) + float64(i%3)/3)
		}
		for name, text := range map[string]string{"x": text, "y": []string{"rising\n", "falling\n"}[i%2]} {
			path := filepath.Join(dir, name, fmt.Sprintf("m%02d.csv", i))
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	var saved [][]byte
	for _, flags := range [][]string{{"--master", "local[2]"}, {"--master", "processes[2]"},
		{"--no-pipeline", "--names", "rising,falling", "--align", "end"}} {
		save := t.TempDir() + "/model.zip"
		dl4go(t, append([]string{"train", "--data", "csvseq:" + dir + "/x", "--sequence-labels", dir + "/y", "--model",
			"lstm", "--epochs", "30", "--save", save}, flags...)...)
		out := dl4go(t, "predict", "--model", save, "--data", "csvseq:"+dir+"/x", "--output", "-")
		lines := strings.SplitN(out, "\n", 3)
		header := lines[0] == "file,prediction,probability_falling,probability_rising"
		if header != (flags[0] == "--master") || header && !strings.HasPrefix(lines[1], "m00,rising,") {
			t.Errorf("%s: %s\n%s", flags, lines[0], lines[1])
		}
		b, err := os.ReadFile(save)
		if err != nil {
			t.Fatal(err)
		}
		saved = append(saved, b)
	}
	if !bytes.Equal(saved[0], saved[1]) {
		t.Error("processes give another model than goroutines")
	}
}

// TestTexts: a model learns from the words of a column, and answers for texts with unknown words.
func TestTexts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "id,review,mood\n"
	for i := range 120 {
		mood := []string{"good", "bad"}[i%2]
		text += fmt.Sprintf("%d,\"The %s of it: %s, %s\",%s\n", i, []string{"film", "plot", "cast"}[i%3],
			strings.Repeat("very ", i%4), map[string]string{"good": "Great", "bad": "poor"}[mood], mood)
	}
	if err := os.WriteFile(dir+"/t.csv", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/new.csv", []byte("id,review\na,GREAT music\nb,poor music\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var saved [2][]byte
	for i, on := range []string{"local[2]", "processes[2]"} {
		save := t.TempDir() + "/model.zip"
		dl4go(t, "train", "--data", "csv:"+dir+"/t.csv", "--tokens", "review", "--label", "mood", "--epochs", "20", "--save",
			save, "--master", on)
		out := dl4go(t, "predict", "--model", save, "--data", "csv:"+dir+"/new.csv", "--keys", "id", "--output", "-")
		if !strings.Contains(out, "\na,good,") || !strings.Contains(out, "\nb,bad,") {
			t.Error(out)
		}
		var err error
		if saved[i], err = os.ReadFile(save); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(saved[0], saved[1]) {
		t.Error("processes give another model than goroutines")
	}
}
