package spark

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

// exited matches Spark's message about a failed command. It ends with the command's standard error, whose beginning may
// be lost.
var exited = regexp.MustCompile(`(?s)Subprocess exited with status (\d+)\. Error: (.*)`)

// fed matches the message that Spark gives instead if a command ends before it has read all its rows.
var fed = regexp.MustCompile(`java\.io\.IOException: (Broken pipe|Stream [Cc]losed)`)

// ended finds out how a worker's end made a query fail: from the worker's message, or from how its process ended. It
// returns an error to replace the query's.
func ended(query *connect.Error) (*worker.Failure, error) {
	said := query.Error()
	if f, ok := worker.ParseCause(said); ok {
		return f, query
	}
	const often = "; Spark tried its task as often as spark.task.maxFailures says"
	m := exited.FindStringSubmatch(said)
	if m == nil {
		if fed.MatchString(said) {
			_, advice := worker.Ending(128+9, "")
			return nil, &unknownError{query,
				"the worker process ended before it had read its rows: it was killed by a user, or by " +
					"the system for lack of memory, most likely" + often + ". " + advice}
		}
		return nil, query
	}
	status, _ := strconv.Atoi(m[1])
	how, advice := worker.Ending(status, m[2])
	cause := "the worker process " + how + often
	if advice != "" {
		cause += ". " + advice
	}
	f, ok := worker.ParseTask(m[2])
	if !ok {
		return nil, &unknownError{query, cause}
	}
	f.Cause = cause
	if f.Host == "" && query.Task != nil {
		f.Host = query.Task.Host
	}
	return f, query
}

// unknownError is the error of a worker that ended without a trace.
type unknownError struct {
	query *connect.Error
	cause string
}

func (e *unknownError) Error() string {
	where := ""
	if t := e.query.Task; t != nil {
		where = fmt.Sprintf("on %s (executor %s), ", t.Host, t.Executor)
	}
	return fmt.Sprintf("Spark at %s failed to %s: %s%s", e.query.Server, e.query.What, where, e.cause)
}

func (e *unknownError) Unwrap() error { return e.query }
