// Package endpoint parses master strings sc://…: the server of Spark Connect, the settings of the connection, and the
// addresses at which workers find it.
package endpoint

import (
	"fmt"
	"os"
	"strings"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"

	"github.com/dl4go/dl4go/storage"
)

// Environment variables of Spark's own clients.
const (
	remoteVariable = "SPARK_REMOTE"
	tokenVariable  = "SPARK_CONNECT_AUTHENTICATE_TOKEN"
)

// Named returns the server that a master string names, and the options of the connection. The string is
// sc://host:port/;key=value…, or just sc for the server that SPARK_REMOTE names, so that a token in it need not be on
// the command line.
func Named(master string, o engine.Options) (connect.Address, connect.Options, error) {
	c := connect.Options{Log: o.Log, Insecure: o.Connection.Insecure, TLS: connect.TLS{CAFile: o.Connection.CAFile,
		CertFile: o.Connection.CertFile, KeyFile: o.Connection.KeyFile, ServerName: o.Connection.ServerName}}
	if told := o.Progress; told != nil {
		c.Progress = func(p connect.Progress) {
			done, tasks := p.Tasks()
			told(engine.Progress{Tasks: tasks, Done: done, Running: p.Running})
		}
	}
	from, s := "", master
	if master == "sc" {
		from, s = "the variable "+remoteVariable+": ", os.Getenv(remoteVariable)
		if s == "" {
			return connect.Address{}, c, &engine.MasterError{Master: master,
				Reason: "the server is the one that " + remoteVariable + " names, and that is not set"}
		}
	}
	a, err := connect.ParseAddress(s)
	if err != nil {
		return a, c, &engine.MasterError{Master: master, Reason: from + err.Error()}
	}
	if a.Token == "" {
		file, err := storage.Path(o.Connection.TokenFile)
		if err != nil {
			return a, c, fmt.Errorf("the token: %w", err)
		}
		token, err := token(file)
		if err != nil {
			return a, c, err
		}
		a = a.WithToken(token)
		if file != "" {
			c.Token = (&tokenFile{path: file, token: token}).now
		}
	}
	return a, c, nil
}

// token returns the token from a file, or from the environment if file is empty.
func token(file string) (string, error) {
	token, from := os.Getenv(tokenVariable), tokenVariable
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("the token: %w", err)
		}
		if token, from = strings.TrimSpace(string(b)), file; token == "" {
			return "", fmt.Errorf("the token: %s is empty", file)
		}
	}
	for _, r := range token {
		if r <= ' ' || r >= 0x7F {
			return "", fmt.Errorf("the token: %s has a character that no token has", from)
		}
	}
	return token, nil
}
