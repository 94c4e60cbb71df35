package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// module is a linked module, with its licences as SPDX identifiers.
type module struct {
	path, version, sum string
	licences           []string
}

// listed is a package as go list describes it.
type listed struct {
	Dir      string
	Standard bool
	Module   *struct{ Path, Dir string }
}

// licences collects the licences and notices in the directories of all linked packages, up to their modules' roots,
// and records the licences of each module. A module without a licence, or with an unknown one, is an error.
func (s settings) licences(ctx context.Context, b *target, paths []string) ([]file, error) {
	out, err := s.goTool(ctx, b.platform, append([]string{"list", "-deps", "-json=Dir,Standard,Module"}, paths...)...)
	if err != nil {
		return nil, err
	}
	goroot, err := s.goTool(ctx, b.platform, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	found := map[string]file{}
	if err := b.collect(found, "std", strings.TrimSpace(string(goroot)), "."); err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		if p.Standard || p.Module == nil || !b.links(p.Module.Path) {
			continue
		}
		below, err := filepath.Rel(p.Module.Dir, p.Dir)
		if err != nil {
			return nil, err
		}
		if err := b.collect(found, p.Module.Path, p.Module.Dir, filepath.ToSlash(below)); err != nil {
			return nil, err
		}
	}
	for _, m := range b.modules {
		if len(m.licences) == 0 {
			return nil, fmt.Errorf("module %s has no licence in its directory; it can't be given away", m.path)
		}
	}
	return s.withOurs(found)
}

// withOurs adds the licences of embedded data, and sorts the files.
func (s settings) withOurs(found map[string]file) (all []file, err error) {
	text, err := os.ReadFile(filepath.Join(s.source, "docs", "licences.md"))
	if err == nil {
		found["licences/README.md"] = file{name: "licences/README.md", data: text, mode: 0o644}
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, f := range found {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

func (b *target) links(path string) bool {
	return slices.ContainsFunc(b.modules, func(m module) bool { return m.path == path })
}

// collect adds the licences in root/below, and in all directories above it up to root.
func (b *target) collect(found map[string]file, of, root, below string) error {
	for ; ; below = path.Dir(below) {
		entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(below)))
		if err != nil {
			return err
		}
		for _, e := range entries {
			name := path.Join("licences", of, below, e.Name())
			if _, known := found[name]; known || !e.Type().IsRegular() || !isLicence(e.Name()) {
				continue
			}
			data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(below), e.Name()))
			if err != nil {
				return err
			}
			found[name] = file{name: name, data: data, mode: 0o644}
			if err := b.classify(of, name, string(data)); err != nil {
				return err
			}
		}
		if below == "." {
			return nil
		}
	}
}

func isLicence(name string) bool {
	name = strings.ToUpper(name)
	for _, begin := range []string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"} {
		if rest, ok := strings.CutPrefix(name, begin); ok && !strings.HasSuffix(rest, ".GO") {
			return true
		}
	}
	return false
}

// texts has a sentence of each licence that linked modules may have. The first match counts.
var texts = []struct{ id, sentence string }{
	{"Apache-2.0", "apache license version 2.0, january 2004"},
	{"MPL-2.0", "mozilla public license version 2.0"},
	{"MPL-2.0", "mozilla public license, version 2.0"},
	{"BSD-3-Clause", "may be used to endorse or promote products"},
	{"BSD-2-Clause", "redistributions in binary form must reproduce the above copyright notice"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy of this software"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose"},
}

// classify records the licence that a file contains. Notices and grants of patents stand beside a licence.
func (b *target) classify(of, name, text string) error {
	i := slices.IndexFunc(b.modules, func(m module) bool { return m.path == of })
	base := strings.ToUpper(path.Base(name))
	if i < 0 || strings.HasPrefix(base, "NOTICE") || strings.HasPrefix(base, "PATENTS") {
		return nil
	}
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	for _, t := range texts {
		if strings.Contains(text, t.sentence) {
			if !slices.Contains(b.modules[i].licences, t.id) {
				b.modules[i].licences = append(b.modules[i].licences, t.id)
				slices.Sort(b.modules[i].licences)
			}
			return nil
		}
	}
	return fmt.Errorf("%s is a licence that is not known here; add a sentence of it to texts, if it may be linked", name)
}
