package s3

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
)

// How large objects go: in parts, a few at once. A part is larger where there would be too many.
const (
	partSize = 16 << 20
	maxParts = 10_000
	atOnce   = 4
)

// Put stores an object in one request; where it is large in parts, of which nothing is seen until the last is there.
func (fileSystem) Put(url string, content io.Reader, size int64) error {
	o, c, err := reach(url)
	if err != nil {
		return err
	}
	u := &upload{client: c, object: o, size: size, part: max(partSize, (size+maxParts-1)/maxParts)}
	whole := func(body io.Reader) error {
		_, err := c.PutObject(context.Background(), o.bucket, o.key, body, size, minio.PutObjectOptions{ContentType: contentType, DisableMultipart: true})
		return err
	}
	at, again := content.(io.ReaderAt)
	u.at = at
	switch {
	case !again: // what can't be read twice is sent once
		err = whole(struct{ io.Reader }{io.LimitReader(content, size)})
	case size <= u.part:
		err = u.send(context.Background(), 0, size, whole)
	default:
		err = u.parts()
	}
	return c.explain("write", o, err)
}

// PutNew stores an object under the condition that there is none (If-None-Match). A server that doesn't heed it is found out by
// asking twice.
func (fileSystem) PutNew(url string, content []byte) error {
	o, c, err := reach(url)
	if err != nil {
		return err
	}
	options := minio.PutObjectOptions{ContentType: contentType, DisableMultipart: true}
	options.SetMatchETagExcept("*")
	u := &upload{client: c, object: o, at: bytes.NewReader(content)}
	put := func() error {
		return u.send(context.Background(), 0, int64(len(content)), func(body io.Reader) error {
			_, err := c.PutObject(context.Background(), o.bucket, o.key, body, int64(len(content)), options)
			return err
		})
	}
	if err = put(); err == nil {
		if err = put(); err == nil {
			return &failure{url, c.endpoint + " stores objects without heeding conditions (If-None-Match), by which runs are kept apart: " +
				"use another server, or another version of it", errors.ErrUnsupported}
		} else if minio.ToErrorResponse(err).Code == minio.PreconditionFailed {
			return nil
		}
	}
	if minio.ToErrorResponse(err).Code == minio.PreconditionFailed {
		return &fs.PathError{Op: "create", Path: url, Err: fs.ErrExist}
	}
	return c.explain("write", o, err)
}

// Sweep gives up uploads of parts that have not ended. Who may not see them leaves them to the bucket's lifecycle rule.
func (fileSystem) Sweep(dir, prefix string) error {
	o, err := parse(dir)
	if err != nil {
		return err
	}
	c, err := connect()
	if err != nil {
		return err
	}
	core, key, id := minio.Core{Client: c.Client}, "", ""
	begin := strings.TrimLeft(strings.TrimRight(o.key, "/")+"/"+prefix, "/")
	for {
		page, err := core.ListMultipartUploads(context.Background(), o.bucket, begin, key, id, "/", 1000)
		for _, u := range page.Uploads {
			if err == nil && strings.HasPrefix(u.Key, begin) {
				err = core.AbortMultipartUpload(context.Background(), o.bucket, u.Key, u.UploadID)
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

const contentType = "application/octet-stream"

type upload struct {
	client     *client
	object     object
	at         io.ReaderAt
	size, part int64
}

// send has try send a range of the content, and again where it fails for a reason that passes. Each time the body is a reader of its
// own that can't be set back: an answer may come while the one before is still being read, and minio-go would set that one back.
func (u *upload) send(ctx context.Context, from, length int64, try func(body io.Reader) error) (err error) {
	wait := 200 * time.Millisecond
	for n := 1; ; n++ {
		if err = try(struct{ io.Reader }{io.NewSectionReader(u.at, from, length)}); err == nil || n == retries || !passes(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
			wait = min(2*wait, time.Second)
		}
	}
}

// passes says whether a request may succeed when it is made again.
func passes(err error) bool {
	var (
		answer    minio.ErrorResponse
		dns       *net.DNSError
		authority x509.UnknownAuthorityError
	)
	if errors.Is(err, context.Canceled) || errors.As(err, &dns) && dns.IsNotFound || errors.As(err, &authority) || noTLS(err) {
		return false
	}
	if !errors.As(err, &answer) || answer.StatusCode == 0 {
		return true // the connection
	}
	if full(answer) {
		return false
	}
	switch answer.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return answer.StatusCode >= 500 && answer.Code != minio.NotImplemented || answer.Code == "RequestTimeout" || answer.Code == "SlowDown" ||
		answer.Code == "ConditionalRequestConflict" // with another one that writes the object
}

// parts stores the object in parts, and gives them up where that fails.
func (u *upload) parts() error {
	o, core := u.object, minio.Core{Client: u.client.Client}
	id, err := core.NewMultipartUpload(context.Background(), o.bucket, o.key, minio.PutObjectOptions{ContentType: contentType})
	if err != nil {
		return err
	}
	done := make([]minio.CompletePart, (u.size+u.part-1)/u.part)
	ctx, fail := context.WithCancelCause(context.Background())
	defer fail(nil)
	next := make(chan int)
	go func() {
		defer close(next)
		for i := range done {
			select {
			case next <- i:
			case <-ctx.Done():
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
				err := u.send(ctx, from, length, func(body io.Reader) error {
					// Not broken off when another part fails: the server might keep it after the upload was given up.
					p, err := core.PutObjectPart(context.Background(), o.bucket, o.key, id, i+1, body, length, minio.PutObjectPartOptions{})
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
	if err = context.Cause(ctx); err == nil {
		_, err = core.CompleteMultipartUpload(ctx, o.bucket, o.key, id, done, minio.PutObjectOptions{ContentType: contentType})
	}
	if err != nil {
		u.giveUp(id)
	}
	return err
}

// giveUp has the server remove the parts. One that was under way may arrive after that, so it is asked until it knows of none.
func (u *upload) giveUp(id string) {
	core := minio.Core{Client: u.client.Client}
	wait := 100 * time.Millisecond
	for n := 1; ; n++ {
		err := core.AbortMultipartUpload(context.Background(), u.object.bucket, u.object.key, id)
		if n == retries || minio.ToErrorResponse(err).Code == minio.NoSuchUpload {
			return
		}
		time.Sleep(wait)
		wait *= 2
	}
}
