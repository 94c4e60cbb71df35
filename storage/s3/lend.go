package s3

import (
	"context"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"github.com/dl4go/dl4go/storage"
)

const (
	lendAtOnce = 16  // number of concurrent requests for objects
	lendSingly = 100 // number of objects of a directory that are requested singly; above it, the directory is listed
	lendMost   = 7 * 24 * time.Hour
)

// Lend signs URLs. Whoever has such a URL can get the object until it expires; no credentials leave this process. The
// loans are of the objects' current versions.
func (f *FileSystem) Lend(ctx context.Context, urls []string, d time.Duration) ([]storage.Loan, error) {
	c, err := f.connect()
	if err != nil {
		return nil, err
	}
	objects := make([]object, len(urls))
	of := make(map[string][]int) // by directory
	for i, url := range urls {
		if objects[i], err = file(url); err != nil {
			return nil, err
		}
		dir := objects[i].bucket + "/" + path.Dir("/"+objects[i].key)
		of[dir] = append(of[dir], i)
	}
	loans := make([]storage.Loan, len(urls))
	var singly []int
	for _, all := range of {
		if len(all) <= lendSingly {
			singly = append(singly, all...)
		} else if err := c.look(ctx, objects, all, loans); err != nil {
			return nil, err
		}
	}
	errs := make([]error, len(singly))
	limit := make(chan struct{}, lendAtOnce)
	var asking sync.WaitGroup
	for n, i := range singly {
		limit <- struct{}{}
		asking.Go(func() {
			defer func() { <-limit }()
			o := objects[i]
			info, err := c.stat(ctx, o)
			loans[i], errs[n] = loanOf(info), c.explain("read", o, err)
		})
	}
	asking.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	for i := range loans {
		loans[i].URL = urls[i]
		if err := c.sign(ctx, objects[i], &loans[i], min(d, lendMost)); err != nil {
			return nil, c.explain("read", objects[i], err)
		}
	}
	return loans, nil
}

func loanOf(info minio.ObjectInfo) storage.Loan {
	return storage.Loan{Size: info.Size, Modified: info.LastModified, Version: strings.Trim(info.ETag, `"`)}
}

// look finds objects in the list of their directory.
func (c *client) look(ctx context.Context, objects []object, all []int, loans []storage.Loan) error {
	wanted := make(map[string][]int)
	for _, i := range all {
		wanted[objects[i].key] = append(wanted[objects[i].key], i)
	}
	first := objects[all[0]]
	prefix := first.key[:strings.LastIndex(first.key, "/")+1]
	for x, err := range c.below(ctx, first.bucket, prefix) {
		if err != nil {
			return c.explain("list", first, err)
		}
		for _, i := range wanted[x.Key] {
			loans[i] = loanOf(x)
		}
		if delete(wanted, x.Key); len(wanted) == 0 {
			return nil
		}
	}
	for _, missing := range wanted {
		return &fs.PathError{Op: "read", Path: objects[missing[0]].url, Err: fs.ErrNotExist}
	}
	return nil
}

// sign makes the URL. Without credentials, the URL is unsigned.
func (c *client) sign(ctx context.Context, o object, l *storage.Loan, d time.Duration) error {
	v, err := c.credentials.GetWithContext(c.CredContext())
	if err != nil {
		return err
	}
	if v.AccessKeyID == "" {
		u := *c.EndpointURL()
		if u.Path = "/" + o.bucket + "/" + o.key; strings.HasSuffix(u.Host, "amazonaws.com") &&
			!strings.Contains(o.bucket, ".") {
			u.Host, u.Path = o.bucket+"."+u.Host, "/"+o.key // this host is valid in all regions
		}
		u.RawPath = s3utils.EncodePath(u.Path)
		l.Terms = u.String()
		return nil
	}
	l.Until = time.Now().Add(d)
	if !v.Expiration.IsZero() && v.Expiration.Before(l.Until) {
		l.Until = v.Expiration
	}
	return c.again(ctx, func() error { // this may request the bucket's region
		u, err := c.PresignedGetObject(ctx, o.bucket, o.key, d, nil)
		if err == nil {
			l.Terms, l.Secret = u.String(), true
		}
		return err
	})
}
