package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"
)

// bomName is the bill of materials in an archive; beside the archives it has the archive's name before it.
const bomName = "sbom.cdx.json"

// bom, component and the other types are the used parts of CycloneDX 1.6.
type bom struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp  string     `json:"timestamp"`
	Component  component  `json:"component"`
	Properties []property `json:"properties"`
}

type component struct {
	Ref        string      `json:"bom-ref"`
	Type       string      `json:"type"`
	Name       string      `json:"name"`
	Version    string      `json:"version,omitempty"`
	Hashes     []hashOf    `json:"hashes,omitempty"`
	Licences   []licence   `json:"licenses,omitempty"`
	URL        string      `json:"purl,omitempty"`
	Properties []property  `json:"properties,omitempty"`
	Components []component `json:"components,omitempty"`
}

type hashOf struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licence struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// bom returns the bill of materials of a platform's binaries, in JSON.
func (b *target) bom() ([]byte, error) {
	main := of(module{path: b.path, version: "v" + b.version, licences: []string{"Apache-2.0"}})
	main.Type, main.Name = "application", b.name
	hash := sha256.New()
	for _, f := range b.files[:b.programs] {
		sum := sha256.Sum256(f.data)
		hash.Write(sum[:])
		main.Components = append(main.Components, component{Ref: f.name, Type: "file", Name: f.name,
			Hashes: []hashOf{{"SHA-256", fmt.Sprintf("%x", sum)}}})
	}
	// The identifier depends on the bytes, and not on the time: version 8 of RFC 9562 allows any content.
	id := hash.Sum(nil)[:16]
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	doc := bom{Format: "CycloneDX", Spec: "1.6", Version: 1, Components: []component{},
		Serial: fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:]),
		Metadata: metadata{Timestamp: b.time.UTC().Format(time.RFC3339), Component: main,
			Properties: []property{{"platform", b.platform.String()}, {"vcs.revision", b.revision}}}}
	linked := dependency{Ref: main.Ref}
	for _, m := range b.modules {
		c := of(m)
		doc.Components = append(doc.Components, c)
		linked.DependsOn = append(linked.DependsOn, c.Ref)
	}
	doc.Dependencies = []dependency{linked}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(doc)
	return out.Bytes(), err
}

// of describes a module.
func of(m module) component {
	url := "pkg:golang/" + m.path + "@" + m.version
	c := component{Ref: url, Type: "library", Name: m.path, Version: m.version, URL: url}
	for _, id := range m.licences {
		var l licence
		l.License.ID = id
		c.Licences = append(c.Licences, l)
	}
	if m.sum != "" {
		c.Properties = []property{{"go.sum", m.sum}}
	}
	return c
}
