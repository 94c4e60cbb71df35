package lint

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMakeTestTellsWhatItLeavesOut: tests that need only Go run on every machine. The last line names what did not
// run, and what to install; with CI=true that is an error.
func TestMakeTestTellsWhatItLeavesOut(t *testing.T) {
	const (
		java   = "echo 'openjdk version \"17.0.9\" 2023-10-17'"
		javac  = "echo javac 17.0.9"
		old    = "echo 'openjdk version \"11.0.2\" 2019-01-15'"
		exists = "exit 0"
	)
	for name, c := range map[string]struct {
		programs map[string]string
		ci       bool
		targets  string // the targets that are made
		fails    bool
		last     []string // parts of the last line
	}{
		"all": {programs: map[string]string{"java": java, "javac": javac, "mvn": exists, "python3": exists},
			targets: "test-spark test-spark test-storage test-vetted vet",
			last:    []string{"passed; not run: TestOfADisk (buy a disk)"}},
		"nothing": {targets: "test-s3 test-vetted vet",
			last: []string{"not run:", "on HDFS (install a Java 17 development kit, Maven)",
				"training masters on Spark (install a Java 17 runtime, Python 3 with venv)", "TestOfADisk"}},
		"an old Java": {programs: map[string]string{"java": old, "javac": old, "mvn": exists, "python3": exists},
			targets: "test-s3 test-vetted vet", last: []string{"not run:", "Spark (install a Java 17 runtime)"}},
		"no Maven": {programs: map[string]string{"java": java, "javac": javac, "python3": exists},
			targets: "test-s3 test-spark test-spark test-vetted vet", last: []string{"HDFS (install Maven)"}},
		"nothing, in CI": {ci: true, fails: true,
			last: []string{"with CI=true nothing is left out: install Python 3 with venv"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(filepath.Join(dir, "tools"), os.DirFS(filepath.Join(root, "tools"))); err != nil {
				t.Fatal(err)
			}
			bin := filepath.Join(dir, "bin")
			program := func(path, text string) {
				t.Helper()
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			for file, text := range c.programs {
				program(filepath.Join(bin, file), text)
			}
			program(filepath.Join(dir, "make"), `echo $1 >>"$TARGETS"; echo "TestOfADisk (buy a disk)" >>"$DL4GO_NOT_RUN"`)
			if c.programs["python3"] != "" { // what must have been fetched by then
				program(filepath.Join(dir, "tools", "protocol.sh"), "exit 0")
				program(filepath.Join(dir, ".cache", "spark", "4.1", "home"), "")
			}
			for _, tool := range []string{"bash", "dirname", "sed", "head", "sort", "paste", "mktemp", "rm", "tr", "cat", "ls"} {
				path, err := exec.LookPath(tool)
				if err == nil {
					err = os.MkdirAll(bin, 0o777)
				}
				if err == nil {
					err = os.Symlink(path, filepath.Join(bin, tool))
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			targets := filepath.Join(dir, "targets")
			cmd := exec.Command(filepath.Join(bin, "bash"), filepath.Join(dir, "tools", "test.sh"))
			cmd.Env = []string{"PATH=" + bin, "HOME=" + dir, "TMPDIR=" + dir, "MAKE=" + filepath.Join(dir, "make"), "TARGETS=" +
				targets}
			if c.ci {
				cmd.Env = append(cmd.Env, "CI=true")
			}
			out, err := cmd.CombinedOutput()
			if (err != nil) != c.fails {
				t.Errorf("it ended with %v: %s", err, out)
			}
			text, _ := os.ReadFile(targets)
			made := strings.Fields(string(text))
			slices.Sort(made) // some are made in parallel
			if got := strings.Join(made, " "); got != c.targets {
				t.Errorf("made were %q; wanted %q:\n%s", got, c.targets, out)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			for _, want := range c.last {
				if last := lines[len(lines)-1]; !strings.Contains(last, want) {
					t.Errorf("the last line is %q, without %q", last, want)
				}
			}
		})
	}
}

// TestStressEndsItsLoops: it runs the command the given number of times, or until it fails, and leaves no busy loop
// behind.
func TestStressEndsItsLoops(t *testing.T) {
	for name, c := range map[string]struct {
		command string
		runs    int
		fails   bool
	}{
		"passes": {"echo run >>$RUNS", 3, false}, "fails": {"echo run >>$RUNS; exit 1", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			runs := filepath.Join(t.TempDir(), "runs")
			cmd := exec.Command(filepath.Join(root, "tools", "stress.sh"), "3", "sh", "-c", c.command)
			cmd.Env = append(os.Environ(), "RUNS="+runs)
			// Loops that were left behind would hold this pipe open.
			out, err := cmd.CombinedOutput()
			if (err != nil) != c.fails {
				t.Errorf("it ended with %v: %s", err, out)
			}
			if b, err := os.ReadFile(runs); err != nil || strings.Count(string(b), "run") != c.runs {
				t.Errorf("it ran %q, %v", b, err)
			}
		})
	}
}
