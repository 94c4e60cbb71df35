package worker

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Marks of the lines of a worker's standard error that are for the driver.
const (
	logMark   = "dl4go-log "
	causeMark = "dl4go-error "
)

// Logger writes log lines for the driver to a worker's standard error.
func Logger(to io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(marked{to, logMark}, &slog.HandlerOptions{Level: level}))
}

// rowLogger writes log lines for the driver as records among the output's rows.
func rowLogger(out *Sender, level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(logRows{out}, &slog.HandlerOptions{Level: level}))
}

type logRows struct{ out *Sender }

func (l logRows) Write(line []byte) (int, error) { return len(line), l.out.Log(bounded(line)) }

// marked writes a mark before each line.
type marked struct {
	to   io.Writer
	mark string
}

func (m marked) Write(line []byte) (int, error) {
	if _, err := m.to.Write(append([]byte(m.mark), bounded(line)...)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// logLimit bounds a log line. If an operation logs a whole array, the array is lost, but not the task.
const logLimit = 12 << 10

// bounded shortens a line that is too long.
func bounded(line []byte) []byte {
	if len(line) <= logLimit {
		return line
	}
	const text, value = 1000, 100 // characters of the message, bytes of an attribute
	r, _ := ParseLog(string(line))
	short := make(map[string]any)
	for k, v := range r.Attrs {
		if s := fmt.Sprint(v); len(k)+len(s) <= value && len(short) < 20 {
			short[k] = v
		}
	}
	short[slog.LevelKey] = r.Level.String()
	short[slog.MessageKey] = fmt.Sprintf("%.*s… (a line of %d bytes, shortened)", text, r.Message, len(line))
	b, err := json.Marshal(short)
	if err != nil {
		return nil
	}
	return append(b, '\n')
}

// LogRecord is a line that Logger wrote.
type LogRecord struct {
	Level   slog.Level
	Message string
	Attrs   map[string]any
}

// ParseLogLine reads a line of standard error, if Logger wrote it.
func ParseLogLine(line string) (r LogRecord, ok bool) {
	line, ok = strings.CutPrefix(line, logMark)
	if !ok {
		return r, false
	}
	return ParseLog(line)
}

// ParseLog reads the data of a Log record.
func ParseLog(line string) (r LogRecord, ok bool) {
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if d.Decode(&r.Attrs) != nil {
		return r, false
	}
	level, _ := r.Attrs[slog.LevelKey].(string)
	r.Message, ok = r.Attrs[slog.MessageKey].(string)
	if r.Level.UnmarshalText([]byte(level)) != nil || !ok {
		return r, false
	}
	delete(r.Attrs, slog.LevelKey)
	delete(r.Attrs, slog.MessageKey)
	delete(r.Attrs, slog.TimeKey)
	return r, true
}

// ParseCause finds the cause of a failure in the last whole line of a worker's standard error that has one, even if the
// beginning is lost.
func ParseCause(stderr string) (f *Failure, ok bool) { return parseMarked(stderr, causeMark) }

func parseMarked(stderr, mark string) (f *Failure, ok bool) {
	for at := strings.LastIndex(stderr, mark); at >= 0; at = strings.LastIndex(stderr[:at], mark) {
		line, _, _ := strings.Cut(stderr[at+len(mark):], "\n")
		f = nil
		if json.Unmarshal([]byte(line), &f) == nil {
			return f, true
		}
	}
	return nil, false
}
