package train

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// networkSettings are the settings of layers by which runs are compared, by their names in a configuration.
var networkSettings = []struct{ name, member string }{{"updater", "iupdater"}, {"activation", "activationFn"},
	{"loss", "lossFn"}, {"regularization", "regularization"}, {"dropout", "idropout"}, {"weight init", "weightInitFn"},
	{"gradient normalization", "gradientNormalization"}}

// longestLayers limits the list of layers, in bytes.
const longestLayers = 2000

// describeNetwork adds settings of a network's configuration, for comparing runs: its layers, and the different values
// that these have.
func describeNetwork(configuration []byte, to map[string]string) {
	var conf struct {
		Confs    []struct{ Layer map[string]any }
		Vertices map[string]struct {
			LayerConf *struct{ Layer map[string]any }
		}
	}
	if json.Unmarshal(configuration, &conf) != nil { // it is that of a network
		return
	}
	var layers []map[string]any
	for _, c := range conf.Confs {
		layers = append(layers, c.Layer)
	}
	for _, name := range slices.Sorted(maps.Keys(conf.Vertices)) {
		if v := conf.Vertices[name]; v.LayerConf != nil {
			layers = append(layers, v.LayerConf.Layer)
		}
	}
	var list []string
	for _, l := range layers {
		text := classOf(l)
		if n, ok := l["nout"].(float64); ok && n > 0 {
			text += fmt.Sprintf(" %v", n)
		}
		list = append(list, text)
	}
	if all := strings.Join(list, ", "); all != "" {
		to["layers"] = all[:min(len(all), longestLayers)]
	}
	for _, s := range networkSettings {
		var values []string
		for _, l := range layers {
			if v := textOf(l[s.member]); v != "" && v != "None" && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if values != nil {
			to[s.name] = strings.Join(values, ", ")
		}
	}
}

// classOf returns the short name of an object's class.
func classOf(o map[string]any) string {
	class, _ := o["@class"].(string)
	class = class[strings.LastIndexAny(class, ".$")+1:]
	for _, prefix := range []string{"Activation", "WeightInit", "Loss"} {
		if rest, ok := strings.CutPrefix(class, prefix); ok && rest != "" && !strings.HasSuffix(class, "Layer") {
			return rest
		}
	}
	return class
}

// textOf describes a value: an object by its class and the members that are set.
func textOf(v any) string {
	switch v := v.(type) {
	case map[string]any:
		var set []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if text := textOf(v[name]); name != "@class" && text != "" {
				set = append(set, name+" "+text)
			}
		}
		text, members := classOf(v), strings.Join(set, ", ")
		if text == "" || members == "" {
			return text + members
		}
		return text + " (" + members + ")"
	case []any:
		var all []string
		for _, e := range v {
			all = append(all, textOf(e))
		}
		return strings.Join(all, ", ")
	case nil:
		return ""
	}
	return fmt.Sprint(v)
}
