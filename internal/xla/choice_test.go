package xla

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/cpu"
)

func TestChoices(t *testing.T) {
	for text, want := range map[string]Choice{
		"gpu":     {Device: "gpu"},
		"gpu:3":   {Device: "gpu:3"},
		"xla-cpu": {Device: "xla-cpu"},
		"gpu?host=avx2&memory=50%25&plugins=%2Fopt%2Fd&precision=bf16&workers=2": {Device: "gpu", Precision: BF16, Workers: 2,
			Memory: Limit{Part: 0.5}, Plugins: "/opt/d", Host: "avx2"},
		"gpu?memory=900MiB": {Device: "gpu", Memory: Limit{Bytes: 900 << 20}},
	} {
		c, err := ParseChoice(text)
		if err != nil || c != want || c.String() != text || !IsDevice(text) {
			t.Errorf("%q is %+v, written as %q: %v", text, c, c, err)
		}
	}
	for _, text := range []string{"", "cpu", "gpu:", "gpu:-1", "gpu:x", "gpu?speed=1", "gpu?precision=half",
		"gpu?workers=x",
		"gpu?workers=-1", "gpu?memory=0", "gpu?memory=0%", "gpu?memory=101%25", "gpu?memory=9000000000GiB",
		"gpu?memory=NaN%25",
		"gpu?%"} {
		if c, err := ParseChoice(text); err == nil {
			t.Errorf("%q is %+v", text, c)
		}
	}
}

func TestFlags(t *testing.T) {
	portable, err := cpu.ParseKernels("portable")
	if err != nil {
		t.Fatal(err)
	}
	best := "?host=" + cpu.Kernels{}.String()
	for _, c := range []struct {
		flags Flags
		want  string // the choice, or a part of the error
	}{
		{Flags{}, best}, {Flags{Device: "cpu"}, best}, {Flags{Device: "auto", Precision: "tf32"}, best},
		{Flags{Device: "auto", Precision: "bf16", Host: portable}, "?host=portable"},
		{Flags{Precision: "float32"}, best},
		{Flags{Device: "cpu", Precision: "bf16", Host: portable}, "--precision bf16: the portable kernels have no"},
		{Flags{Device: "gpu", Precision: "float32", Host: portable}, "gpu"},
		{Flags{Device: "gpu", Precision: "TF32", Remote: true, Host: portable}, "gpu?host=portable&precision=tf32"},
		{Flags{Device: "auto", Remote: true, Host: portable}, "gpu?host=portable"},
		{Flags{Device: "xla-cpu", Remote: true, Host: portable, Workers: 2, Memory: "1GiB"},
			"xla-cpu?memory=1024MiB&workers=2"},
		{Flags{Device: "tpu"}, `--device: there is no device "tpu"`},
		{Flags{Device: "cpu", Precision: "tf32"}, "--precision tf32 is about devices"},
		{Flags{Device: "cpu", Precision: "half"}, "--precision: there is no precision"},
		{Flags{Device: "gpu", Precision: "half"}, "--precision: there is no precision"},
		{Flags{Device: "gpu", Memory: "much"}, "--device-memory: "},
		{Flags{Device: "xla-cpu", Memory: "50%"}, "xla-cpu has no memory of its own"},
		{Flags{Device: "gpu", Workers: -1}, "--workers-per-device -1"},
	} {
		choice, _, err := c.flags.Choice()
		if got := choice.String(); err == nil && got != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %q, %v", c.flags, got, err)
		}
	}
}

func TestSpread(t *testing.T) {
	two := Choice{Device: "xla-cpu", Workers: 2}
	for master, want := range map[string]string{"local[*]": "local[2]", "processes[*]": "processes[2]",
		"local[1]": "local[1]", "local": "local", "processes[2]": "processes[2]"} {
		if got, err := two.Spread(master); err != nil || got != want {
			t.Errorf("%s: %s, %v", master, got, err)
		}
	}
	if _, err := two.Spread("local[3]"); err == nil || !strings.Contains(err.Error(), "use local[2]") {
		t.Error(err)
	}
	if got, err := (Choice{Device: "xla-cpu"}).Spread("local[3]"); err != nil || got != "local[3]" {
		t.Errorf("without a limit: %s, %v", got, err)
	}
}

// Workers take the device with the fewest workers. The place of an ended worker becomes free.
func TestClaims(t *testing.T) {
	kind := t.Name() + filepath.Base(t.TempDir())
	var got []string
	take := func() io.Closer {
		d, c, err := claim(kind, []string{"a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, d)
		return c
	}
	held := []io.Closer{take(), take(), take(), take()}
	if err := held[1].Close(); err != nil {
		t.Fatal(err)
	}
	held[1] = take()
	held = append(held, take())
	if !slices.Equal(got, []string{"a", "b", "a", "b", "b", "a"}) {
		t.Errorf("the workers got %v", got)
	}
	for _, h := range held {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}

// resources is the file that a standalone worker of Spark 4.1 writes for an executor.
const resources = `[{"id":{"componentName":"spark.executor","resourceName":"gpu"},"addresses":["4","7"]}]`

func TestAddresses(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) string {
		if err := os.WriteFile(path(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path(name)
	}
	for _, gpu := range []string{"0000:17:00.0", "0000:31:00.0", "0000:ca:00.0"} {
		if err := os.MkdirAll(filepath.Join(path("gpus"), gpu), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(path("none"), 0o755); err != nil {
		t.Fatal(err)
	}
	executor := func(name, text string) string {
		return write(name+".cmdline", "java\x00Backend\x00--resourcesFile\x00"+write(name, text)+"\x00--cores\x001\x00")
	}
	loaded, shell := write("version", "NVRM"), write("bash", "bash\x00")
	for name, c := range map[string]struct {
		of   machine
		want string // addresses, or a part of the error
	}{
		"all":            {machine{loaded, path("gpus"), shell, ""}, "0 1 2"},
		"in a container": {machine{loaded, path("nowhere"), shell, ""}, "0"},
		"visible":        {machine{loaded, path("gpus"), shell, "2, GPU-8f"}, "2 GPU-8f"},
		"by Spark":       {machine{loaded, path("gpus"), executor("r", resources), "1"}, "4 7"},
		"none by Spark":  {machine{loaded, path("gpus"), executor("e", "[]"), ""}, "spark.executor.resource.gpu.amount"},
		"damaged":        {machine{loaded, path("gpus"), executor("d", resources[:30]), ""}, "resources of Spark's executor"},
		"no driver":      {machine{path("nowhere"), path("gpus"), shell, ""}, "no NVIDIA driver"},
		"no GPU":         {machine{loaded, path("none"), shell, ""}, "finds no GPU"},
	} {
		got, err := c.of.addresses()
		if err == nil && strings.Join(got, " ") != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		none := (*NoDeviceError)(nil)
		if lacks := strings.HasPrefix(name, "no"); lacks != errors.As(err, &none) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPreferred: the priorities of Deeplearning4j's backends choose the device if no flag does.
func TestPreferred(t *testing.T) {
	for _, c := range []struct{ cpu, gpu, want string }{
		{"", "", "cpu"},
		{"100", "", "cpu"},
		{"", "100", "auto"},
		{"100", "100", "cpu"},
		{"10", "100", "auto"},
		{"100", "10", "cpu"},
		{"", "0", "cpu"},
		{"-1", "0", "auto"},
	} {
		got, err := preferred(func(name string) string {
			return map[string]string{"BACKEND_PRIORITY_CPU": c.cpu, "BACKEND_PRIORITY_GPU": c.gpu}[name]
		})
		if err != nil || got != c.want {
			t.Errorf("priorities %q and %q: %q, %v; want %q", c.cpu, c.gpu, got, err, c.want)
		}
	}
	_, err := preferred(func(string) string { return "high" })
	if err == nil || !strings.Contains(err.Error(), "BACKEND_PRIORITY_CPU=high is not a whole number") {
		t.Errorf("a priority that is not a number: %v", err)
	}
}
