package paramavg

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestDeeplearning4jsFilesAreReadAndWrittenToTheByte(t *testing.T) {
	js, err := os.ReadFile("testdata/ParameterAveragingTrainingMaster_defaults.json")
	if err != nil {
		t.Fatal(err)
	}
	ya, err := os.ReadFile("testdata/ParameterAveragingTrainingMaster_defaults.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := FromJSON(js)
	if err != nil {
		t.Fatal(err)
	}
	want := Default() // except for the file's settings
	want.RDDDataSetNumExamples, want.SaveUpdater = 32, false
	if c != want {
		t.Errorf("read %+v, want %+v", c, want)
	}
	if got, err := c.JSON(); err != nil || string(got) != strings.TrimRight(string(js), "\n") {
		t.Errorf("JSON is written as %s (%v)", got, err)
	}
	y, err := FromYAML(ya)
	if err != nil || y != c {
		t.Errorf("YAML reads as %+v (%v), want %+v", y, err, c)
	}
	if got, err := y.YAML(); err != nil || string(got) != string(ya) {
		t.Errorf("YAML is written as %s (%v)", got, err)
	}
}

func TestWrongSettingsAreNamed(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"batchSizePerWorker":  func(c *Config) { c.BatchSizePerWorker = 0 },
		"averagingFrequency":  func(c *Config) { c.AveragingFrequency = -1 },
		"aggregationDepth":    func(c *Config) { c.AggregationDepth = 0 },
		"numWorkers":          func(c *Config) { c.NumWorkers = -2 },
		"repartition":         func(c *Config) { c.Repartition = "Sometimes" },
		"repartitionStrategy": func(c *Config) { c.RepartitionStrategy = "Odd" },
		"rddTrainingApproach": func(c *Config) { c.RDDTrainingApproach = "Indirect" },
		"outer is":            func(c *Config) { c.Outer.Rule = "adam" },
		"no rule":             func(c *Config) { c.Outer.Momentum = 0.5 },
		"outer.learningRate":  func(c *Config) { c.Outer = Outer{Rule: OuterSGD} },
		"outer.momentum":      func(c *Config) { c.Outer = Outer{OuterNesterov, 1, 1} },
		"MEMORY_EVERYWHERE":   func(c *Config) { c.StorageLevel = "MEMORY_EVERYWHERE" },
	} {
		c := Default()
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("wanted an error that names %s, got %v", want, err)
		}
	}
}

// TestZeroSettings checks that the error for a setting of 0 names it, if it is not 0 by default.
func TestZeroSettings(t *testing.T) {
	if err := (Config{}).Validate(); err == nil || !strings.Contains(err.Error(), "is 0") {
		t.Errorf("the zero value: %v", err)
	}
	for i, usual := range reflect.ValueOf(Default()).Fields() {
		if !usual.CanInt() || usual.IsZero() {
			continue
		}
		c := Default()
		reflect.ValueOf(&c).Elem().FieldByIndex(i.Index).SetZero()
		name, _, _ := strings.Cut(i.Tag.Get("dl4j"), ",")
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s of 0: %v", name, err)
		}
	}
}
