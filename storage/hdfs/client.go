package hdfs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/colinmarc/hdfs/v2"
	krb "github.com/jcmturner/gokrb5/v8/client"
)

const (
	idleLimit    = 30 * time.Second // after which an unused connection is closed
	ageLimit     = time.Hour        // after which a connection is not reused, because its tickets and keys get old
	standbyLimit = 10 * time.Second // for one of several name nodes to become active

	standbyInterval = 500 * time.Millisecond // between attempts
)

// key identifies a client.
type key struct {
	authority string
	options   Options
	lent      terms
	scope     <-chan struct{} // the end of a context
}

// client is a connection to a name node. It sends a sign of life every second, so it is closed when it is idle. The
// requests of one context share it, and it ends with the context: the library has no contexts, so a request is ended
// by closing its connections.
type client struct {
	*hdfs.Client
	key   key
	pool  *pool
	made  time.Time
	where string // the name nodes' addresses
	alone bool   // not shared: the library fetches the key of encrypted transfers without a lock
	login *krb.Client
	plain bool // the protection of data transfers is not configured

	users  int // guarded by pool's lock, like the fields below
	spent  bool
	closer *time.Timer
}

// slot holds the client of a key. Its lock is held while a client is made, which may take seconds.
type slot struct {
	making sync.Mutex
	client *client
	failed time.Time // when making a client failed; err is the reason
	err    error
}

// pool has the clients of a file system.
type pool struct {
	sync.Mutex
	slots map[key]*slot
}

func newPool() *pool { return &pool{slots: map[key]*slot{}} }

// acquire returns a client. The caller must release it.
func (pool *pool) acquire(ctx context.Context, k key) (*client, error) {
	k.scope = ctx.Done()
	pool.Lock()
	s := pool.slots[k]
	if s == nil {
		s = &slot{}
		pool.slots[k] = s
		context.AfterFunc(ctx, func() { pool.end(s, k) })
	}
	pool.Unlock()

	asked := time.Now()
	s.making.Lock()
	defer s.making.Unlock()
	if s.failed.After(asked) {
		return nil, s.err // failed while this call waited
	}
	pool.Lock()
	c := s.client
	if c != nil && (c.spent || time.Since(c.made) > ageLimit) {
		s.client = nil
		c.retire()
		c = nil
	}
	if c != nil {
		c.users++
		if c.closer != nil {
			c.closer.Stop()
		}
	}
	pool.Unlock()
	if c != nil {
		return c, nil
	}
	c, err := connect(ctx, k)
	if err != nil {
		s.failed, s.err = time.Now(), err
		return nil, err
	}
	c.users, c.pool = 1, pool
	if !c.alone {
		pool.Lock()
		s.client = c
		pool.Unlock()
	}
	return c, nil
}

// end drops the client of a context that has ended.
func (pool *pool) end(s *slot, k key) {
	s.making.Lock()
	defer s.making.Unlock()
	pool.Lock()
	defer pool.Unlock()
	delete(pool.slots, k)
	if s.client != nil {
		s.client.retire()
	}
}

// retire closes the client when its last user is gone. The caller holds pool's lock.
func (c *client) retire() {
	c.spent = true
	if c.users == 0 && c.Client != nil {
		if c.closer != nil {
			c.closer.Stop()
		}
		go closeBoth(c.Client, c.login) // it waits for a sign of life that may be in progress
		c.Client = nil
	}
}

func closeBoth(c *hdfs.Client, login *krb.Client) {
	c.Close()
	if login != nil {
		login.Destroy() // otherwise it renews its tickets
	}
}

// release ends a use of the client, and tells whether its connection is broken.
func (c *client) release(broken bool) {
	pool := c.pool
	pool.Lock()
	defer pool.Unlock()
	c.users--
	c.spent = c.spent || broken || c.alone
	switch {
	case c.users > 0:
	case c.spent:
		c.retire()
	default:
		c.closer = time.AfterFunc(idleLimit, func() {
			pool.Lock()
			defer pool.Unlock()
			if c.users == 0 {
				c.retire()
			}
		})
	}
}

// connect makes a client, and sends a request to test it.
func connect(ctx context.Context, k key) (*client, error) {
	var o hdfs.ClientOptions
	var protections []string
	err := whileSilent(ctx, func() (err error) {
		o, protections, err = k.connection()
		return err
	})
	if err != nil {
		return nil, err
	}
	if o.User == "" && o.KerberosClient == nil {
		return nil, errors.New("the system doesn't say who the user is: set HADOOP_USER_NAME")
	}
	nodes := &dataNodes{ctx: ctx, protections: protections}
	o.NamenodeDialFunc = func(_ context.Context, network, address string) (net.Conn, error) {
		return dialNameNode(ctx, network, address)
	}
	o.DatanodeDialFunc = nodes.dial
	c := &client{key: k, login: o.KerberosClient, where: strings.Join(o.Addresses, ", "), made: time.Now()}
	for until := time.Now().Add(standbyLimit); ; {
		var defaults hdfs.ServerDefaults
		err = whileSilent(ctx, func() (err error) {
			if c.Client, err = hdfs.NewClient(o); err != nil {
				return err
			}
			if defaults, err = c.ServerDefaults(); err != nil {
				c.Client.Close()
			}
			return err
		})
		if err == nil {
			c.plain = len(protections) == 0
			if c.alone = defaults.EncryptDataTransfer; c.alone {
				nodes.protections, nodes.encrypts = []string{"privacy"}, c.Client
			}
			return c, nil
		}
		if len(o.Addresses) == 1 || time.Now().After(until) || ctx.Err() != nil {
			if c.login != nil {
				c.login.Destroy()
			}
			return nil, unreachable(c.where, c.login != nil, err)
		}
		_ = pause(ctx, standbyInterval) // after the context's end, no connection can be made
	}
}

// connection returns the options of the loan, or else of the configuration.
func (k key) connection() (o hdfs.ClientOptions, protections []string, err error) {
	if k.lent != (terms{}) {
		return k.lent.options(), nil, nil
	}
	conf, err := k.options.configuration()
	if err != nil {
		return o, nil, err
	}
	authority := k.authority
	if authority == "" {
		if authority, err = conf.defaultAuthority(); err != nil {
			return o, nil, err
		}
	}
	return conf.options(authority, k.options)
}

// unreachable explains why there is no client.
func unreachable(where string, kerberos bool, err error) error {
	var remote hdfs.Error
	text := strings.TrimPrefix(err.Error(), "no available namenodes: ")
	switch {
	case strings.Contains(text, errNoNameNode.Error()):
		return fmt.Errorf("%s: %w", where, errNoNameNode)
	case strings.Contains(text, "StandbyException"):
		return fmt.Errorf("the name node at %s is on standby, none is active: if it has a partner, give the name service "+
			"in the URL", where)
	case !kerberos && strings.Contains(text, "unexpected sequence number"):
		return fmt.Errorf("the name node at %s refuses the user: it may want Kerberos, which "+
			"hadoop.security.authentication in the configuration of HADOOP_CONF_DIR says", where)
	case !kerberos && (strings.Contains(text, "broken pipe") || strings.Contains(text, "connection reset")):
		return fmt.Errorf("the name node at %s can't be reached: it ends the connection; if it wants Kerberos, set "+
			"hadoop.security.authentication in the configuration of HADOOP_CONF_DIR; else check that the port is its RPC "+
			"port, usually 8020", where)
	case kerberos && strings.Contains(text, "SASL handshake"):
		return fmt.Errorf("the name node at %s and Kerberos: %s", where,
			kerberosReason(strings.TrimPrefix(text, "SASL handshake: ")))
	case errors.As(err, &remote):
		return explain(err)
	}
	return fmt.Errorf("the name node at %s can't be reached: %s: does it run, and is the port that of its RPC, usually "+
		"8020?", where, text)
}

// try calls call with a client for the URL, and reports whether an error is due to the connection.
func (p place) try(op string, call func(*client) error) (lost bool, _ error) {
	if p.ctx.Err() != nil {
		return false, p.error(op, nil, p.ended(nil))
	}
	k := key{authority: p.authority, options: p.fs.now()}
	if p.lent != (terms{}) {
		k = key{lent: p.lent}
	}
	c, err := p.fs.pool.acquire(p.ctx, k)
	if err != nil {
		return false, p.error(op, nil, p.ended(err))
	}
	err = call(c)
	lost = connectionLost(err)
	if lost && p.ctx.Err() != nil {
		c.release(true)
		return false, p.error(op, nil, p.ended(err))
	}
	err = p.error(op, c, err)
	c.release(lost)
	return lost, err
}

// ended returns the context's error if the context has ended, because err is a consequence; otherwise it returns err.
func (p place) ended(err error) error {
	if p.ctx.Err() != nil {
		return own{context.Cause(p.ctx)}
	}
	return err
}

// do is try, repeated once on a new connection if the first one turns out to be lost.
func (p place) do(op string, call func(*client) error) error {
	lost, err := p.try(op, call)
	if lost {
		_, err = p.try(op, call)
	}
	return err
}

// hint returns advice about data nodes that break connections.
func (c *client) hint() string {
	if c.login != nil && c.plain && !c.alone {
		return " (" + dataProtection + " of the configuration here is not set: it should be that of the cluster)"
	}
	return ""
}

// hold adds a user, which must release the client.
func (c *client) hold() {
	c.pool.Lock()
	defer c.pool.Unlock()
	c.users++
}
