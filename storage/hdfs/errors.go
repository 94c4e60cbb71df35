package hdfs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"github.com/colinmarc/hdfs/v2"
)

// explained is an error with our own text.
type explained struct {
	text  string
	cause error
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.cause }

// own is an error of this package, neither a response of the name node nor a failure of the connection.
type own struct{ error }

func (e own) Unwrap() error { return e.error }

// connectionLost reports whether the error is due to the connection, and not a name node's response.
func connectionLost(err error) bool {
	var remote hdfs.Error
	if _, ours := errors.AsType[own](err); ours || err == nil || errors.As(err, &remote) {
		return false
	}
	for _, answer := range []error{fs.ErrNotExist, fs.ErrExist, fs.ErrPermission, fs.ErrInvalid, syscall.ENOTEMPTY,
		hdfs.ErrReplicating} {
		if errors.Is(err, answer) {
			return false
		}
	}
	return true
}

// error turns the library's error into one that names the URL. The client is nil if there is none.
func (p place) error(op string, c *client, err error) error {
	if err == nil {
		return nil
	}
	err = explain(bare(err))
	if c != nil && errors.Is(err, fs.ErrPermission) {
		at := p.path
		if op == "create" || op == "remove" {
			at = path.Dir(at) // the owner of this directory decides
		}
		err = p.denied(c, at, err)
	}
	return &fs.PathError{Op: op, Path: p.url, Err: err}
}

// bare returns the library's error without the path, which the URL contains.
func bare(err error) error {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err
	}
	return err
}

// denied tells who owns the nearest visible file or directory. A file in place of a directory is also reported as
// denied.
func (p place) denied(c *client, at string, err error) error {
	for ; ; at = path.Dir(at) {
		if st, e := c.Stat(at); e == nil {
			if at != p.path && !st.IsDir() {
				return own{errors.New(at + " is a file, not a directory")}
			}
			i := st.(*hdfs.FileInfo)
			who := "HADOOP_USER_NAME sets the user"
			if c.login != nil {
				who = "the user is that of the Kerberos ticket"
			}
			return &explained{fmt.Sprintf("the user %s may not: %s is of %s, group %s, mode %04o (%s)",
				c.User(), at, i.Owner(), i.OwnerGroup(), i.Mode().Perm(), who), err}
		}
		if at == "/" {
			return &explained{"the user " + c.User() + " may not", err}
		}
	}
}

// explain returns a name node's response as one line.
func explain(err error) error {
	if errors.Is(err, hdfs.ErrReplicating) {
		line := fmt.Sprintf("no data node has reported the file's last block for %v: are the data nodes up, and do they "+
			"reach the name node?", completeLimit)
		return &explained{line, err}
	}
	var remote hdfs.Error
	if _, done := errors.AsType[*explained](err); done || !errors.As(err, &remote) {
		return err
	}
	line, _, _ := strings.Cut(remote.Message(), "\n")
	class := remote.Exception()
	if inner, rest, ok := strings.Cut(line, ": "); ok && strings.HasSuffix(inner, "Exception") &&
		!strings.Contains(inner, " ") {
		class, line = inner, rest // the exception inside a RetriableException
	}
	switch class = class[strings.LastIndexAny(class, ".$")+1:]; class {
	case "AccessControlException":
		return &explained{line, fs.ErrPermission}
	case "FileNotFoundException":
		return &explained{line, fs.ErrNotExist}
	case "SafeModeException":
		line = "the name node is in safe mode, in which nothing can be written: wait until it has left it, or have it " +
			"leave with hdfs dfsadmin -safemode leave"
	case "DSQuotaExceededException", "QuotaByStorageTypeExceededException":
		line = "the directory's space quota is used up (" + line +
			"): remove something, or have the quota raised with hdfs dfsadmin -setSpaceQuota"
	case "NSQuotaExceededException":
		line = "the directory's quota of names is used up (" + line +
			"): remove something, or have the quota raised with hdfs dfsadmin -setQuota"
	case "ParentNotDirectoryException":
		line = "what is to be its directory is a file: " + line
	case "IOException":
		if strings.Contains(line, "could only be") {
			line = "no data node takes it (" + line + "): are there data nodes that run, and have they room?"
		}
	case "StandbyException":
		line = "the name node is on standby: if it has a partner, give the name service in the URL"
	default:
		line = class + ": " + line
	}
	return &explained{line, err}
}
