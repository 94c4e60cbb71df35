package main

import (
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dl4go/dl4go/internal/await"
)

// listensAt matches the address in the log of dl4go serve.
var listensAt = regexp.MustCompile(`"msg":"serving","http":"([^"]*)"`)

// askServer sends requests for a path to the server that logs to the file args[0], with a body unless it is empty,
// until status and response match a regular expression: ask LOG PATH BODY REGEXP.
func askServer(t *testing.T) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		wanted := regexp.MustCompile(args[3])
		await.Until(t, args[1]+" to match "+args[3], func() (any, bool) {
			log, _ := os.ReadFile(ts.MkAbs(args[0])) // it may not exist yet
			at := listensAt.FindSubmatch(log)
			if at == nil {
				return string(log), false
			}
			method := http.MethodGet
			if args[2] != "" {
				method = http.MethodPost
			}
			r, err := http.NewRequestWithContext(t.Context(), method, "http://"+string(at[1])+args[1],
				strings.NewReader(args[2]))
			ts.Check(err)
			answer, err := http.DefaultClient.Do(r)
			ts.Check(err)
			defer answer.Body.Close()
			text, err := io.ReadAll(answer.Body)
			ts.Check(err)
			said := answer.Status + " " + string(text)
			return said, wanted.MatchString(said)
		})
	}
}
