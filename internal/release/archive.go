package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"
)

// write writes the archive of a platform, and its bill of materials beside it.
func (b *target) write(dir string) error {
	name := b.name + "_" + b.version + "_" + b.system + "_" + b.arch
	inside := make([]file, len(b.files))
	for i, f := range b.files {
		f.name = path.Join(name, f.name)
		inside[i] = f
	}
	var out bytes.Buffer
	ending, write := ".tar.gz", writeTarGzip
	if b.system == "windows" {
		ending, write = ".zip", writeZip
	}
	if err := write(&out, inside, b.time); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, name+ending), out.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name+"."+bomName), b.files[len(b.files)-1].data, 0o644)
}

func writeTarGzip(to io.Writer, files []file, at time.Time) error {
	zip, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := writeTar(zip, files, at); err != nil {
		return err
	}
	return zip.Close()
}

// writeTar writes a tar archive in which all files have the commit's time, and belong to root. A name that ends in a
// slash is a directory.
func writeTar(to io.Writer, files []file, at time.Time) error {
	w := tar.NewWriter(to)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: at,
			Format: tar.FormatUSTAR}
		if f.name[len(f.name)-1] == '/' {
			h.Typeflag = tar.TypeDir
		}
		if len(f.name) > 100 {
			h.Format = tar.FormatPAX
		}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	return w.Close()
}

func writeZip(to io.Writer, files []file, at time.Time) error {
	w := zip.NewWriter(to)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at.UTC()}
		h.SetMode(os.FileMode(f.mode))
		entry, err := w.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.data); err != nil {
			return err
		}
	}
	return w.Close()
}
