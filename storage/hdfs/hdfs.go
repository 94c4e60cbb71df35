// Package hdfs reads and writes files at hdfs:// URLs. Import it to register the scheme with package storage.
//
// A URL is hdfs://namenode:port/path (port 8020 by default), hdfs://nameservice/path, with the name nodes of the
// service in the Hadoop configuration, or hdfs:///path, with fs.defaultFS of the configuration. The configuration is
// core-site.xml and hdfs-site.xml in HADOOP_CONF_DIR, or in etc/hadoop or conf under HADOOP_HOME. As in Hadoop, nothing
// in a path is escaped.
//
// The user is HADOOP_USER_NAME, or the system's user. If hadoop.security.authentication is kerberos, the user is that
// of the ticket in the credentials cache (KRB5CCNAME), or of the keytab KRB5_CLIENT_KTNAME. KRB5_CONFIG is the path of
// krb5.conf. Four other settings are obeyed: dfs.namenode.kerberos.principal, dfs.client.use.datanode.hostname,
// dfs.data.transfer.protection and dfs.encrypt.data.transfer. Block size and replication are the name node's defaults
// for its clients.
//
// For another user or another configuration, make a file system with [New], and register it under a scheme of its own.
package hdfs

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/storage"
)

func init() { storage.Register("hdfs", &FileSystem{now: fromEnvironment, pool: newPool()}) }

// at is parse for requests that end with the context.
func (f *FileSystem) at(ctx context.Context, url string) (place, error) {
	p, err := parse(url)
	p.ctx, p.fs = ctx, f
	return p, err
}

var errDirectory = own{errors.New("is a directory, not a file")}

// Open opens a file. It reads the bytes of the opened file, or fails if that was replaced or removed meanwhile.
func (f *FileSystem) Open(ctx context.Context, url string) (storage.File, error) {
	p, err := f.at(ctx, url)
	if err != nil {
		return nil, err
	}
	opened, err := open(p)
	if err != nil {
		return nil, err // and not a nil *file
	}
	return opened, nil
}

// List returns the files in a directory.
func (f *FileSystem) List(ctx context.Context, url string) (all []storage.Entry, err error) {
	infos, err := f.list(ctx, url)
	for _, i := range infos {
		if !i.IsDir() {
			all = append(all, storage.Entry{URL: storage.Join(url, i.Name()), Size: i.Size()})
		}
	}
	return all, err
}

// Directories returns the directories in a directory.
func (f *FileSystem) Directories(ctx context.Context, url string) (all []string, err error) {
	infos, err := f.list(ctx, url)
	for _, i := range infos {
		if i.IsDir() {
			all = append(all, storage.Join(url, i.Name()))
		}
	}
	return all, err
}

// list returns a directory's entries, in the order of their names.
func (f *FileSystem) list(ctx context.Context, url string) (infos []fs.FileInfo, err error) {
	p, err := f.at(ctx, url)
	if err != nil {
		return nil, err
	}
	err = p.do("list", func(c *client) error {
		st, err := c.Stat(p.path)
		if err != nil {
			return err
		}
		if !st.IsDir() {
			return own{errors.New("is a file, not a directory")}
		}
		infos, err = c.ReadDir(p.path)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return infos, nil
}

// Remove removes a file.
func (f *FileSystem) Remove(ctx context.Context, url string) error {
	p, err := f.at(ctx, url)
	if err != nil {
		return err
	}
	again := false
	return p.do("remove", func(c *client) error {
		st, err := c.Stat(p.path)
		switch {
		case again && errors.Is(err, fs.ErrNotExist):
			return nil // the name node did it, but its response was lost
		case err != nil:
			return err
		case st.IsDir():
			return errDirectory
		}
		again = true
		return c.Remove(p.path)
	})
}

// MkdirAll creates a directory and its missing parents.
func (f *FileSystem) MkdirAll(ctx context.Context, url string) error {
	p, err := f.at(ctx, url)
	if err != nil {
		return err
	}
	return p.do("create", func(c *client) error { return mkdirAll(c, p.path) })
}

// RemoveAll removes a directory and everything in it. A missing directory is no error.
func (f *FileSystem) RemoveAll(ctx context.Context, url string) error {
	p, err := f.at(ctx, url)
	if err != nil {
		return err
	}
	return p.do("remove", func(c *client) error {
		if p.path == "/" {
			return own{errors.New("is all that there is")}
		}
		return c.RemoveAll(p.path)
	})
}

// Sweep removes the temporary files of Put.
func (f *FileSystem) Sweep(ctx context.Context, dir, prefix string) error {
	all, err := f.List(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range all {
		if name := path.Base(e.URL); strings.HasPrefix(name, "."+prefix) && strings.HasSuffix(name, ".tmp") {
			if e := f.Remove(ctx, e.URL); !errors.Is(e, fs.ErrNotExist) {
				err = errors.Join(err, e)
			}
		}
	}
	return err
}

func mkdirAll(c *client, dir string) error {
	err := c.MkdirAll(dir, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return own{errors.New(dir + " is a file, not a directory")}
	}
	return err
}

// CheckWritable writes an empty file with another name in the file's directory, or in the nearest existing directory
// above, and removes it.
func (f *FileSystem) CheckWritable(ctx context.Context, url string) error {
	p, err := f.at(ctx, url)
	if err != nil {
		return err
	}
	return p.do("create", func(c *client) error {
		if _, err := p.replaced(c); err != nil {
			return err
		}
		dir := path.Dir(p.path)
		for {
			st, err := c.Stat(dir)
			if err == nil {
				if !st.IsDir() {
					return own{errors.New(dir + " is a file, not a directory")}
				}
				break
			}
			if !errors.Is(err, fs.ErrNotExist) || dir == "/" {
				return err
			}
			dir = path.Dir(dir)
		}
		temp := temporary(path.Join(dir, path.Base(p.path)))
		w, err := c.Create(temp)
		if err != nil {
			return err
		}
		if err := p.complete(w); err != nil {
			p.discard(c, temp, w)
			return err
		}
		return c.Remove(temp)
	})
}
