package main

import (
	"bytes"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is who the image's program runs as: nobody in particular, as in other images without a shell.
const user = "65532:65532"

// writeImage writes the image of all platforms of Linux: an OCI layout in a tar file. It needs no Docker.
func writeImage(dir string, built []target) (err error) {
	var index v1.ImageIndex = mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	var of *target
	for i := range built {
		if built[i].system != "linux" {
			continue
		}
		of = &built[i]
		img, err := image(of)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: of.system, Architecture: of.arch}}})
	}
	if of == nil {
		return nil // no image without Linux
	}
	index = mutate.Annotations(index, annotations(of)).(v1.ImageIndex)
	tree, err := os.MkdirTemp(dir, "image-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tree)) }()
	p, err := layout.Write(tree, empty.Index)
	if err != nil {
		return err
	}
	// A tag has no +, which versions of Go may have.
	tag := strings.ReplaceAll(of.version, "+", "-")
	if err := p.AppendIndex(index, layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": tag, "io.containerd.image.name": "docker.io/library/" + of.name + ":" + tag,
	})); err != nil {
		return err
	}
	files, err := readTree(tree)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := writeTar(&out, files, of.time); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, of.name+"_"+of.version+"_image.oci.tar"), out.Bytes(), 0o644)
}

// image has the program, its licences and bill of materials, the authorities of TLS certificates, and a /tmp.
func image(b *target) (v1.Image, error) {
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
	img := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	img = mutate.ConfigMediaType(img, types.OCIConfigJSON)
	img, err := mutate.ConfigFile(img, &v1.ConfigFile{OS: b.system, Architecture: b.arch, Created: v1.Time{Time: b.time.UTC()},
		RootFS: v1.RootFS{Type: "layers"}, Config: v1.Config{User: user, WorkingDir: "/tmp",
			Entrypoint:   []string{"/" + binary.name},
			Env:          []string{"PATH=/usr/local/bin", "HOME=/tmp"},
			ExposedPorts: map[string]struct{}{"8000/tcp": {}, "8001/tcp": {}},
			Labels:       annotations(b)}})
	if err != nil {
		return nil, err
	}
	for _, files := range [][]file{base, program} {
		l, err := layer(b, files)
		if err != nil {
			return nil, err
		}
		if img, err = mutate.Append(img, mutate.Addendum{Layer: l, MediaType: types.OCILayer,
			History: v1.History{Created: v1.Time{Time: b.time.UTC()}, CreatedBy: "dl4go tools/release"}}); err != nil {
			return nil, err
		}
	}
	return img, nil
}

func layer(b *target, files []file) (v1.Layer, error) {
	var out bytes.Buffer
	if err := writeTarGzip(&out, files, b.time); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(out.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer))
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

// authorities are Mozilla's, which browsers trust.
func authorities() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil { // a file has no place for constraints
			out.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return out.Bytes()
}

// readTree reads all files of a directory, by name.
func readTree(root string) (all []file, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == root {
			return err
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f := file{name: filepath.ToSlash(below), mode: 0o644}
		if d.IsDir() {
			f.name, f.mode = f.name+"/", 0o755
		} else if f.data, err = os.ReadFile(name); err != nil {
			return err
		}
		all = append(all, f)
		return nil
	})
	return all, err
}
