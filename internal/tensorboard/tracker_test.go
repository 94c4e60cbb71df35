package tensorboard

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/train"
)

// read is a record of an event file.
type read struct {
	step  int
	tag   string
	value float32
	kind  protowire.Number // of the value: number, histogram or metadata
	graph []byte
	purge bool
}

// fields calls f with each field of a message.
func fields(t *testing.T, b []byte, f func(n protowire.Number, v uint64, sub []byte)) {
	t.Helper()
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			t.Fatal("a damaged message")
		}
		b = b[size:]
		var v uint64
		var sub []byte
		switch kind {
		case protowire.VarintType:
			v, size = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			v, size = protowire.ConsumeFixed64(b)
		case protowire.Fixed32Type:
			var x uint32
			x, size = protowire.ConsumeFixed32(b)
			v = uint64(x)
		default:
			sub, size = protowire.ConsumeBytes(b)
		}
		if size < 0 {
			t.Fatal("a damaged field")
		}
		f(n, v, sub)
		b = b[size:]
	}
}

// readAll reads the newest event file of a directory.
func readAll(t *testing.T, dir string) (all []read) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "events.out.tfevents.*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no event files (%v)", dir, err)
	}
	slices.Sort(files)
	b, err := os.ReadFile(files[len(files)-1])
	if err != nil {
		t.Fatal(err)
	}
	for len(b) > 0 {
		n := binary.LittleEndian.Uint64(b)
		m := b[12 : 12+n]
		if binary.LittleEndian.Uint32(b[8:]) != masked(b[:8]) || binary.LittleEndian.Uint32(b[12+n:]) != masked(m) {
			t.Fatal("a wrong checksum")
		}
		b = b[16+n:]
		var r read
		fields(t, m, func(f protowire.Number, v uint64, sub []byte) {
			switch f {
			case eventStep:
				r.step = int(v)
			case eventGraph:
				r.graph = sub
			case eventSession:
				r.purge = true
			case eventSummary:
				fields(t, sub, func(_ protowire.Number, _ uint64, value []byte) {
					fields(t, value, func(f protowire.Number, v uint64, sub []byte) {
						switch f {
						case valueTag:
							r.tag = string(sub)
						case valueNumber:
							r.value, r.kind = math.Float32frombits(uint32(v)), f
						default:
							r.kind = f
						}
					})
				})
			}
		})
		all = append(all, r)
	}
	return all
}

func network(t *testing.T) *nn.Network {
	t.Helper()
	conf, err := nn.BuiltIn("mlp", nn.BuiltInData{Input: inputtype.FeedForward(4), Classes: 3}, 1)
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.New(conf)
	if err != nil {
		t.Fatal(err)
	}
	net.Init(1)
	return net.Base()
}

// TestMaskedChecksum: the checksum of the nine bytes for which CRC-32C's check value is known.
func TestMaskedChecksum(t *testing.T) {
	const check = 0xe3069283
	if got, want := masked([]byte("123456789")), uint32(check>>15|(check<<17)&0xffffffff)+0xa282ead8; got != want {
		t.Errorf("%x, not %x", got, want)
	}
}

// TestTracker: figures of epochs and steps are written once each, under Keras' tags. A resumed run voids the figures
// after its checkpoint and does not repeat those before it.
func TestTracker(t *testing.T) {
	dir, net := t.TempDir(), network(t)
	series := func(name string, iterations []int, values ...float64) stats.Series {
		return stats.Series{Name: name, Iterations: iterations, Since: make([]time.Duration, len(values)), Values: values}
	}
	run := stats.Run{Began: time.Unix(1_790_000_000, 0), Settings: map[string]string{"batch": "16"}}
	track := func(tr *Tracker, p train.Progress) {
		t.Helper()
		p.Run, p.Network = run, net
		if err := tr.Track(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	tracker := &Tracker{Dir: dir}
	track(tracker, train.Progress{})
	net.SetEpoch(1)
	run.Series = []stats.Series{series("loss", []int{1, 2}, 2, math.NaN()), series("epochLoss", []int{2}, 1.5),
		series("heldOutLoss", []int{2}, 1.25), series("accuracy", []int{2}, 0.5), series("ratio/0_W", []int{0}, 0.01)}
	track(tracker, train.Progress{EpochEnded: true})
	net.SetEpoch(2)
	run.Series[0] = series("loss", []int{1, 2, 3, 4}, 2, math.NaN(), 1, 0.5)
	run.Series[1] = series("epochLoss", []int{2, 4}, 1.5, 0.75)
	track(tracker, train.Progress{EpochEnded: true})
	track(tracker, train.Progress{Ended: true})
	var got []read
	kinds := map[protowire.Number]int{}
	for _, r := range readAll(t, filepath.Join(dir, "train")) {
		kinds[r.kind]++
		if r.kind == valueNumber && r.tag != "epoch_learning_rate" {
			got = append(got, r)
		}
		if r.graph != nil {
			nodes := 0
			fields(t, r.graph, func(protowire.Number, uint64, []byte) { nodes++ })
			if nodes != 2 {
				t.Errorf("the graph has %d nodes", nodes)
			}
		}
	}
	want := []read{{step: 1, tag: "batch_loss", value: 2}, {step: 0, tag: "epoch_loss", value: 1.5},
		{step: 0, tag: "ratio/0_W", value: 0.01}, {step: 3, tag: "batch_loss", value: 1},
		{step: 4, tag: "batch_loss", value: 0.5}, {step: 1, tag: "epoch_loss", value: 0.75}}
	same := func(a, b read) bool { return a.step == b.step && a.tag == b.tag && a.value == b.value }
	if !slices.EqualFunc(got, want, same) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
	if kinds[valueHistogram] != 2*4 || kinds[valueMetadata] != 2 {
		t.Errorf("%d histograms, %d with settings", kinds[valueHistogram], kinds[valueMetadata])
	}
	held := readAll(t, filepath.Join(dir, "validation"))
	if len(held) != 5 || !same(held[1], read{step: 0, tag: "epoch_loss", value: 1.25}) ||
		!same(held[2], read{step: 0, tag: "epoch_accuracy", value: 0.5}) {
		t.Errorf("%+v", held)
	}

	resumed := &Tracker{Dir: filepath.Join(dir, "again")}
	track(resumed, train.Progress{From: 2})
	track(resumed, train.Progress{From: 2, EpochEnded: true})
	purged, losses := 0, []int(nil)
	for _, r := range readAll(t, filepath.Join(dir, "again", "train")) {
		if r.purge {
			purged = r.step
		}
		if r.tag == "batch_loss" {
			losses = append(losses, r.step)
		}
	}
	if purged != 3 || !slices.Equal(losses, []int{3, 4}) {
		t.Errorf("purged from %d on, losses of %v", purged, losses)
	}
}

// TestTrackerCannotWrite: the error names the directory.
func TestTrackerCannotWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := (&Tracker{Dir: file}).Track(t.Context(), train.Progress{Network: network(t)})
	if err == nil {
		t.Error("event files are written below a file")
	}
}

// TestDiskThatStaysFull: a run whose event files can't be written is kept for dl4go report, unless another file has it.
func TestDiskThatStaysFull(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run := stats.Run{Began: time.Unix(1_790_000_000, 0), Series: []stats.Series{{Name: "loss", Iterations: []int{1},
		Since: []time.Duration{0}, Values: []float64{2}}}}
	for _, statistics := range []string{"", "page.html", "run.json"} {
		tracker := TrackerOf(file, filepath.Join(dir, "model.zip"), statistics)
		kept, report := filepath.Join(dir, "model-tensorboard.json"), statistics
		if statistics != "run.json" {
			report = kept
		}
		for _, p := range []train.Progress{{Run: run}, {Run: run, Ended: true}} {
			p.Network = network(t)
			err := tracker.Track(t.Context(), p)
			if err == nil || strings.Contains(err.Error(), report+": dl4go report --to tensorboard") != p.Ended {
				t.Errorf("statistics in %q, over %v: %v", statistics, p.Ended, err)
			}
		}
		in, err := os.Open(kept)
		if there := err == nil; there != (report == kept) {
			t.Fatalf("statistics in %q: %v", statistics, err)
		} else if !there {
			continue
		}
		again, err := stats.ReadJSON(in)
		in.Close()
		if err != nil || len(again.Series) != 1 || again.Series[0].Values[0] != 2 {
			t.Errorf("kept %+v: %v", again, err)
		}
		if err := os.Remove(kept); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHistograms: values that are equal, odd or not finite.
func TestHistograms(t *testing.T) {
	nan := float32(math.NaN())
	for name, v := range map[string][]float32{"one": {1}, "equal": {2, 2, 2}, "some": {nan, 1, -1, 0.5},
		"large": {math.MaxFloat32, -math.MaxFloat32}} {
		m, ok := histogram(time.Now(), 1, "w", v)
		if !ok || len(m) == 0 {
			t.Errorf("%s: no histogram", name)
		}
	}
	if _, ok := histogram(time.Now(), 1, "w", []float32{nan}); ok {
		t.Error("a histogram of nothing")
	}
}

// TestDiskThatComesBack: what could not be written is written later; other runs' records stay unchanged.
func TestDiskThatComesBack(t *testing.T) {
	net := network(t)
	var all [2][]read
	for i, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "runs")} {
		if i == 1 { // a file is in the place of the directory
			if err := os.WriteFile(dir, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		tracker := &Tracker{Dir: dir}
		for at := range 4 {
			run := stats.Run{Began: time.Unix(1_790_000_000, 0)}
			for _, name := range []string{"loss", "epochLoss", "heldOutLoss"} {
				s := stats.Series{Name: name, Since: make([]time.Duration, at)}
				for k := range at {
					s.Iterations, s.Values = append(s.Iterations, k+1), append(s.Values, 1/float64(k+1))
				}
				run.Series = append(run.Series, s)
			}
			net.SetEpoch(at)
			p := train.Progress{Run: run, Network: net, EpochEnded: at > 0, Ended: at == 3}
			if i == 1 && at == 3 {
				if err := os.Remove(dir); err != nil {
					t.Fatal(err)
				}
			}
			if err := tracker.Track(t.Context(), p); (err != nil) != (i == 1 && at < 3) {
				t.Fatalf("call %d: %v", at, err)
			}
		}
		all[i] = append(readAll(t, filepath.Join(dir, "train")), readAll(t, filepath.Join(dir, "validation"))...)
	}
	if !slices.EqualFunc(all[0], all[1], func(a, b read) bool {
		return a.tag == b.tag && a.step == b.step && a.value == b.value && a.kind == b.kind
	}) {
		t.Errorf("%d and %d records: %v, %v", len(all[0]), len(all[1]), all[0], all[1])
	}
}
