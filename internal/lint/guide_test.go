package lint

import (
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const guide = "../../docs/spark.md"

// sparkFlags are flags of Spark's own programs.
var sparkFlags = []string{"--class", "--conf", "--cores", "--executor-cores", "--executor-memory", "--host", "--jars", "--keytab",
	"--master", "--memory", "--num-executors", "--packages", "--port", "--principal"}

// TestGuideFlags: a flag that the guide for Spark names is Spark's, or one that dl4go's help explains.
func TestGuideFlags(t *testing.T) {
	program := path.Join(t.TempDir(), "dl4go")
	if b, err := exec.Command("go", "build", "-o", program, "../../cmd/dl4go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	help := func(args ...string) string {
		b, err := exec.Command(program, append(args, "--help")...).CombinedOutput()
		if err != nil {
			t.Fatalf("dl4go %v --help: %v\n%s", args, err, b)
		}
		return string(b)
	}
	_, list, _ := strings.Cut(help(), "Available Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	known := slices.Clone(sparkFlags)
	var commands []string
	for line := range strings.Lines(list) {
		command := strings.Fields(line)[0]
		commands = append(commands, command)
		known = append(known, flags.FindAllString(help(command), -1)...)
	}
	text := read(t, guide)
	for _, flag := range flags.FindAllString(text, -1) {
		if !slices.Contains(known, flag) {
			t.Errorf("docs/spark.md names %s, which no help of dl4go does", flag)
		}
	}
	for _, m := range regexp.MustCompile("(?m)(?:`|^    )dl4go ([a-z]+)").FindAllStringSubmatch(text, -1) {
		if !slices.Contains(commands, m[1]) {
			t.Errorf("docs/spark.md has dl4go %s; there is %v", m[1], commands)
		}
	}
}

var flags = regexp.MustCompile(`--[a-z][a-z-]*[a-z]`)

// TestGuideLinks: what the guide for Spark links to is there.
func TestGuideLinks(t *testing.T) {
	for _, m := range regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`).FindAllStringSubmatch(read(t, guide), -1) {
		file := guide
		if m[1] != "" {
			file = path.Join(path.Dir(guide), m[1])
		}
		text := read(t, file)
		if m[2] == "" {
			continue
		}
		found := false
		for line := range strings.Lines(text) {
			if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
				found = found || "#"+slug(strings.TrimSpace(title)) == m[2]
			}
		}
		if !found {
			t.Errorf("%s has no heading for %s", file, m[2])
		}
	}
}

// slug is the name by which a heading is linked to.
func slug(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		}
		return -1
	}, strings.ToLower(title))
}
