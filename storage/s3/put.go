package s3

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/dl4go/dl4go/internal/grace"
)

// Large objects are sent in parts, a few at once. Parts are larger if there would be too many.
const (
	partSize = 16 << 20
	maxParts = 10_000
	atOnce   = 4
)

// Put stores an object in one request. A large object is sent in parts, and becomes visible only with the last part.
func (f *FileSystem) Put(ctx context.Context, url string, content io.Reader, size int64) error {
	o, c, err := f.reach(url)
	if err != nil {
		return err
	}
	u := &upload{client: c, object: o, size: size, part: max(partSize, (size+maxParts-1)/maxParts)}
	whole := func(body io.Reader) error {
		_, err := c.PutObject(ctx, o.bucket, o.key, body, size,
			minio.PutObjectOptions{ContentType: contentType, DisableMultipart: true})
		return err
	}
	at, again := content.(io.ReaderAt)
	u.at = at
	switch {
	case !again: // content that can't be read twice is sent once
		err = whole(struct{ io.Reader }{io.LimitReader(content, size)})
	case size <= u.part:
		err = u.send(ctx, 0, size, whole)
	default:
		err = u.parts(ctx)
	}
	return c.explain("write", o, err)
}

// PutNew stores an object under the condition that there is none (If-None-Match). It detects a server that ignores the
// condition by a second request.
func (f *FileSystem) PutNew(ctx context.Context, url string, content []byte) error {
	o, c, err := f.reach(url)
	if err != nil {
		return err
	}
	options := minio.PutObjectOptions{ContentType: contentType, DisableMultipart: true}
	options.SetMatchETagExcept("*")
	u := &upload{client: c, object: o, at: bytes.NewReader(content)}
	tries := 0
	put := func() error {
		return u.send(ctx, 0, int64(len(content)), func(body io.Reader) error {
			tries++
			_, err := c.PutObject(ctx, o.bucket, o.key, body, int64(len(content)), options)
			return err
		})
	}
	if err = put(); err == nil {
		if err = put(); err == nil {
			return &failure{url, c.endpoint +
				" stores objects without heeding conditions (If-None-Match), by which runs are kept apart: " +
				"use another server, or another version of it", errors.ErrUnsupported}
		} else if minio.ToErrorResponse(err).Code == minio.PreconditionFailed {
			return nil
		}
	}
	if minio.ToErrorResponse(err).Code == minio.PreconditionFailed {
		if tries > 1 && c.holds(ctx, o, content) { // the response to the first request was lost
			return nil
		}
		return &fs.PathError{Op: "create", Path: url, Err: fs.ErrExist}
	}
	return c.explain("write", o, err)
}

// holds reports whether an object has this content.
func (c *client) holds(ctx context.Context, o object, content []byte) bool {
	f := &opened{ctx: ctx, client: c, object: o, size: -1}
	b, err := f.fetch(0, int64(len(content))+1)
	return err == nil && f.size == int64(len(content)) && bytes.Equal(b, content)
}

// Sweep aborts the uploads in parts that have not ended. Without permission to list them, it leaves them to the
// bucket's lifecycle rule.
func (f *FileSystem) Sweep(ctx context.Context, dir, prefix string) error {
	o, err := parse(dir)
	if err != nil {
		return err
	}
	c, err := f.connect()
	if err != nil {
		return err
	}
	core, key, id := minio.Core{Client: c.Client}, "", ""
	begin := strings.TrimLeft(strings.TrimRight(o.key, "/")+"/"+prefix, "/")
	for {
		var page minio.ListMultipartUploadsResult
		err := c.again(ctx, func() (err error) {
			page, err = core.ListMultipartUploads(ctx, o.bucket, begin, key, id, "/", 1000)
			return err
		})
		for _, u := range page.Uploads {
			if err == nil && strings.HasPrefix(u.Key, begin) {
				err = c.again(ctx, func() error {
					return gaveUp(core.AbortMultipartUpload(ctx, o.bucket, u.Key, u.UploadID))
				})
			}
		}
		err = c.explain("list the unfinished uploads of", o, err)
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !page.IsTruncated {
			return err
		}
		key, id = page.NextKeyMarker, page.NextUploadIDMarker
	}
}

// gaveUp returns nil if there is no such upload any more.
func gaveUp(err error) error {
	if minio.ToErrorResponse(err).Code == minio.NoSuchUpload {
		return nil
	}
	return err
}

const contentType = "application/octet-stream"

type upload struct {
	client     *client
	object     object
	at         io.ReaderAt
	size, part int64
}

// send sends a range of the content through try, and repeats it after a temporary failure. Each time the body is a new
// reader that can't be rewound: a response may come while the previous body is still being read, and minio-go would
// rewind it.
func (u *upload) send(ctx context.Context, from, length int64, try func(body io.Reader) error) error {
	return u.client.again(ctx, func() error {
		return try(struct{ io.Reader }{io.NewSectionReader(u.at, from, length)})
	})
}

// parts stores the object in parts, and aborts the upload if that fails.
func (u *upload) parts(ctx context.Context) error {
	o, core := u.object, minio.Core{Client: u.client.Client}
	id, err := u.client.begin(ctx, o)
	if err != nil {
		return err
	}
	done := make([]minio.CompletePart, (u.size+u.part-1)/u.part)
	rest, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	next := make(chan int)
	go func() {
		defer close(next)
		for i := range done {
			select {
			case next <- i:
			case <-rest.Done():
				return
			}
		}
	}()
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for i := range next {
				from := int64(i) * u.part
				length := min(u.part, u.size-from)
				err := u.send(rest, from, length, func(body io.Reader) error {
					// It uses the context of all parts: if this request ended because another part fails, the server
					// might keep the part after the upload was aborted.
					p, err := core.PutObjectPart(ctx, o.bucket, o.key, id, i+1, body, length, minio.PutObjectPartOptions{})
					done[i] = minio.CompletePart{PartNumber: i + 1, ETag: p.ETag}
					return err
				})
				if err != nil {
					fail(err)
					return
				}
			}
		})
	}
	all.Wait()
	if err = context.Cause(rest); err == nil {
		err = u.complete(ctx, id, done)
	}
	if err != nil {
		u.giveUp(ctx, id)
	}
	return err
}

// begin starts an upload in parts.
func (c *client) begin(ctx context.Context, o object) (id string, err error) {
	err = c.again(ctx, func() (err error) {
		id, err = minio.Core{Client: c.Client}.NewMultipartUpload(ctx, o.bucket, o.key,
			minio.PutObjectOptions{ContentType: contentType})
		return err
	})
	return id, err
}

// complete makes an object of its parts. If the response was lost, the next attempt finds no such upload. Then the
// object's ETag tells whether it consists of these parts.
func (u *upload) complete(ctx context.Context, id string, parts []minio.CompletePart) error {
	o, c, tries := u.object, u.client, 0
	return c.again(ctx, func() error {
		tries++
		_, err := minio.Core{Client: c.Client}.CompleteMultipartUpload(ctx, o.bucket, o.key, id, parts,
			minio.PutObjectOptions{ContentType: contentType})
		if tries > 1 && minio.ToErrorResponse(err).Code == minio.NoSuchUpload {
			info, failed := c.StatObject(ctx, o.bucket, o.key, minio.StatObjectOptions{})
			if passes(failed) {
				return failed
			}
			if failed == nil && info.Size == u.size && strings.Trim(info.ETag, `"`) == sumOf(parts) {
				return nil
			}
		}
		return err
	})
}

// sumOf returns the ETag that S3 assigns to an object of parts.
func sumOf(parts []minio.CompletePart) string {
	all := md5.New()
	for _, p := range parts {
		sum, _ := hex.DecodeString(strings.Trim(p.ETag, `"`))
		all.Write(sum)
	}
	return fmt.Sprintf("%x-%d", all.Sum(nil), len(parts))
}

// giveUpTime is how long the removal of parts may take after the context has ended.
const giveUpTime = 3 * time.Second

// giveUp makes the server remove the parts. A part in transit may arrive afterwards, so the request is repeated until
// the server knows no such upload.
func (u *upload) giveUp(ctx context.Context, id string) {
	ctx, cancel := grace.Extend(ctx, giveUpTime)
	defer cancel()
	core := minio.Core{Client: u.client.Client}
	wait := 100 * time.Millisecond
	for n := 1; ; n++ {
		err := core.AbortMultipartUpload(ctx, u.object.bucket, u.object.key, id)
		if n == retries || minio.ToErrorResponse(err).Code == minio.NoSuchUpload || u.client.pause(ctx, wait) != nil {
			return
		}
		wait *= 2
	}
}
