package sharing

import (
	"reflect"

	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/threshold"
)

// InertFields lists members of Deeplearning4j's JSON that have no effect here: its notes about a run, and Java objects.
func (Config) InertFields() dl4j.Object {
	return dl4j.Object{{Name: "broadcastHadoopConfig"}, {Name: "isFirstRun", Value: false},
		{Name: "lastExportedRDDId", Value: dl4j.Number("-2147483648")}, {Name: "lastRDDExportPath"}, {Name: "listeners"},
		{Name: "rng"}, {Name: "setupDone", Value: false}, {Name: "stats"}, {Name: "statsStorage"}, {Name: "trainingHooks"},
		{Name: "trainingMasterUID"}}
}

// JSON returns all settings. Deeplearning4j differs: its own JSON lacks the classes of algorithms, so it can't read it
// back.
func (c Config) JSON() ([]byte, error) { return dl4j.Marshal(c) }

// YAML returns all settings.
func (c Config) YAML() ([]byte, error) { return masters.YAML(c) }

// FromJSON reads settings written by Deeplearning4j or JSON.
func FromJSON(text []byte) (Config, error) { return masters.ReadJSON(text, Default()) }

// FromYAML reads settings written by Deeplearning4j or YAML.
func FromYAML(text []byte) (Config, error) { return masters.ReadYAML(text, Default()) }

// UnmarshalTree reads Deeplearning4j's format and dl4go's own. If Deeplearning4j leaves out a class, it is inferred
// from the members.
func (c *Config) UnmarshalTree(tree any) error {
	if o, ok := tree.(dl4j.Object); ok {
		read := make(dl4j.Object, len(o))
		for i, m := range o {
			switch m.Name {
			case "thresholdAlgorithm":
				m.Value = threshold.InferAlgorithm(m.Value)
			case "residualPostProcessor":
				m.Value = threshold.InferPostProcessor(m.Value)
			case "repartitioner":
				m.Value = inferRepartitioner(m.Value)
			case "storageLevel", "storageLevelStreams":
				level, err := storageLevel(m.Value)
				if err != nil {
					return err
				}
				m.Value = level
			case "trainingMasterUID":
				m.Value = nil // of a run that is over
			}
			read[i] = m
		}
		tree = read
	}
	return dl4j.FromTree(tree, (*configFields)(c))
}

// configFields reads the members.
type configFields Config

func (configFields) InertFields() dl4j.Object { return Config{}.InertFields() }

// javaLevel is a StorageLevel that Deeplearning4j has written as an object.
type javaLevel struct {
	Deserialized bool `dl4j:"_deserialized"`
	Replication  int  `dl4j:"_replication"`
	Disk         bool `dl4j:"_useDisk"`
	Memory       bool `dl4j:"_useMemory"`
	OffHeap      bool `dl4j:"_useOffHeap"`
}

// storageLevel returns the name of a level that is written as an object. Others are returned unchanged.
func storageLevel(tree any) (any, error) {
	if _, ok := tree.(dl4j.Object); !ok {
		return tree, nil
	}
	var l javaLevel
	if err := dl4j.FromTree(tree, &l); err != nil {
		return nil, err
	}
	if l.OffHeap {
		return string(engine.OffHeap), nil
	}
	name := ""
	switch {
	case l.Memory && l.Disk:
		name = "MEMORY_AND_DISK"
	case l.Memory:
		name = "MEMORY_ONLY"
	case l.Disk:
		name = "DISK_ONLY"
	default:
		return string(engine.None), nil
	}
	if l.Memory && !l.Deserialized {
		name += "_SER"
	}
	switch l.Replication {
	case 2:
		name += "_2"
	case 3:
		name += "_3"
	}
	return name, nil
}

// same compares settings by their JSON.
func same(a, b any) bool {
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	x, errX := dl4j.Marshal(a)
	y, errY := dl4j.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}
