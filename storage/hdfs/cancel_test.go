package hdfs

import (
	"net"
	"testing"

	"github.com/dl4go/dl4go/internal/storagetest"
)

// TestCancelled: a request that a name node does not answer ends with its context.
func TestCancelled(t *testing.T) {
	t.Setenv("HADOOP_CONF_DIR", "")
	t.Setenv("HADOOP_HOME", "")
	t.Setenv("HADOOP_USER_NAME", "alice")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	asked := make(chan struct{}, 1000)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			go func() {
				if _, err := c.Read(make([]byte, 1)); err == nil {
					asked <- struct{}{}
				}
			}()
		}
	}()
	storagetest.Cancelled(t, "hdfs://"+l.Addr().String()+"/directory", asked)
}
