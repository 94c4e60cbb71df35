package deploy

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/worker"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func TestPlatforms(t *testing.T) {
	for machine, want := range map[string]string{"Linux-x86_64": "linux/amd64", "Linux-aarch64": "linux/arm64",
		"Darwin-arm64": "darwin/arm64", "Darwin-x86_64": "darwin/amd64", "Linux-ppc64le": "linux/ppc64le",
		"Linux-armv7l":  "linux/arm",
		"FreeBSD-amd64": "freebsd/amd64"} {
		if p, ok := platformOf(machine); !ok || p.String() != want {
			t.Errorf("%s is %v, %v", machine, p, ok)
		}
	}
	for _, machine := range []string{"", "Linux", "Linux-pdp11", "MINGW64_NT-x86_64", "-"} {
		if p, ok := platformOf(machine); ok {
			t.Errorf("%s is %v", machine, p)
		}
	}
	for _, s := range []string{"", "arm64", "linux/", "linux/arm65", "linux/arm64/v8", "windows/amd64"} {
		if p, err := ParsePlatform(s); err == nil {
			t.Errorf("%q is %v", s, p)
		}
	}
	if p, err := ParsePlatform("linux/arm64"); err != nil || p.machine() != "Linux-aarch64" {
		t.Errorf("%v, %v", p, err)
	}
}

func TestNamed(t *testing.T) {
	got, err := named(map[string]string{"linux/arm64": "mine"}, "linux/arm64=theirs,linux/386=other")
	if err != nil || len(got) != 2 || got["linux/arm64"] != "mine" || got["linux/386"] != "other" {
		t.Errorf("%v, %v", got, err)
	}
	for _, list := range []string{"linux/arm64", "arm64=x", "linux/arm64=", "linux/arm64=file:opt/x",
		"linux/arm64=file:/opt/a b",
		"linux/arm64=file:///opt/$x", "linux/arm64=file:/opt/../x"} {
		if _, err := named(nil, list); err == nil {
			t.Errorf("%q was taken", list)
		}
	}
}

// program returns a program whose executors have been surveyed.
func program(t *testing.T, o Options, machines ...string) *Program {
	t.Helper()
	o.Log = quiet
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range machines {
		p.machines[m] = []string{"host-of-" + m}
	}
	return p
}

func ownMachine() string { return Own().machine() }

func TestFiles(t *testing.T) {
	own, err := worker.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := program(t, Options{}, ownMachine())
	files, there, err := p.find(t.Context())
	if err != nil || len(there) != 0 || len(files) != 1 || files[ownMachine()] != own {
		t.Errorf("%v, %v", files, err)
	}
	// A named file is used, even for this kind of machine, or for one that was not seen.
	copied := filepath.Join(t.TempDir(), "worker")
	b, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, b, 0o755); err != nil {
		t.Fatal(err)
	}
	p = program(t, Options{Binaries: map[string]string{Own().String(): copied}}, ownMachine())
	if files, _, err = p.find(t.Context()); err != nil || len(files) != 1 || files[ownMachine()] != copied {
		t.Errorf("%v, %v", files, err)
	}
	other := Platform{"linux", "s390x"}
	p = program(t, Options{Binaries: map[string]string{other.String(): copied}}, ownMachine())
	if _, _, err = p.find(t.Context()); err == nil ||
		!strings.Contains(err.Error(), copied+" is for "+Own().String()+", and was named for linux/s390x") {
		t.Errorf("a file for another platform: %v", err)
	}
	p = program(t, Options{Binaries: map[string]string{other.String(): "launch.sh"}}, ownMachine())
	if _, _, err = p.find(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "launch.sh for linux/s390x is no Go program") {
		t.Errorf("no program: %v", err)
	}
}

func TestNoFile(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	for machine, want := range map[string]string{
		"Linux-s390x": "executor host-of-Linux-s390x is another kind of machine (Linux s390x) than this program is for (" +
			Own().String() +
			"), and no file for it is at hand: it is a test's program, which is not built for others. Where the source of " +
			"this same " +
			"version lies, build one (CGO_ENABLED=0 GOOS=linux GOARCH=s390x go build -o worker-linux-s390x .), and name it: " +
			"--worker-binary linux/s390x=worker-linux-s390x, or DL4GO_WORKER_BINARY in the environment",
		"Linux-pdp11": "executor host-of-Linux-pdp11 is another kind of machine (Linux pdp11) than this program is for (" +
			Own().String() +
			"), and no file for it is at hand: such machines have no name in Go",
	} {
		if _, _, err := program(t, Options{}, ownMachine(), machine).find(t.Context()); err == nil || err.Error() != want {
			t.Errorf("%s: %v", machine, err)
		}
	}
}

// TestLaunch runs the script as Spark does, without Spark.
func TestLaunch(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("Spark's executors, and this test, need bash: ", err)
	}
	cmd := exec.Command(bash, "-c", program(t, Options{}).Command("text/1"))
	cmd.Dir = t.TempDir()
	if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 127 ||
		!strings.Contains(string(out), "No such file") {
		t.Errorf("without the script: %v, %s", err, out)
	}
	const input = "7\t0\t0\tj\t0\tdata\nmore\n"
	elf := append([]byte{0x7F, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0xF7, 0, 1}, make([]byte, 100)...)
	for name, c := range map[string]struct {
		uname string
		files map[string]string // keys: session's directory and kind of machine
		mode  os.FileMode
		out   string
		cause string
	}{
		"starts": {"echo Linux x86_64",
			map[string]string{"a/Linux-x86_64": "#!/bin/sh\necho $DL4GO_WORKER\ncat\n"}, 0o755, "text/1\n" + input, ""},
		"its own kind": {"echo Linux aarch64", map[string]string{"a/Linux-x86_64": "#!/bin/sh\n",
			"b/Linux-aarch64": "#!/bin/sh\necho arm"}, 0o755, "arm\n", ""},
		"another's is going": {"echo Linux x86_64",
			map[string]string{"a/Linux-x86_64": "#!/gone", "b/Linux-x86_64": "#!/bin/sh\necho b"}, 0o755, "b\n", ""},
		"another's is half copied": {"echo Linux x86_64", map[string]string{"a/Linux-x86_64": "#!/bin/sh\necho half",
			"b/Linux-x86_64": "#!/bin/sh\necho half copied\n"},
			0o755, "half copied\n", ""},
		"none": {"echo Linux aarch64", map[string]string{"a/Linux-x86_64": "#!/bin/sh\n"}, 0o755, "",
			"(Linux aarch64) has no worker program: when the session began, no executor was such a machine"},
		"noexec": {"echo Linux x86_64", map[string]string{"a/Linux-x86_64": "#!/bin/sh\n"}, 0o644, "",
			"Permission denied. Its file system may be mounted noexec"},
		"another kind": {"echo Linux x86_64", map[string]string{"a/Linux-x86_64": string(elf)}, 0o755, "",
			"Exec format error. The file is for another kind of machine"},
		"a library that is not there": {"echo Linux x86_64", map[string]string{"a/Linux-x86_64": "#!/lib/none"}, 0o755, "",
			"build it with CGO_ENABLED=0"},
	} {
		t.Run(name, func(t *testing.T) {
			p := program(t, Options{uname: c.uname})
			dir := t.TempDir()
			for _, d := range []string{"a", "b"} {
				if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for place, content := range c.files {
				d, machine := filepath.Split(place)
				if err := os.WriteFile(filepath.Join(dir, d, "dl4go-"+p.Build()+"-"+machine), []byte(content), c.mode); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, "b", p.launcher()), []byte(p.script()), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(bash, "-c", p.Command("text/1"))
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
			var out bytes.Buffer
			cmd.Stdout = &out
			said, early, err := runRead(t, cmd)
			if out.String() != c.out {
				t.Errorf("wrote %q", out.String())
			}
			if c.cause == "" {
				if err != nil {
					t.Errorf("%v: %s", err, said)
				}
				return
			}
			f, ok := worker.ParseCause(said)
			if err == nil || !ok || f.Partition != 7 || f.Step != "start of the worker" || !strings.Contains(f.Cause, c.cause) {
				t.Errorf("%v, %+v: %s", err, f, said)
			}
			if early || len(said) >= 2<<10 {
				t.Errorf("ended before %d bytes were read: %v", len(said), early)
			}
			if host, _ := os.Hostname(); ok && !strings.Contains(f.Cause, host) {
				t.Errorf("the cause does not name the host: %s", f.Cause)
			}
		})
	}
}

// TestOnlyOn checks the question whether all executors are on one host.
func TestOnlyOn(t *testing.T) {
	p := program(t, Options{})
	for _, c := range []struct {
		machines map[string][]string
		want     bool
	}{
		{nil, false},
		{map[string][]string{"Linux-x86_64": {"here"}}, true},
		{map[string][]string{"Linux-x86_64": {"there"}}, false},
		{map[string][]string{"Linux-x86_64": {"here", "there"}}, false},
		{map[string][]string{"Linux-x86_64": {"here"}, "Linux-aarch64": {"there"}}, false},
	} {
		p.machines = c.machines
		if got := p.OnlyOn("here"); got != c.want {
			t.Errorf("executors on %v are only here: %v", c.machines, got)
		}
	}
}

// runRead runs a command and reads its standard error late, as a thread of Spark's may: when the command waits by
// sleep, or has ended. It returns what it read, and whether the command ended before that was read.
func runRead(t *testing.T, cmd *exec.Cmd) (said string, early bool, err error) {
	t.Helper()
	path, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	tools := t.TempDir()
	waits := filepath.Join(tools, "waits")
	script := "#!/bin/sh\necho >" + waits + "\nexec " + path + " $1\n"
	if err := os.WriteFile(filepath.Join(tools, "sleep"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "PATH="+tools+":"+os.Getenv("PATH"))
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.Stderr = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	await.Until(t, "the command to wait or to end", func() (any, bool) {
		_, err := os.Stat(waits)
		return err, err == nil || len(ended) > 0
	})
	_, err = os.Stat(waits)
	early = err != nil
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), early, <-ended
}
