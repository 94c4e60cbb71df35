package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// bomName is the bill of materials in an archive; beside the archives it has the archive's name before it.
const bomName = "sbom.cdx.json"

// bom is the bill of materials of a platform's binaries: CycloneDX 1.6 in JSON.
func (b *target) bom() ([]byte, error) {
	doc := cdx.NewBOM()
	main := component(module{path: b.path, version: "v" + b.version, licences: []string{"Apache-2.0"}})
	main.Type, main.Name = cdx.ComponentTypeApplication, b.name
	main.Components = &[]cdx.Component{}
	hash := sha256.New()
	for _, f := range b.files[:b.programs] {
		sum := sha256.Sum256(f.data)
		hash.Write(sum[:])
		*main.Components = append(*main.Components, cdx.Component{BOMRef: f.name, Type: cdx.ComponentTypeFile, Name: f.name,
			Hashes: &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: fmt.Sprintf("%x", sum)}}})
	}
	// A name for these bytes, and not for when they were made: version 8 of RFC 9562 is free in its contents.
	id := hash.Sum(nil)[:16]
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	doc.SerialNumber = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	doc.Metadata = &cdx.Metadata{Timestamp: b.time.UTC().Format(time.RFC3339), Component: &main,
		Properties: &[]cdx.Property{{Name: "platform", Value: b.platform.String()}, {Name: "vcs.revision", Value: b.revision}}}
	doc.Components = &[]cdx.Component{}
	var linked []string
	for _, m := range b.modules {
		c := component(m)
		*doc.Components = append(*doc.Components, c)
		linked = append(linked, c.BOMRef)
	}
	doc.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &linked}}
	var out bytes.Buffer
	err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(doc, cdx.SpecVersion1_6)
	return out.Bytes(), err
}

func component(m module) cdx.Component {
	c := cdx.Component{Type: cdx.ComponentTypeLibrary, Name: m.path, Version: m.version,
		PackageURL: "pkg:golang/" + m.path + "@" + m.version}
	c.BOMRef = c.PackageURL
	licences := cdx.Licenses{}
	for _, id := range m.licences {
		licences = append(licences, cdx.LicenseChoice{License: &cdx.License{ID: id}})
	}
	c.Licenses = &licences
	if m.sum != "" {
		c.Properties = &[]cdx.Property{{Name: "go.sum", Value: m.sum}}
	}
	return c
}
