package worker

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
)

type howConfig struct {
	How   string
	Value engine.BroadcastID
}

// does copies its rows, and does what How says.
var does = engine.Register("worker_test.does", func(t *engine.Task, conf howConfig, in engine.Rows,
	out engine.Writer) error {
	if conf.How == "deaf" {
		<-hear
	}
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	switch conf.How {
	case "fail":
		return errors.New("asked to fail")
	case "permanent":
		return engine.Permanent(errors.New("asked to fail for good"))
	case "panic":
		panic("asked to panic")
	case "wait":
		<-t.Context().Done()
		return context.Cause(t.Context())
	case "log":
		t.Log.Warn("take care", "why", "a test")
	case "value":
		value, err := t.Broadcast(conf.Value)
		if err != nil {
			return err
		}
		return out.Write(engine.Unindexed(value))
	}
	return nil
})

func told(how string) Task {
	step := does.With(howConfig{How: how})
	return Task{Partition: 3, Attempt: 2, Threads: 1, Deadline: time.Minute, Grace: time.Minute,
		Links: []Link{{Partition: 3, Step: &step}}}
}

// sent returns the bytes that a driver sends for a task.
func sent(f Framing, t Task, rows []engine.Row) []byte {
	var b bytes.Buffer
	s := NewSender(&b, f)
	s.Job(t)
	for _, row := range rows {
		s.Write(row)
	}
	s.Commit()
	return b.Bytes()
}

// served returns a worker's answer to the input, and its log.
func served(t *testing.T, f Framing, in io.Reader) (out []byte, log string, err error) {
	t.Helper()
	var answer, lines bytes.Buffer
	err = Serve(Streams{in, &answer, &lines}, f, func(err error) { t.Errorf("the worker gave up: %v", err) }, nil)
	return answer.Bytes(), lines.String(), err
}

func TestServe(t *testing.T) {
	for _, f := range framings {
		first, second := someRows(1, 30), someRows(2, 60)
		empty := told("")
		empty.Partition, empty.Attempt = 0, 1
		in := append(sent(f, told(""), first), sent(f, empty, nil)...)
		in = append(in, sent(f, told(""), second)...)
		out, _, err := served(t, f, bytes.NewReader(in))
		want := append(output(f, 3, 2, first), output(f, 0, 1, nil)...)
		want = append(want, output(f, 3, 2, second)...)
		if err != nil || !slices.EqualFunc(records(t, f, out), records(t, f, want), sameRecord) {
			t.Errorf("%s: three tasks are answered with %d bytes, wanted %d, or they differ; error %v", f.Protocol(),
				len(out), len(want), err)
		}
	}
}

func sameRecord(a, b Record) bool {
	equal := bytes.Equal(a.Data, b.Data)
	a.Data, b.Data = nil, nil
	return equal && fmt.Sprint(a) == fmt.Sprint(b)
}

// TestFailures checks that each error arrives with its kind.
func TestFailures(t *testing.T) {
	other := told("")
	other.Build = "0123"
	var unknown bytes.Buffer
	s := NewSender(&unknown, Text)
	s.Begin(3, 2)
	s.document(Job, map[string]any{"links": []any{map[string]any{"step": map[string]string{"name": "gone"}}}})
	s.Commit()
	for name, c := range map[string]struct {
		in        []byte
		permanent bool
		panic     bool
		step      string
		cause     string
	}{
		"an error": {in: sent(Text, told("fail"), nil), step: "worker_test.does", cause: "asked to fail"},
		"a permanent one": {in: sent(Text, told("permanent"), nil), permanent: true, step: "worker_test.does",
			cause: "for good"},
		"a panic": {in: sent(Text, told("panic"), nil), panic: true, step: "worker_test.does",
			cause: "asked to panic"},
		"an unknown step": {in: unknown.Bytes(), permanent: true, cause: `unknown operation "gone": there are`},
		"another build":   {in: sent(Text, other, nil), permanent: true, cause: "build 0123"},
		"an unknown value": {in: sent(Text, told("value"), nil), permanent: true, step: "worker_test.does",
			cause: "released"},
		"an input cut short": {in: cutLine(sent(Text, told(""), someRows(1, 3)[:2])), cause: ErrNoCommit.Error()},
	} {
		out, _, err := served(t, Text, bytes.NewReader(c.in))
		_, failed := readOutput(Text, out, 3, 2)
		var f *Failure
		if !errors.As(failed, &f) || f.Permanent != c.permanent || f.Panic != c.panic || f.Step != c.step ||
			!strings.Contains(f.Cause, c.cause) {
			t.Errorf("%s: the answer is %v", name, failed)
			continue
		}
		if (err == nil) != c.permanent {
			t.Errorf("%s: the worker ends with %v", name, err)
		}
		var step *engine.StepError
		var panicked *engine.PanicError
		if engine.IsPermanent(f) != c.permanent || errors.As(f, &step) != (c.step != "") ||
			errors.As(f, &panicked) != c.panic {
			t.Errorf("%s: put together again, the error is %#v", name, f.Unwrap())
		}
		if c.panic && !strings.Contains(string(panicked.Stack), "serve_test.go") {
			t.Errorf("%s: the stack is %s", name, panicked.Stack)
		}
	}
}

// cutLine removes the last line.
func cutLine(b []byte) []byte { return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1] }

func TestDeadline(t *testing.T) {
	late := told("wait")
	late.Deadline = time.Millisecond
	out, _, err := served(t, Text, bytes.NewReader(sent(Text, late, nil)))
	if _, failed := readOutput(Text, out, 3, 2); failed == nil ||
		!strings.Contains(failed.Error(), "longer than 1ms") || err == nil {
		t.Errorf("the answer is %v, the worker ends with %v", failed, err)
	}
}

// TestGivesUp runs an operation that ignores its context. The worker must give it up at the deadline, or when the
// driver has gone.
func TestGivesUp(t *testing.T) {
	for _, attended := range []bool{false, true} {
		hear = make(chan struct{})
		deaf := told("deaf")
		deaf.Grace, deaf.Attended = time.Millisecond, attended
		if !attended {
			deaf.Deadline = time.Millisecond
		}
		var gaveUp error
		Serve(Streams{bytes.NewReader(sent(Text, deaf, nil)), io.Discard, io.Discard}, Text, func(err error) {
			gaveUp = err
			close(hear)
		}, nil)
		if gaveUp == nil || !strings.Contains(gaveUp.Error(), "partition 3, attempt 2") {
			t.Errorf("attended %v: it gives up with %v", attended, gaveUp)
		}
	}
}

var hear chan struct{}

// TestInputClosed checks that an attended task ends with its driver. A task under Spark must not, because its input
// always closes.
func TestInputClosed(t *testing.T) {
	attended := told("wait")
	attended.Attended = true
	out, _, err := served(t, Text, bytes.NewReader(sent(Text, attended, nil)))
	if _, failed := readOutput(Text, out, 3, 2); failed == nil ||
		!strings.Contains(failed.Error(), errAbandoned.Error()) || err == nil {
		t.Errorf("the answer is %v, the worker ends with %v", failed, err)
	}
}

func TestAttemptOfItsOwn(t *testing.T) {
	task := told("")
	task.Attempt = 0
	seen := map[int]bool{}
	for range 3 {
		out, _, err := served(t, Text, bytes.NewReader(sent(Text, task, nil)))
		all := records(t, Text, out)
		if err != nil || len(all) != 1 || all[0].Attempt < 1 || seen[all[0].Attempt] {
			t.Fatalf("the answer is %v, error %v", all, err)
		}
		seen[all[0].Attempt] = true
	}
}

// TestOpenInput sends rows as a table does: without numbers and without a commit.
func TestOpenInput(t *testing.T) {
	task := told("")
	task.Open = true
	in := cutLine(sent(Text, task, nil))
	in = append(in, "3\t0\t0\tr\t5\tYQ==\n3\t0\t0\tr\t6\t-\n"...)
	out, _, err := served(t, Text, bytes.NewReader(in))
	rows, failed := readOutput(Text, out, 3, 2)
	if err != nil || failed != nil || !same(rows, []engine.Row{{Index: 5, Bytes: []byte("a")}, {Index: 6}}) {
		t.Errorf("%v, errors %v, %v", rows, err, failed)
	}
}

// TestLargeFile sends a file that Spark has read. It comes in one line, however long.
func TestLargeFile(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 3<<20)
	task := told("")
	task.Open = true
	in := cutLine(sent(Text, task, nil))
	in = append(in, "3\t0\t0\tr\t-1\t"...)
	in = append(base64.StdEncoding.AppendEncode(in, content), '\n')
	out, _, err := served(t, Text, bytes.NewReader(in))
	rows, failed := readOutput(Text, out, 3, 2)
	if err != nil || failed != nil || len(rows) != 1 || !bytes.Equal(rows[0].Bytes, content) {
		t.Errorf("%d rows, errors %v, %v", len(rows), err, failed)
	}
}

func TestBroadcastFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a folder named by Spark", "b1")
	if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("value"), 0o666)); err != nil {
		t.Fatal(err)
	}
	step := does.With(howConfig{"value", "b1"})
	task := told("")
	task.Links[0].Step = &step
	task.Broadcasts = map[engine.BroadcastID]string{"b1": filepath.Join(dir, "*", "b1")}
	in := sent(Text, task, nil)
	task.Broadcasts = nil
	in = append(in, sent(Text, task, nil)...)
	out, _, err := served(t, Text, bytes.NewReader(in))
	want := output(Text, 3, 2, []engine.Row{engine.Unindexed([]byte("value"))})
	if err != nil || !bytes.Equal(out, append(want, want...)) {
		t.Errorf("%s, error %v", out, err)
	}
}

func TestLogLines(t *testing.T) {
	task := told("log")
	task.Job = "j7"
	_, log, err := served(t, Text, bytes.NewReader(sent(Text, task, nil)))
	r, ok := ParseLogLine(log)
	if err != nil || !ok || r.Level != slog.LevelWarn || r.Message != "take care" ||
		fmt.Sprint(r.Attrs) != "map[attempt:2 job:j7 partition:3 why:a test]" {
		t.Errorf("%q is read as %v, error %v", log, r, err)
	}
	for _, rows := range []bool{false, true} {
		var out bytes.Buffer
		sender := NewSender(&out, Text)
		log := Logger(&out, slog.LevelInfo)
		if rows {
			log = rowLogger(sender, slog.LevelInfo)
		}
		log.Warn(strings.Repeat("long\x00", 1<<16), "partition", 7, "array", make([]float32, 1<<16))
		sender.Flush()
		line := out.String()
		r, ok := ParseLogLine(line)
		if rows {
			r, ok = ParseLog(string(records(t, Text, out.Bytes())[0].Data))
		}
		if !ok || len(line) > 16<<10 || r.Level != slog.LevelWarn || !strings.HasPrefix(r.Message, "long\x00long") ||
			fmt.Sprint(r.Attrs) != "map[partition:7]" {
			t.Errorf("rows %v: a huge line became %.200q: %v", rows, line, r.Attrs)
		}
	}
	for _, line := range []string{"", "hello", logMark, logMark + "{}", logMark + `{"level":"x","msg":"m"}`} {
		if _, ok := ParseLogLine(line); ok {
			t.Errorf("%q is taken for a log line", line)
		}
	}
}

// TestCause checks that the cause is in the part of standard error that Spark keeps.
func TestCause(t *testing.T) {
	for _, cause := range []string{"out of memory", strings.Repeat("long ", 1000), strings.Repeat("\x00\"\n", 1000)} {
		var stderr bytes.Buffer
		stderr.WriteString(strings.Repeat("something before\n", 200))
		printCause(&stderr, &engine.StepError{Step: "some.step", Cause: engine.Permanent(errors.New(cause))})
		last := stderr.String()
		f, ok := ParseCause(last[len(last)-2048:])
		if !ok || f.Step != "some.step" || !f.Permanent || len(f.Cause) < 10 || !strings.HasPrefix(cause, f.Cause[:10]) {
			t.Errorf("%.20q is read as %v", cause, f)
		}
	}
	// A task of many steps, and the longest cause. The process writes three empty lines more.
	var stderr bytes.Buffer
	task := told("")
	task.Links = slices.Repeat(task.Links, 1000)
	printTask(&stderr, task)
	if f, ok := ParseTask(stderr.String()); !ok || f.Partition != 3 || f.Step == "" ||
		!strings.HasPrefix(task.Name(), f.Step) {
		t.Errorf("a task of many steps is read as %v: %q", f, stderr.String())
	}
	steps := strings.Repeat("step\n, ", 1000)
	printCause(&stderr, &engine.StepError{Step: steps, Cause: errors.New(strings.Repeat("memory ", 1000))})
	if f, ok := ParseCause(stderr.String()); !ok || stderr.Len()+3 >= 2048 || !strings.HasPrefix(f.Cause, "memory") ||
		!strings.HasPrefix(f.Step, "step") {
		t.Errorf("with many steps, %d bytes are read as %v", stderr.Len(), f)
	}
	if f, ok := ParseCause(causeMark + `{"cause":"whole"}` + "\n" + causeMark + `{"cau`); !ok || f.Cause != "whole" {
		t.Errorf("before a line that was cut off: %v", f)
	}
	if _, ok := ParseCause("no cause"); ok {
		t.Error("any line is taken for a cause")
	}
}
