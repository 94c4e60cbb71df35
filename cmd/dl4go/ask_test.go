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

// listensAt matches what dl4go serve logs of its address.
var listensAt = regexp.MustCompile(`"msg":"serving","http":"([^"]*)"`)

// askServer asks the server that logs into the file args[0] for a path, with a body if that is not empty, until status
// and answer match a regular expression: ask LOG PATH BODY REGEXP.
func askServer(t *testing.T) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		wanted := regexp.MustCompile(args[3])
		await.Until(t, args[1]+" to match "+args[3], func() bool {
			log, _ := os.ReadFile(ts.MkAbs(args[0])) // it may not be there yet
			at := listensAt.FindSubmatch(log)
			if at == nil {
				return false
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
			return wanted.MatchString(answer.Status + " " + string(text))
		})
	}
}
