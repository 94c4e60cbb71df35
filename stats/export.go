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

// EndingError means that a file's extension does not select a format of statistics.
type EndingError struct{ Path string }

func (e *EndingError) Error() string {
	return fmt.Sprintf("%s: statistics are written as .html, .json or .csv, by the ending of the file's name", e.Path)
}

// writers are the formats of statistics, by the file's extension.
var writers = map[string]func(w io.Writer, r Run) error{
	".html": func(w io.Writer, r Run) error { return Frame{}.WriteRun(w, &r) },
	".json": WriteJSON,
	".csv":  func(w io.Writer, r Run) error { return WriteCSV(w, r.Events) },
}

// CheckEnding returns an *EndingError if the extension does not select a format for Export.
func CheckEnding(path string) error {
	if writers[strings.ToLower(filepath.Ext(path))] == nil {
		return &EndingError{path}
	}
	return nil
}

// Run has the statistics of one run of training.
type Run struct {
	Title string // the page's
	// Began is when the run began. It distinguishes files of the run's parts from those of other runs; it may be zero
	// if that does not matter.
	Began time.Time
	// Settings are settings by which runs can be compared, such as "batch"; nil if they are not known.
	Settings map[string]string
	// Failure is the error with which the run ended; empty if it did not fail.
	Failure string
	// Series show how the run learned.
	Series []Series
	// Histograms show the distribution of the network's values, by name and in the order of iterations.
	Histograms []Histogram
	Events     []Event
}

// Export writes the run to a file, completely or not at all: a page (Deeplearning4j: StatsUtils.exportStatsAsHtml),
// JSON or CSV (SparkTrainingStats.exportStatFiles), by the file's extension.
func (r Run) Export(ctx context.Context, path string) error {
	if err := CheckEnding(path); err != nil {
		return err
	}
	write := writers[strings.ToLower(filepath.Ext(path))]
	return storage.WriteFile(ctx, path, func(w io.Writer) error { return write(w, r) })
}
