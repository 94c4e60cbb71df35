package masters

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/tensor"
)

const way Way = "a way"

func usual() Settings {
	return Settings{ExamplesPerObject: 1, Repartition: distributed.Always, Strategy: distributed.Balanced,
		Approach: distributed.Export, Level: engine.MemoryOnlySer, LevelStreams: engine.MemoryOnly}
}

// TestSettings checks that errors name each wrong setting and the way of training, and that a setting without an effect
// causes a warning.
func TestSettings(t *testing.T) {
	if err := usual().Validate(way); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*Settings){
		"rddDataSetNumExamples": func(s *Settings) { s.ExamplesPerObject = 0 },
		"numWorkers":            func(s *Settings) { s.Workers = -1 },
		"repartition":           func(s *Settings) { s.Repartition = "Often" },
		"repartitionStrategy":   func(s *Settings) { s.Strategy = "" },
		"rddTrainingApproach":   func(s *Settings) { s.Approach = "Indirect" },
		"MEMORY_PERHAPS":        func(s *Settings) { s.LevelStreams = "MEMORY_PERHAPS" },
	} {
		s := usual()
		spoil(&s)
		if err := s.Validate(way); err == nil || !strings.HasPrefix(err.Error(), "a way: ") ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	export, direct := usual(), usual()
	export.Level = engine.DiskOnly
	direct.Approach, direct.LevelStreams = distributed.Direct, engine.DiskOnly
	direct.ExportDirectory, direct.KeepExported = "x", true
	for _, c := range []struct {
		Settings
		warnings int
		kept     engine.StorageLevel
	}{{usual(), 0, engine.MemoryOnly}, {export, 1, engine.MemoryOnly}, {direct, 3, engine.MemoryOnlySer}} {
		w := Warnings{Way: way}
		if c.Ineffective(&w, usual()); len(w.Said) != c.warnings || c.Kept() != c.kept {
			t.Errorf("%+v: %q, kept in %s", c.Settings, w.Said, c.Kept())
		}
	}
}

// TestNew checks that options have defaults, and that a clock without statistics is refused.
func TestNew(t *testing.T) {
	b, err := New(way, usual(), Options{}, time.Hour)
	if err != nil || b.Times != nil || b.Timing.Step != time.Hour || b.Kernels == "" || b.Log == nil {
		t.Errorf("%v: %+v", err, b)
	}
	if _, err := New(way, usual(), Options{Time: stats.TimeSource{Server: "somewhere"}}, time.Hour); err == nil {
		t.Error("a clock without statistics is taken")
	}
	if _, err := New(way, usual(), Options{Timing: distributed.Timing{Beat: 1}}, time.Hour); err == nil {
		t.Error("a wait without an end is taken")
	}
}

// TestFit checks that a fit that trained but moved nothing causes a warning. One with nothing left to train does not.
func TestFit(t *testing.T) {
	net, err := nn.New(nn.Configuration{Layers: []layer.Layer{layer.Output{NIn: 2, NOut: 2,
		Activation: activation.Identity{}, Loss: loss.MSE{}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		examples int
		move     float32
		why      string
		warning  string
	}{{0, 0, "", ""}, {8, 0, "", "no parameter: is the learning rate 0"}, {8, 0, "it rests", "no parameter: it rests"},
		{8, 1, "it rests", ""}} {
		var log bytes.Buffer
		b, err := New(way, usual(), Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		err = b.Fit(net.Base(), func() (int, error) {
			net.Params()[0] += c.move
			return c.examples, nil
		}, func() string { return c.why })
		if err != nil || !strings.Contains(log.String(), c.warning) || c.warning == "" && log.Len() > 0 {
			t.Errorf("%+v: %v, %s", c, err, log.String())
		}
	}
}

// TestAttend checks that a panic reaches the caller after the workers were told to end.
func TestAttend(t *testing.T) {
	var told error
	stop := func(cause error) error { told = cause; return cause }
	if err := Attend(stop, func() error { return errors.ErrUnsupported }); err != errors.ErrUnsupported || told != nil {
		t.Errorf("an error gives %v, the workers are told %v", err, told)
	}
	defer func() {
		if recover() != "at ease" || told == nil {
			t.Errorf("after a panic the workers are told %v", told)
		}
	}()
	Attend(stop, func() error { panic("at ease") })
}

// TestSeal checks that sealed numbers are read back, and that cut or inconsistent bytes are errors.
func TestSeal(t *testing.T) {
	type about struct{ N int }
	want := []float32{1, -2, float32(math.Inf(1))}
	b, err := Seal(tensor.AppendBytes(nil, want), about{7})
	if err != nil {
		t.Fatal(err)
	}
	var got about
	if v, err := Unseal(b, &got); err != nil || got.N != 7 || !slices.Equal(v, want) {
		t.Errorf("%v: %v %v", err, got, v)
	}
	long := binary.LittleEndian.AppendUint32(nil, 1<<31)
	for _, bad := range [][]byte{nil, b[:3], b[1:], b[:len(b)-1], long, append([]byte("1234{}"), 2, 0, 0, 1)} {
		if _, err := Unseal(bad, &got); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// TestChecksum checks that the checksum is the CRC32C of all numbers, however many there are.
func TestChecksum(t *testing.T) {
	var c Checksum
	var all []byte
	for n := range uint64(3000) {
		if n%1000 == 7 && c.Sum() != crc32.Checksum(all, crc32.MakeTable(crc32.Castagnoli)) {
			t.Errorf("after %d numbers it is %x", n, c.Sum())
		}
		c.Add(n * n)
		all = binary.LittleEndian.AppendUint64(all, n*n)
	}
}

// TestExplain checks that a step that diverged, or whose values are not numbers, is not repeated.
func TestExplain(t *testing.T) {
	for _, c := range []struct {
		err       error
		permanent bool
	}{{&nn.DivergedError{}, true}, {&data.ValueError{}, true}, {errors.ErrUnsupported, false}} {
		if got := engine.IsPermanent(Explain(c.err)); got != c.permanent {
			t.Errorf("%T: permanent %v", c.err, got)
		}
	}
}
