package masters

import "github.com/dl4go/dl4go/dl4j"

// YAML writes settings in the form of Deeplearning4j's toYaml.
func YAML(settings any) ([]byte, error) {
	tree, err := dl4j.ToTree(settings)
	if err != nil {
		return nil, err
	}
	return dl4j.FormatYAML(tree)
}

// validated is settings with a check.
type validated interface{ Validate() error }

// ReadJSON reads settings written by Deeplearning4j or this program. usual has the values of missing settings.
func ReadJSON[C validated](text []byte, usual C) (C, error) {
	return checked(usual, func(c *C) error { return dl4j.Unmarshal(text, c) })
}

// ReadYAML reads settings in YAML, like ReadJSON.
func ReadYAML[C validated](text []byte, usual C) (C, error) {
	return checked(usual, func(c *C) error {
		tree, err := dl4j.ParseYAML(string(text))
		if err != nil {
			return err
		}
		return dl4j.FromTree(tree, c)
	})
}

func checked[C validated](c C, read func(*C) error) (C, error) {
	if err := read(&c); err != nil {
		return *new(C), err
	}
	return c, c.Validate()
}
