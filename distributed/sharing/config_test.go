package sharing

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/threshold"
)

func TestDeeplearning4jsFilesAreRead(t *testing.T) {
	for _, f := range []struct {
		name      string
		examples  int
		threshold float64
		warnings  string
	}{{"defaults", 32, 1e-4, ""}, {"threshold", 16, 1e-3, "forcedRole"}} {
		js, err := os.ReadFile("testdata/SharedTrainingMaster_" + f.name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		ya, err := os.ReadFile("testdata/SharedTrainingMaster_" + f.name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		c, err := FromJSON(js)
		if err != nil {
			t.Fatal(err)
		}
		y, err := FromYAML(ya)
		if err != nil {
			t.Fatal(err)
		}
		if !same(c, y) {
			t.Errorf("%s: JSON reads as %+v, YAML as %+v", f.name, c, y)
		}
		want := Default() // except for the file's settings
		want.RDDDataSetNumExamples, want.BatchSizePerWorker = f.examples, 0
		want.ThresholdAlgorithm = threshold.NewAdaptive(f.threshold)
		c.VoidConfiguration.Inert = dl4j.Inert{}
		if !same(c, want) {
			got, _ := c.JSON()
			t.Errorf("%s: read %s", f.name, got)
		}
		if c.Minibatch() != f.examples || c.StorageLevel != engine.MemoryOnlySer {
			t.Errorf("%s: minibatches of %d examples, kept at %s", f.name, c.Minibatch(), c.StorageLevel)
		}
		if w := strings.Join(y.ineffective(), "\n"); (w == "") != (f.warnings == "") || !strings.Contains(w, f.warnings) {
			t.Errorf("%s: warnings %q", f.name, w)
		}
	}
}

func TestOwnFilesHoldEverything(t *testing.T) {
	c := Config{
		RDDDataSetNumExamples: 2, BatchSizePerWorker: 3, WorkersPerNode: 4, NumWorkers: 5,
		ThresholdAlgorithm: threshold.NewTargetSparsity(2e-3),
		UpdatesThreshold:   0.5, ResidualPostProcessor: threshold.ResidualClipping{ThresholdMultiple: 7, Frequency: 9},
		EncodingDebugMode: true,
		VoidConfiguration: VoidConfiguration{UnicastPort: 49876, NetworkMask: "10.0.0.0/8", ControllerAddress: "gate:7",
			MeshBuildMode: Mesh},
		RDDTrainingApproach: Direct, ExportDirectory: "/d", KeepExported: true, StorageLevel: engine.DiskOnly,
		StorageLevelStreams: engine.None,
		Repartitioner:       DefaultRepartitioner{MaxPartitions: 6}, Repartition: Never, RepartitionStrategy: SparkDefault,
		WorkerPrefetchNumBatches: 8, WorkerPeriodicGCFrequency: 11, DebugLongerIterations: 12,
		LogMinibatchesPerWorker: true, RNGSeed: -13, CollectTrainingStats: true,
	}
	js, err := c.JSON()
	if err != nil {
		t.Fatal(err)
	}
	ya, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	fromJSON, err := FromJSON(js)
	if err != nil || !same(fromJSON, c) {
		t.Errorf("JSON came back as %+v (%v)", fromJSON, err)
	}
	fromYAML, err := FromYAML(ya)
	if err != nil || !same(fromYAML, c) {
		t.Errorf("YAML came back as %+v (%v)", fromYAML, err)
	}
	again, err := FromJSON([]byte(`{"thresholdAlgorithm": null, "residualPostProcessor": null, "repartitioner": null}`))
	if err != nil || again.ThresholdAlgorithm != nil || again.ResidualPostProcessor != nil || again.Repartitioner != nil {
		t.Errorf("what is null came back as %+v (%v)", again, err)
	}
}

func TestClassesAreInferred(t *testing.T) {
	c, err := FromJSON([]byte(`{"thresholdAlgorithm": {"sparsityTarget": 0.01, "initialThreshold": 0.5, "lastSparsity": "NaN", "lastThreshold": "NaN", "decayRate": 0.9},
		"residualPostProcessor": {"frequency": 3, "thresholdMultipleClipValue": 2.0}, "repartitioner": {"maxPartitions": 7}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := c.ThresholdAlgorithm.(threshold.TargetSparsity); !ok {
		t.Errorf("the threshold algorithm is a %T", c.ThresholdAlgorithm)
	}
	if c.ResidualPostProcessor != (threshold.ResidualClipping{ThresholdMultiple: 2, Frequency: 3}) ||
		c.Repartitioner != (DefaultRepartitioner{7}) {
		t.Errorf("read %+v", c)
	}
	c, err = FromJSON([]byte(`{"thresholdAlgorithm": {"threshold": 0.25}}`))
	if fixed, ok := c.ThresholdAlgorithm.(threshold.Fixed); err != nil || !ok || fixed.T != 0.25 {
		t.Errorf("the threshold algorithm is %+v (%v)", c.ThresholdAlgorithm, err)
	}
}

func TestPortOfDeeplearning4j(t *testing.T) {
	for text, want := range map[string]int{
		`{"voidConfiguration": {"unicastControllerPort": 49876}}`: 0,
		`{"voidConfiguration": {"unicastControllerPort": 40123}}`: 40123,
		`{"voidConfiguration": {"unicastPort": 49876}}`:           49876,
	} {
		c, err := FromJSON([]byte(text))
		if err != nil || c.VoidConfiguration.UnicastPort != want {
			t.Errorf("%s: port %d (%v), want %d", text, c.VoidConfiguration.UnicastPort, err, want)
		}
	}
}

func TestWrongSettingsAreNamed(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"batchSizePerWorker":    func(c *Config) { c.BatchSizePerWorker = -1 },
		"rddDataSetNumExamples": func(c *Config) { c.RDDDataSetNumExamples = 0 },
		"numWorkersPerNode":     func(c *Config) { c.WorkersPerNode = 0 },
		"numWorkers is":         func(c *Config) { c.NumWorkers = -2 },
		"workerPrefetchBatches": func(c *Config) { c.WorkerPrefetchNumBatches = -1 },
		"debugLongerIterations": func(c *Config) { c.DebugLongerIterations = -1 },
		"repartition is":        func(c *Config) { c.Repartition = "Sometimes" },
		"repartitionStrategy":   func(c *Config) { c.RepartitionStrategy = "Odd" },
		"rddTrainingApproach":   func(c *Config) { c.RDDTrainingApproach = "Indirect" },
		"MEMORY_EVERYWHERE":     func(c *Config) { c.StorageLevel = "MEMORY_EVERYWHERE" },
		"maxPartitions":         func(c *Config) { c.Repartitioner = DefaultRepartitioner{} },
		"initialThreshold":      func(c *Config) { c.UpdatesThreshold = -1 },
		"thresholdMultipleClip": func(c *Config) { c.ResidualPostProcessor = threshold.ResidualClipping{Frequency: 5} },
		"unicastPort":           func(c *Config) { c.VoidConfiguration.UnicastPort = 70000 },
		"networkMask":           func(c *Config) { c.VoidConfiguration.NetworkMask = "ten" },
		"meshBuildMode":         func(c *Config) { c.VoidConfiguration.MeshBuildMode = "RING" },
	} {
		c := Default()
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("wanted an error that names %s, got %v", want, err)
		}
	}
}

func TestSettingsWithoutEffectAreNamed(t *testing.T) {
	if w := Default().ineffective(); len(w) != 0 {
		t.Errorf("the defaults warn: %q", w)
	}
	for want, change := range map[string]func(*Config){
		"workerTogglePeriodicGC":    func(c *Config) { c.WorkerTogglePeriodicGC = false },
		"workerPeriodicGCFrequency": func(c *Config) { c.WorkerPeriodicGCFrequency = 1 },
		"updatesThreshold": func(c *Config) {
			c.UpdatesThreshold, c.ThresholdAlgorithm = 1e-3,
				threshold.Fixed{T: 1}
		},
		"rddDataSetNumExamples": func(c *Config) { c.RDDDataSetNumExamples = 32 },
		"storageLevel ":         func(c *Config) { c.StorageLevel = engine.None },
		"storageLevelStreams":   func(c *Config) { c.RDDTrainingApproach, c.StorageLevelStreams = Direct, engine.None },
		"exportDirectory":       func(c *Config) { c.RDDTrainingApproach, c.ExportDirectory = Direct, "/x" },
		"keepExported":          func(c *Config) { c.RDDTrainingApproach, c.KeepExported = Direct, true },
		"repartition ":          func(c *Config) { c.Repartition = Never },
		"repartitionStrategy":   func(c *Config) { c.RepartitionStrategy = SparkDefault },
		"numWorkersPerNode":     func(c *Config) { c.NumWorkers, c.WorkersPerNode = 2, 1 },
	} {
		c := Default()
		change(&c)
		if w := c.ineffective(); len(w) != 1 || !strings.Contains(w[0], want) {
			t.Errorf("wanted one warning that names %s, got %q", want, w)
		}
	}
	c, err := FromJSON([]byte(`{"statsStorage": "x", "voidConfiguration": {"ttl": 9}}`))
	if w := c.ineffective(); err != nil || len(w) != 2 || !strings.Contains(w[0], "statsStorage") ||
		!strings.Contains(w[1], "voidConfiguration.ttl") {
		t.Errorf("warnings %q (%v)", w, err)
	}
}

// TestDefaultDensity checks that the default sends the documented number of values, with 8 workers in a fiftieth
// of the bytes on a cluster. The heads of messages are 2 % of them for so small a network.
func TestDefaultDensity(t *testing.T) {
	m := master(t, config(), Options{Coding: CompactCoding})
	net, d := network(t, "mlp", 3), spread(t, open(t, "local[8]"), 0)
	if err := m.FitEpochs(t.Context(), net, d, 2, nil); err != nil {
		t.Fatal(err)
	}
	if err := m.Fit(t.Context(), net, d, nil); err != nil {
		t.Fatal(err)
	}
	a, last := DefaultAlgorithm(), m.Last()
	if last.Sparsity < a.Share*0.8 || last.Sparsity > a.Share*1.2 || 50*last.Messages > last.Dense {
		t.Errorf("%.3f of the parameters and 1/%.1f of the bytes were sent; asked %g, and 1/50", last.Sparsity,
			float64(last.Dense)/float64(last.Messages), a.Share)
	}
}

// TestZeroSettings checks that the error for a number of 0 names the setting, if it is not 0 by default and 0 has no
// meaning.
func TestZeroSettings(t *testing.T) {
	says := map[string]bool{ // according to the fields' comments
		"batchSizePerWorker": true, "workerPrefetchBatches": true, "workerPeriodicGCFrequency": true,
	}
	if err := (Config{}).Validate(); err == nil || !strings.Contains(err.Error(), "is 0") {
		t.Errorf("the zero value: %v", err)
	}
	for i, usual := range reflect.ValueOf(Default()).Fields() {
		name, _, _ := strings.Cut(i.Tag.Get("dl4j"), ",")
		if !usual.CanInt() || usual.IsZero() || says[name] {
			continue
		}
		c := Default()
		reflect.ValueOf(&c).Elem().FieldByIndex(i.Index).SetZero()
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s of 0: %v", name, err)
		}
	}
}
