package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is the user that runs the image's program: an arbitrary one, the same as in other images without a shell.
const user = "65532:65532"

// The media types of the OCI image specification.
const (
	indexType    = "application/vnd.oci.image.index.v1+json"
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// descriptor identifies a blob of the layout.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *imagePlatform    `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type imagePlatform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// manifest is the manifest of an image, with a configuration and layers, or an index of manifests.
type manifest struct {
	SchemaVersion int               `json:"schemaVersion"`
	MediaType     string            `json:"mediaType"`
	Config        *descriptor       `json:"config,omitempty"`
	Layers        []descriptor      `json:"layers,omitempty"`
	Manifests     []descriptor      `json:"manifests,omitempty"`
	Annotations   map[string]string `json:"annotations,omitempty"`
}

// imageConfig says how an image is run.
type imageConfig struct {
	imagePlatform
	Created string `json:"created"`
	Config  struct {
		User         string
		ExposedPorts map[string]struct{}
		Env          []string
		Entrypoint   []string
		WorkingDir   string
		Labels       map[string]string
	} `json:"config"`
	RootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
	History []history `json:"history"`
}

type history struct {
	Created   string `json:"created"`
	CreatedBy string `json:"created_by"`
}

// blobs are the files of a layout.
type blobs struct{ files []file }

func digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// put adds a blob, once.
func (l *blobs) put(mediaType string, data []byte) descriptor {
	d := descriptor{MediaType: mediaType, Digest: digest(data), Size: len(data)}
	name := "blobs/" + strings.Replace(d.Digest, ":", "/", 1)
	for _, f := range l.files {
		if f.name == name {
			return d
		}
	}
	l.files = append(l.files, file{name: name, data: data, mode: 0o644})
	return d
}

func (l *blobs) putJSON(mediaType string, v any) (descriptor, error) {
	data, err := json.Marshal(v)
	return l.put(mediaType, data), err
}

// writeImage writes the image for all platforms of Linux: an OCI layout in a tar file. It needs no Docker.
func writeImage(dir string, built []target) error {
	index := manifest{SchemaVersion: 2, MediaType: indexType}
	l := blobs{files: []file{{name: "oci-layout", data: []byte(`{"imageLayoutVersion":"1.0.0"}`), mode: 0o644}}}
	var last *target
	for i := range built {
		if built[i].system == "linux" {
			last = &built[i]
			d, err := l.image(last)
			if err != nil {
				return err
			}
			index.Manifests = append(index.Manifests, d)
		}
	}
	if last == nil {
		return nil // without Linux there is no image
	}
	index.Annotations = annotations(last)
	d, err := l.putJSON(indexType, index)
	if err != nil {
		return err
	}
	// A tag must not contain +, but versions of Go may.
	tag := strings.ReplaceAll(last.version, "+", "-")
	d.Annotations = map[string]string{"org.opencontainers.image.ref.name": tag,
		"io.containerd.image.name": "docker.io/library/" + last.name + ":" + tag}
	top, err := json.Marshal(manifest{SchemaVersion: 2, MediaType: indexType, Manifests: []descriptor{d}})
	if err != nil {
		return err
	}
	l.files = append(l.files, file{name: "index.json", data: top, mode: 0o644})
	var out bytes.Buffer
	if err := writeTar(&out, l.files, last.time); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, last.name+"_"+last.version+"_image.oci.tar"), out.Bytes(), 0o644)
}

// image builds the image of the program, its licences and bill of materials, the authorities of TLS certificates, and
// a /tmp.
func (l *blobs) image(b *target) (descriptor, error) {
	base := []file{
		{name: "etc/", mode: 0o755},
		{name: "etc/group", data: []byte("nonroot:x:65532:\n"), mode: 0o644},
		{name: "etc/passwd", data: []byte("nonroot:x:65532:65532:nonroot:/tmp:/sbin/nologin\n"), mode: 0o644},
		{name: "etc/ssl/certs/ca-certificates.crt", data: authorities(), mode: 0o644},
		{name: "tmp/", mode: 0o1777},
	}
	binary := b.files[0]
	binary.name = path.Join("usr/local/bin", binary.name)
	program := []file{binary}
	for _, f := range b.files[b.programs:] {
		f.name = path.Join("usr/local/share", b.name, f.name)
		program = append(program, f)
	}
	created := b.time.UTC().Format("2006-01-02T15:04:05Z")
	p := imagePlatform{Architecture: b.arch, OS: b.system}
	c := imageConfig{imagePlatform: p, Created: created}
	c.Config.User, c.Config.WorkingDir, c.Config.Entrypoint = user, "/tmp", []string{"/" + binary.name}
	c.Config.Env = []string{"PATH=/usr/local/bin", "HOME=/tmp"}
	c.Config.ExposedPorts = map[string]struct{}{"8000/tcp": {}, "8001/tcp": {}}
	c.Config.Labels = annotations(b)
	c.RootFS.Type = "layers"
	m := manifest{SchemaVersion: 2, MediaType: manifestType}
	for _, files := range [][]file{base, program} {
		var plain, zipped bytes.Buffer
		if err := writeTar(&plain, files, b.time); err != nil {
			return descriptor{}, err
		}
		z, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
		if err != nil {
			return descriptor{}, err
		}
		if _, err := z.Write(plain.Bytes()); err != nil {
			return descriptor{}, err
		}
		if err := z.Close(); err != nil {
			return descriptor{}, err
		}
		m.Layers = append(m.Layers, l.put(layerType, zipped.Bytes()))
		c.RootFS.DiffIDs = append(c.RootFS.DiffIDs, digest(plain.Bytes()))
		c.History = append(c.History, history{created, "make release"})
	}
	config, err := l.putJSON(configType, c)
	if err != nil {
		return descriptor{}, err
	}
	m.Config = &config
	d, err := l.putJSON(manifestType, m)
	d.Platform = &p
	return d, err
}

func annotations(b *target) map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":    b.name,
		"org.opencontainers.image.version":  b.version,
		"org.opencontainers.image.revision": b.revision,
		"org.opencontainers.image.created":  b.time.UTC().Format("2006-01-02T15:04:05Z"),
		"org.opencontainers.image.source":   "https://" + b.path,
		"org.opencontainers.image.licenses": "Apache-2.0",
	}
}

// authorities returns Mozilla's certificate authorities, which browsers trust.
func authorities() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil { // a file can't express constraints
			out.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return out.Bytes()
}
