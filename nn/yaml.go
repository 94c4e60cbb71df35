package nn

import (
	"github.com/dl4go/dl4go/dl4j"
)

// YAML converts configuration.json of a network of either kind to the YAML of Deeplearning4j's toYaml. Functions that
// read configurations also read this YAML.
func YAML(configuration []byte) ([]byte, error) {
	tree, err := dl4j.Parse(string(configuration))
	if err != nil {
		return nil, err
	}
	return dl4j.FormatYAML(tree)
}

// YAML returns the configuration as Deeplearning4j's toYaml writes it.
func (c Configuration) YAML() ([]byte, error) { return yamlOf(c.JSON()) }

// YAML returns the configuration as Deeplearning4j's toYaml writes it.
func (c GraphConfiguration) YAML() ([]byte, error) { return yamlOf(c.JSON()) }

func yamlOf(json []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return YAML(json)
}
