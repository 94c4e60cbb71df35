package stats

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/dl4go/dl4go/storage"
)

// EndingError says that a file's name does not say in which form statistics are to be written.
type EndingError struct{ Path string }

func (e *EndingError) Error() string {
	return fmt.Sprintf("%s: statistics are written as .html, .json or .csv, by the ending of the file's name", e.Path)
}

// writers are the forms of statistics, by the ending of the file's name.
var writers = map[string]func(w io.Writer, title string, events []Event) error{
	".html": WriteHTML,
	".json": func(w io.Writer, _ string, events []Event) error { return WriteJSON(w, events) },
	".csv":  func(w io.Writer, _ string, events []Event) error { return WriteCSV(w, events) },
}

// CheckEnding gives an *EndingError where Export can't tell the form from the name.
func CheckEnding(path string) error {
	if writers[strings.ToLower(filepath.Ext(path))] == nil {
		return &EndingError{path}
	}
	return nil
}

// Export writes events into a file, whole or not at all: a page (Deeplearning4j: StatsUtils.exportStatsAsHtml), JSON or
// CSV (SparkTrainingStats.exportStatFiles), by the ending of its name. The title is the page's.
func Export(path, title string, events []Event) error {
	if err := CheckEnding(path); err != nil {
		return err
	}
	write := writers[strings.ToLower(filepath.Ext(path))]
	return storage.WriteFile(path, func(w io.Writer) error { return write(w, title, events) })
}
