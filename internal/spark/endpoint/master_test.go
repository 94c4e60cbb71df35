package endpoint

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

func TestNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	for path, content := range map[string]string{file: "from-file\n", file + ".empty": " \n", file + ".bad": "a\nb"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	connection := func(f string) engine.Options { return engine.Options{Connection: engine.Connection{TokenFile: f}} }
	for name, c := range map[string]struct {
		master, remote, variable string
		options                  engine.Options
		want                     connect.Address
		part                     string // of the error
	}{
		"plain": {"sc://h:7", "sc://other", "", engine.Options{}, connect.Address{Host: "h", Port: 7}, ""},
		"SPARK_REMOTE": {"sc", "sc://h:7/;token=x", "env", engine.Options{},
			connect.Address{Host: "h", Port: 7, TLS: true, Token: "x"}, ""},
		"no SPARK_REMOTE": {"sc", "", "", engine.Options{}, connect.Address{},
			"SPARK_REMOTE names, and that is not set"},
		"a local one": {"sc", "local[*]", "", engine.Options{}, connect.Address{},
			"SPARK_REMOTE: the connection string does not begin with sc://"},
		"a secret in it": {"sc", "sc://h/token=SECRET", "", engine.Options{}, connect.Address{},
			"SPARK_REMOTE: a path"},
		"a secret in sc://": {"sc://h/token=SECRET", "", "", engine.Options{}, connect.Address{}, "a path"},
		"token, of a file": {"sc://h", "", "env", connection(file), connect.Address{Host: "h", Port: 15002, TLS: true,
			Token: "from-file"}, ""},
		"token, of the env": {"sc://h", "", "env", engine.Options{}, connect.Address{Host: "h", Port: 15002, TLS: true,
			Token: "env"}, ""},
		"token, on loopback": {"sc://localhost", "", "env", engine.Options{},
			connect.Address{Host: "localhost", Port: 15002, Token: "env"}, ""},
		"token, of the master": {"sc://h/;token=x", "", "env", connection(file),
			connect.Address{Host: "h", Port: 15002, TLS: true, Token: "x"}, ""},
		"no token's file": {"sc://h", "", "", connection(file + ".none"), connect.Address{}, "token.none"},
		"an empty token":  {"sc://h", "", "", connection(file + ".empty"), connect.Address{}, "token.empty is empty"},
		"no token":        {"sc://h", "", "", connection(file + ".bad"), connect.Address{}, "token.bad has a character"},
	} {
		t.Setenv(remoteVariable, c.remote)
		t.Setenv(tokenVariable, c.variable)
		a, _, err := Named(c.master, c.options)
		var wrong *engine.MasterError
		switch {
		case c.part == "" && (err != nil || a.Server() != c.want.Server() || a.Token != c.want.Token || a.TLS != c.want.TLS):
			t.Errorf("%s: %+v, %v", name, a, err)
		case c.part != "" && (err == nil || !strings.Contains(err.Error(), c.part) ||
			strings.Contains(err.Error(), "SECRET") ||
			errors.As(err, &wrong) == strings.Contains(c.part, "token.")):
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNamedOptions(t *testing.T) {
	var got engine.Progress
	_, c, err := Named("sc://h", engine.Options{
		Connection: engine.Connection{CAFile: "ca", CertFile: "cert", KeyFile: "key", ServerName: "name", Insecure: true},
		Progress:   func(p engine.Progress) { got = p }})
	if err != nil || !c.Insecure || c.TLS != (connect.TLS{CAFile: "ca", CertFile: "cert", KeyFile: "key",
		ServerName: "name"}) {
		t.Errorf("%+v, %v", c, err)
	}
	c.Progress(connect.Progress{Stages: []connect.Stage{{ID: 1, Tasks: 4, Done: 3}, {ID: 2, Tasks: 2}}, Running: 1})
	if got != (engine.Progress{Tasks: 6, Done: 3, Running: 1}) {
		t.Errorf("%+v", got)
	}
}
