// Package s3 is the file system of s3:// and s3a:// URLs: s3://BUCKET/KEY. (s3a is Hadoop's name for the same.) A
// program that imports it reads and writes Amazon's S3, or a server with the same protocol, through package storage.
//
// Credentials come from the environment variables and files of the AWS tools, in this order: AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; the profile AWS_PROFILE in ~/.aws/credentials and ~/.aws/config (static
// keys, SSO, credential_process); a web identity (AWS_WEB_IDENTITY_TOKEN_FILE); the role of the container or the
// machine. AWS_REGION, AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, and AWS_CA_BUNDLE are obeyed, too. With an endpoint,
// requests go to http(s)://ENDPOINT/BUCKET/KEY.
package s3

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"github.com/dl4go/dl4go/storage"
)

func init() {
	f := fromEnvironment()
	storage.Register("s3", f)
	storage.Register("s3a", f)
}

// object is the bucket and key of a URL.
type object struct {
	url, bucket, key string
}

func parse(url string) (object, error) {
	_, rest, _ := strings.Cut(url, "://")
	bucket, key, _ := strings.Cut(rest, "/")
	if bucket == "" {
		return object{}, fmt.Errorf("%s has no bucket: it should be s3://BUCKET/KEY", url)
	}
	if err := s3utils.CheckValidBucketName(bucket); err != nil {
		return object{}, fmt.Errorf("%s: %q is not the name of a bucket: %w", url, bucket, err)
	}
	if key != "" {
		if err := s3utils.CheckValidObjectName(key); err != nil {
			return object{}, fmt.Errorf("%q: the part behind the bucket is not the name of an object: %w", url, err)
		}
	}
	return object{url, bucket, key}, nil
}

// file is parse for the URL of a file.
func file(url string) (object, error) {
	o, err := parse(url)
	if err == nil && (o.key == "" || strings.HasSuffix(o.key, "/")) {
		err = &fs.PathError{Op: "open", Path: url, Err: errors.New("is a directory, not a file")}
	}
	return o, err
}

// reach returns file's object, and the client for it.
func (f *FileSystem) reach(url string) (object, *client, error) {
	o, err := file(url)
	if err != nil {
		return o, nil, err
	}
	c, err := f.connect()
	return o, c, err
}

// CheckWritable begins an upload in parts and aborts it, which needs the same permission as Put.
func (f *FileSystem) CheckWritable(ctx context.Context, url string) error {
	o, c, err := f.reach(url)
	if err != nil {
		return err
	}
	id, err := c.begin(ctx, o)
	if err == nil {
		err = c.again(ctx, func() error {
			return gaveUp(minio.Core{Client: c.Client}.AbortMultipartUpload(ctx, o.bucket, o.key, id))
		})
	}
	return c.explain("write", o, err)
}

// List returns the objects whose keys have one more part than the directory.
func (f *FileSystem) List(ctx context.Context, dir string) ([]storage.Entry, error) {
	files, _, err := f.list(ctx, dir)
	return files, err
}

// Directories returns the common prefixes of longer keys.
func (f *FileSystem) Directories(ctx context.Context, dir string) ([]string, error) {
	_, dirs, err := f.list(ctx, dir)
	return dirs, err
}

func (f *FileSystem) list(ctx context.Context, dir string) (files []storage.Entry, dirs []string, err error) {
	o, err := parse(dir)
	if err != nil {
		return nil, nil, err
	}
	c, err := f.connect()
	if err != nil {
		return nil, nil, err
	}
	prefix := strings.TrimRight(o.key, "/")
	if prefix != "" {
		prefix += "/"
	}
	root := dir[:strings.Index(dir, "://")] + "://" + o.bucket + "/"
	there := prefix == ""
	for x, err := range c.below(ctx, o.bucket, prefix) {
		if err != nil {
			return nil, nil, c.explain("list", o, err)
		}
		there = true
		if inner, is := strings.CutSuffix(x.Key, "/"); !is {
			files = append(files, storage.Entry{URL: root + x.Key, Size: x.Size})
		} else if x.Key != prefix {
			dirs = append(dirs, root+inner)
		}
	}
	if !there {
		return nil, nil, &fs.PathError{Op: "list", Path: dir, Err: fs.ErrNotExist}
	}
	slices.SortFunc(files, func(a, b storage.Entry) int { return strings.Compare(a.URL, b.URL) })
	return files, dirs, nil
}

// below lists what is directly below a prefix: objects, and common prefixes of longer keys. If a request fails
// temporarily, the listing continues after the pages that were already listed.
func (c *client) below(ctx context.Context, bucket, prefix string) iter.Seq2[minio.ObjectInfo, error] {
	return func(yield func(minio.ObjectInfo, error) bool) {
		for given, done := "", false; !done; {
			err := c.again(ctx, func() error {
				after := given
				for x := range c.ListObjectsIter(ctx, bucket, minio.ListObjectsOptions{Prefix: prefix, StartAfter: after}) {
					switch {
					case x.Err != nil && given > after && passes(x.Err): // not the same request again
						return nil
					case x.Err != nil:
						return x.Err
					case x.Key <= after: // the common prefix of keys after it
					case !yield(x, nil):
						done = true
						return nil
					default:
						given = max(given, x.Key)
					}
				}
				done = ctx.Err() == nil
				return ctx.Err()
			})
			if err != nil {
				yield(minio.ObjectInfo{}, err)
				return
			}
		}
	}
}

// stat requests an object's metadata.
func (c *client) stat(ctx context.Context, o object) (info minio.ObjectInfo, err error) {
	err = c.again(ctx, func() (err error) {
		info, err = c.StatObject(ctx, o.bucket, o.key, minio.StatObjectOptions{})
		return err
	})
	return info, err
}

// Remove removes an object. S3 does not say whether the object existed, so that is checked first.
func (f *FileSystem) Remove(ctx context.Context, url string) error {
	o, c, err := f.reach(url)
	if err != nil {
		return err
	}
	if _, err := c.stat(ctx, o); minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return &fs.PathError{Op: "remove", Path: url, Err: fs.ErrNotExist}
	}
	return c.explain("remove", o, c.again(ctx, func() error {
		return c.RemoveObject(ctx, o.bucket, o.key, minio.RemoveObjectOptions{})
	}))
}
