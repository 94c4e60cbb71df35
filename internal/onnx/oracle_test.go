package onnx

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/tensor"
)

// oracleCase is a case of testdata/oracle/nets.
type oracleCase struct {
	name, dir string
	files     map[string]struct {
		File  string
		Shape []int
	}
}

func oracleCases(t *testing.T) (list []oracleCase) {
	root := os.Getenv("DL4GO_ORACLE")
	if root == "" {
		root = filepath.Join("..", "..", "testdata", "oracle", "nets")
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		c := oracleCase{name: e.Name(), dir: filepath.Join(root, e.Name())}
		text, err := os.ReadFile(filepath.Join(c.dir, "manifest.json"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var manifest struct {
			Files map[string]struct {
				File  string
				Shape []int
			}
		}
		if err := json.Unmarshal(text, &manifest); err != nil {
			t.Fatal(err)
		}
		c.files = manifest.Files
		list = append(list, c)
	}
	return list
}

func (c *oracleCase) data(t *testing.T) *data.MultiDataSet {
	m := &data.MultiDataSet{}
	if f := c.array(t, "features"); f != nil {
		m.Features = []*tensor.Dense{f}
		if mask := c.array(t, "features_mask"); mask != nil {
			m.FeatureMasks = []*tensor.Dense{mask}
		}
		return m
	}
	masked := false
	for i := 0; c.array(t, fmt.Sprintf("features_%d", i)) != nil; i++ {
		m.Features = append(m.Features, c.array(t, fmt.Sprintf("features_%d", i)))
		mask := c.array(t, fmt.Sprintf("features_mask_%d", i))
		m.FeatureMasks = append(m.FeatureMasks, mask)
		masked = masked || mask != nil
	}
	if !masked {
		m.FeatureMasks = nil
	}
	return m
}

func (c *oracleCase) array(t *testing.T, name string) *tensor.Dense {
	f, ok := c.files[name]
	if !ok {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(c.dir, f.File))
	if err != nil {
		t.Fatal(err)
	}
	d := tensor.New(f.Shape...)
	for i := range d.Data {
		d.Data[i] = floatAt(b, i)
	}
	return d
}
