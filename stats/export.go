package stats

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// EndingError means that the ending of a file's name does not choose a format of statistics.
type EndingError struct{ Path string }

func (e *EndingError) Error() string {
	return fmt.Sprintf("%s: statistics are written as .html, .json or .csv, by the ending of the file's name", e.Path)
}

// writers are the forms of statistics, by the ending of the file's name.
var writers = map[string]func(w io.Writer, r Run) error{
	".html": func(w io.Writer, r Run) error { return Frame{}.WriteRun(w, &r) },
	".json": WriteJSON,
	".csv":  func(w io.Writer, r Run) error { return WriteCSV(w, r.Events) },
}

// CheckEnding returns an *EndingError where Export can't tell the form from the name.
func CheckEnding(path string) error {
	if writers[strings.ToLower(filepath.Ext(path))] == nil {
		return &EndingError{path}
	}
	return nil
}

// Run has the statistics of one run of training.
type Run struct {
	Title string // the page's
	// Began is when the run did, by which files of its parts are known from those of other runs; zero if that is of no
	// interest.
	Began time.Time
	// Settings are those by which runs can be compared, such as "batch"; nil where they are not known.
	Settings map[string]string
	// Series show how the run learned.
	Series []Series
	// Histograms show how the network's values were spread, by name and in the order of iterations.
	Histograms []Histogram
	Events     []Event
}

// Export writes the run into a file, whole or not at all: a page (Deeplearning4j: StatsUtils.exportStatsAsHtml), JSON
// or CSV (SparkTrainingStats.exportStatFiles), by the ending of its name.
func (r Run) Export(ctx context.Context, path string) error {
	if err := CheckEnding(path); err != nil {
		return err
	}
	write := writers[strings.ToLower(filepath.Ext(path))]
	return storage.WriteFile(ctx, path, func(w io.Writer) error { return write(w, r) })
}
