package masters

import "github.com/dl4go/dl4go/dl4j"

// YAML writes settings as Deeplearning4j's toYaml does.
func YAML(settings any) ([]byte, error) {
	tree, err := dl4j.ToTree(settings)
	if err != nil {
		return nil, err
	}
	return dl4j.FormatYAML(tree)
}

// validated is settings.
type validated interface{ Validate() error }

// ReadJSON reads settings that Deeplearning4j or this program wrote; usual has those that the text leaves out.
func ReadJSON[C validated](text []byte, usual C) (C, error) {
	return checked(usual, func(c *C) error { return dl4j.Unmarshal(text, c) })
}

// ReadYAML reads settings as ReadJSON does.
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
