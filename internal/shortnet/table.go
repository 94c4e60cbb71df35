package shortnet

import (
	"fmt"
	"slices"
	"strings"
)

// common are settings that all layers with parameters have; the table leaves them out.
var common = []string{"in", "name", "dropout", "weightInit", "biasInit", "gainInit", "updater",
	"biasUpdater", "regularization",
	"regularizationBias", "gradientNormalization", "gradientNormalizationThreshold", "constraints", "weightNoise",
	"timeDistributedFormat", "layerParams", "vertexParams", "paramWeightInit", "layerName"}

// Table lists the layers and vertices registered in this program with their settings, as Markdown.
func Table() string {
	var b strings.Builder
	for _, of := range []struct {
		title string
		all   []named
	}{{"layer", slices.Clone(classes(layerType))}, {"vertex", slices.Clone(classes(vertexType))}} {
		fmt.Fprintf(&b, "| %s | class | settings of its own |\n| --- | --- | --- |\n", of.title)
		slices.SortFunc(of.all, func(a, b named) int {
			return strings.Compare(strings.ToLower(a.short), strings.ToLower(b.short))
		})
		for _, c := range of.all {
			last := c.class[lastDot(c.class)+1:]
			name := c.short
			if of.title == "vertex" && c.hidden() {
				name = lower(last)
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", ticks(append([]string{name}, aliases[name]...)), last, ticks(c.own()))
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// hidden reports whether the short name of a vertex has another meaning: a layer, or a layer's preprocessor.
func (c named) hidden() bool {
	_, _, taken := find(layerType, c.short)
	return taken || c.short == preprocessorKey
}

// own returns the settings that not all layers have, without those that have no effect.
func (c named) own() (names []string) {
	for _, s := range c.list {
		if s.t != nil && !slices.Contains(common, s.short) {
			names = append(names, s.short)
		}
	}
	return names
}

func ticks(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "`" + strings.Join(names, "`, `") + "`"
}
