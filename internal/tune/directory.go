package tune

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"github.com/dl4go/dl4go/internal/lease"
	"github.com/dl4go/dl4go/storage"
)

// The files of a directory.
const (
	searchFile = "search.json"
	trialsFile = "trials.jsonl"
	tableFile  = "trials.csv"
)

// Directory keeps a search: its settings, its trials, and the networks that are still needed. Only one search at a
// time may use it.
type Directory struct {
	path   string
	lease  lease.Lease
	trials []*Trial
}

// Kept are the caller's settings of a search, kept in its directory.
type Kept map[string][]string

// Create makes the directory of a new search.
func Create(ctx context.Context, path string, kept Kept) (*Directory, error) {
	if err := storage.MkdirAll(ctx, path); err != nil {
		return nil, err
	}
	d := &Directory{path: path}
	if there, err := storage.Exists(ctx, d.file(searchFile)); err != nil {
		return nil, err
	} else if there {
		return nil, fmt.Errorf("%s has another search; go on with dl4go tune --resume %s, or name another directory",
			path, path)
	}
	text, err := json.MarshalIndent(kept, "", "  ")
	if err != nil {
		return nil, err
	}
	if d.lease, err = lease.Take(ctx, path, lease.Options{}); err != nil {
		return nil, err
	}
	return d, d.put(ctx, searchFile, append(text, '\n'))
}

// Open opens the directory of a search to continue.
func Open(ctx context.Context, path string) (*Directory, Kept, error) {
	d := &Directory{path: path}
	text, err := storage.ReadFile(ctx, d.file(searchFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s has no search to go on with", path)
	}
	var kept Kept
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", d.file(searchFile), err)
	}
	if d.lease, err = lease.Take(ctx, path, lease.Options{}); err != nil {
		return nil, nil, err
	}
	if err := d.read(ctx); err != nil {
		d.Close(ctx)
		return nil, nil, err
	}
	return d, kept, nil
}

// Path returns the path of the directory.
func (d *Directory) Path() string { return d.path }

// Close releases the directory for other searches.
func (d *Directory) Close(ctx context.Context) error {
	if d == nil || d.lease == nil {
		return nil
	}
	return d.lease.Release(ctx)
}

// Table returns the file with the table of all trials.
func (d *Directory) Table() string { return d.file(tableFile) }

// Lines returns the file with a line of JSON for each trial.
func (d *Directory) Lines() string { return d.file(trialsFile) }

func (d *Directory) file(name string) string { return storage.Join(d.path, name) }

func (d *Directory) put(ctx context.Context, name string, b []byte) error {
	return storage.WriteFile(ctx, d.file(name), func(w io.Writer) error { _, err := w.Write(b); return err })
}

// line is a trial in trials.jsonl.
type line struct {
	Trial     int             `json:"trial"`
	Settings  json.RawMessage `json:"settings"`
	Metric    string          `json:"metric"`
	Score     *float64        `json:"score"`
	BestEpoch int             `json:"bestEpoch"` // from 1; 0 if there is none
	Epochs    []Epoch         `json:"epochs"`
	Diverged  string          `json:"diverged,omitempty"`
	Seconds   float64         `json:"seconds"`
}

// write writes the trained trials, as JSON lines and as a table.
func (d *Directory) write(ctx context.Context, trials []*Trial, metric string) error {
	if err := d.lease.Verify(ctx); err != nil {
		return err
	}
	var lines, table bytes.Buffer
	rows := csv.NewWriter(&table)
	head := []string{"trial"}
	for _, k := range kinds {
		if k.name != "layers" {
			head = append(head, k.name)
		}
	}
	rows.Write(append(head, "epochs", "best_epoch", metric, "loss", "diverged", "seconds"))
	for _, t := range trials {
		if len(t.Epochs) == 0 && t.Diverged == "" {
			continue
		}
		best := t.Best(metric, len(t.Epochs))
		text, err := json.Marshal(line{t.Number, t.Settings.json(), metric, t.Score(metric), best + 1, t.Epochs, t.Diverged,
			t.Seconds})
		if err != nil {
			return err
		}
		lines.Write(append(text, '\n'))
		row := []string{strconv.Itoa(t.Number)}
		for _, name := range head[1:] {
			row = append(row, t.Settings.Get(name))
		}
		row = append(row, strconv.Itoa(len(t.Epochs)), strconv.Itoa(best+1), number64(t.Score(metric)), "", t.Diverged,
			strconv.FormatFloat(t.Seconds, 'f', 3, 64))
		if best >= 0 {
			row[len(row)-3] = number64(t.Epochs[best].Loss)
		}
		rows.Write(row)
	}
	if rows.Flush(); rows.Error() != nil {
		return rows.Error()
	}
	if err := d.put(ctx, tableFile, table.Bytes()); err != nil {
		return err
	}
	return d.put(ctx, trialsFile, lines.Bytes())
}

func number64(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

// json returns an object with the settings by name, in their order.
func (s Settings) json() json.RawMessage {
	b := []byte{'{'}
	for i, one := range s {
		if i > 0 {
			b = append(b, ',')
		}
		name, _ := json.Marshal(one.Name)
		value, _ := json.Marshal(one.Value)
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}')
}

// read reads the file written by write.
func (d *Directory) read(ctx context.Context) error {
	text, err := storage.ReadFile(ctx, d.file(trialsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	n := 0
	for b := range bytes.Lines(text) {
		n++
		var l line
		var settings map[string]string
		if err := errors.Join(json.Unmarshal(b, &l), json.Unmarshal(l.Settings, &settings)); err != nil {
			return fmt.Errorf("%s:%d: %w", d.file(trialsFile), n, err)
		}
		t := &Trial{Number: l.Trial, Epochs: l.Epochs, Diverged: l.Diverged, Seconds: l.Seconds}
		for _, k := range kinds {
			if value, is := settings[k.name]; is {
				t.Settings = append(t.Settings, Setting{k.name, value})
			}
		}
		d.trials = append(d.trials, t)
	}
	return nil
}

// The file names of network states contain the trial and its epoch, so that states cannot be confused.

func stateFile(t *Trial) string { return fmt.Sprintf("trial-%04d-%06d.state", t.Number, len(t.Epochs)) }

func (d *Directory) bestFile(t *Trial, metric string) string {
	return fmt.Sprintf("best-%04d-%06d.state", t.Number, t.Best(metric, len(t.Epochs))+1)
}

// state returns the state of a trial after its last epoch; nil if none can be read: then the trial starts again.
func (d *Directory) state(ctx context.Context, t *Trial) []byte {
	b, err := storage.ReadFile(ctx, d.file(stateFile(t)))
	if err != nil || checkState(b) != nil {
		return nil
	}
	return b
}

// bestState returns the state of a trial after its best epoch.
func (d *Directory) bestState(ctx context.Context, t *Trial, metric string) ([]byte, error) {
	file := d.file(d.bestFile(t, metric))
	b, err := storage.ReadFile(ctx, file)
	if err == nil {
		err = checkState(b)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return b, nil
}

// remove removes a file that is no longer needed.
func (d *Directory) remove(ctx context.Context, name string) error {
	err := storage.Remove(ctx, d.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
