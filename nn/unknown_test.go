package nn

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
)

// place is an object in a configuration. replace returns the document with another object in its place.
type place struct {
	at      string
	object  dl4j.Object
	replace func(dl4j.Object) any
}

// placesOf lists the objects of a tree.
func placesOf(tree any, at string, replace func(any) any) []place {
	var list []place
	switch v := tree.(type) {
	case dl4j.Object:
		list = append(list, place{at, v, func(o dl4j.Object) any { return replace(o) }})
		for i, m := range v {
			list = append(list, placesOf(m.Value, at+"."+m.Name, func(x any) any {
				o := slices.Clone(v)
				o[i].Value = x
				return replace(o)
			})...)
		}
	case []any:
		for i, e := range v {
			list = append(list, placesOf(e, at+"[]", func(x any) any {
				a := slices.Clone(v)
				a[i] = x
				return replace(a)
			})...)
		}
	}
	return list
}

// classOf returns the name of the member with an object's class, and the class; empty if it has none.
func classOf(o dl4j.Object) (key, class string) {
	for _, key := range []string{"@class", "type"} {
		if v, ok := o.Get(key); ok {
			if s, ok := v.(string); ok {
				return key, s
			}
		}
	}
	return "", ""
}

// configurationsOf returns the configurations of the cases of the real Deeplearning4j, and of its old versions.
func configurationsOf(t testing.TB) map[string][]byte {
	texts := map[string][]byte{}
	files, err := filepath.Glob(filepath.Join("..", "testdata", "oracle", "*", "*", "conf.json"))
	if err != nil || len(files) < 200 {
		t.Fatalf("%d configurations: %v", len(files), err)
	}
	for _, f := range files {
		if texts[f], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range savedCases(t) {
		m, err := dl4j.OpenModel(t.Context(), filepath.Join(c.dir, "model.zip"))
		if err != nil {
			t.Fatal(err)
		}
		if texts[c.dir], err = m.Configuration(); err != nil {
			t.Fatal(err)
		}
		m.Close()
	}
	return texts
}

// An unknown member or class is an error that names it, at each place of each class in the configurations of the real
// Deeplearning4j, old and new.
func TestUnknownMembersAndClassesAreNamed(t *testing.T) {
	seen := map[string]bool{}
	members, classes := 0, 0
	texts := configurationsOf(t)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		tree, err := dl4j.Parse(string(texts[name]))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Replica(texts[name]); err != nil {
			continue // members that are not read have a test of their own
		}
		for _, p := range placesOf(tree, "", func(x any) any { return x }) {
			key, class := classOf(p.object)
			steps := strings.Split(p.at, ".")
			kind := fmt.Sprint(class, " in ", steps[len(steps)-1], len(steps) > 2 && steps[1] == "vertices")
			if strings.HasSuffix(p.at, "ByParam") || seen[kind] { // numbers by parameter
				continue
			}
			seen[kind] = true
			members++
			expectNamed(t, name+p.at, p.replace(append(slices.Clone(p.object),
				dl4j.Member{Name: "unheardOf", Value: dl4j.Number("1")})), "unheardOf")
			if key == "" {
				continue
			}
			classes++
			o := slices.Clone(p.object)
			for i := range o {
				if o[i].Name == key {
					o[i].Value = "org.example.Unheard"
				}
			}
			expectNamed(t, name+p.at, p.replace(o), "org.example.Unheard")
		}
	}
	t.Logf("%d places of members, %d of classes", members, classes)
	if members < 300 || classes < 250 {
		t.Errorf("only %d places of members and %d of classes were tried", members, classes)
	}
}

func expectNamed(t *testing.T, what string, tree any, want string) {
	t.Helper()
	text, err := dl4j.Format(tree)
	if err != nil {
		t.Fatal(err)
	}
	net, err := Replica(text)
	if err == nil {
		net.Close()
	}
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s with %s: the error is %v", what, want, err)
	}
}
