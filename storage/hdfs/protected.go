package hdfs

import (
	"bufio"
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"slices"
	"strconv"

	"github.com/colinmarc/hdfs/v2"
	"google.golang.org/protobuf/encoding/protowire"
)

// dataNodes connects to data nodes. If the cluster protects its transfers, each connection begins with a handshake.
// This package performs it: the library's handshake requires that data nodes offer only one protection, and reads
// wrongly with integrity, 3DES and RC4.
type dataNodes struct {
	ctx         context.Context // of the connections; the library passes none
	protections []string        // the preferred one first; none if there is no handshake
	encrypts    *hdfs.Client
}

func (d *dataNodes) dial(_ context.Context, network, address string) (net.Conn, error) {
	c, err := dial(d.ctx, network, address, dataNodeLimit)
	if err != nil {
		return nil, err
	}
	if d.encrypts != nil {
		name, password := encryptionKey(d.encrypts)
		return &protected{Conn: c, protections: d.protections, name: name, password: password}, nil
	}
	_, port, _ := net.SplitHostPort(address)
	if n, err := strconv.Atoi(port); len(d.protections) == 0 || err == nil && n <= mostPrivileged {
		return c, nil // only root can listen there, which Hadoop accepts as proof
	}
	return &protected{Conn: c, protections: d.protections}, nil
}

const mostPrivileged = 1023

// encryptionKey returns the name and password for a cluster's encryption (dfs.encrypt.data.transfer). The library
// fetches them from the name node before it connects to a data node, but does not export them. If the name node has
// none, encryptionKey returns none, and the blocks' tokens are used.
func encryptionKey(c *hdfs.Client) (name string, password []byte) {
	key := reflect.ValueOf(c).Elem().FieldByName("encryptionKey")
	if !key.IsValid() || key.Kind() != reflect.Pointer || key.IsNil() {
		return "", nil
	}
	part := func(name string) reflect.Value { return reflect.Indirect(key.Elem().FieldByName(name)) }
	nonce := part("Nonce").Bytes()
	if len(nonce) == 0 {
		return "", nil
	}
	return fmt.Sprintf("%d %s %s", int32(part("KeyId").Uint()), part("BlockPoolId").String(),
			base64.StdEncoding.EncodeToString(nonce)),
		part("EncryptionKey").Bytes()
}

const (
	mostHandshake = 64 << 10
	mostSent      = 60 << 10 // in a message: with its code and number it must not exceed 64 KiB
	mostReceived  = 16 << 20
)

// protected is a connection to a data node. The handshake takes place when the library sends its first request. If
// there is no other name and password, they come from the block's token in that request.
type protected struct {
	net.Conn
	protections []string
	name        string
	password    []byte

	from *bufio.Reader
	in   io.Reader
	out  io.Writer
}

// RemoteAddr returns an address for which the library makes no handshake of its own.
func (p *protected) RemoteAddr() net.Addr { return &net.TCPAddr{Port: mostPrivileged} }

func (p *protected) Write(b []byte) (int, error) {
	if p.out == nil {
		name, password, err := p.name, p.password, error(nil)
		if name == "" {
			name, password, err = token(b)
		}
		if err == nil {
			err = p.handshake(name, base64.StdEncoding.EncodeToString(password))
		}
		if err != nil {
			p.Close()
			return 0, fmt.Errorf("the data node at %s: %w", p.Conn.RemoteAddr(), err)
		}
	}
	return p.out.Write(b)
}

func (p *protected) Read(b []byte) (int, error) {
	if p.in == nil {
		return 0, errors.New("nothing was asked of the data node yet")
	}
	return p.in.Read(b)
}

// handshake is that of Hadoop's SaslDataTransferClient.
func (p *protected) handshake(name, password string) error {
	p.from = bufio.NewReaderSize(p.Conn, 64<<10)
	d := &digest{user: name, password: password, uri: "hdfs/0"}
	if err := p.say([]byte{0xde, 0xad, 0xbe, 0xef}, nil, false); err != nil {
		return err
	}
	challenge, err := p.hear()
	if err != nil {
		return err
	}
	response, err := d.answer(string(challenge.payload), p.protections)
	if err != nil {
		return err
	}
	if err := p.say(nil, []byte(response), d.qop == qops["privacy"] && slices.Contains(ciphers, "aes")); err != nil {
		return err
	}
	proof, err := p.hear()
	if err == nil {
		err = d.check(string(proof.payload))
	}
	if err != nil {
		return err
	}
	if d.qop == qops["authentication"] {
		p.in, p.out = p.from, p.Conn
		return nil
	}
	send, receive, err := d.layers()
	if err != nil {
		return err
	}
	if proof.aes == nil {
		p.in, p.out = &unwrapper{from: p.from, layer: receive}, &wrapper{to: p.Conn, layer: send}
		return nil
	}
	return p.encrypt(proof.aes, receive)
}

// encrypt encrypts by AES with the keys that the data node has sent.
func (p *protected) encrypt(k *aesKeys, receive *layer) error {
	stream := func(key, iv []byte) (cipher.Stream, error) {
		key, err := receive.unwrap(key)
		if err != nil {
			return nil, err
		}
		block, err := aes.NewCipher(key)
		if err == nil && len(iv) != aes.BlockSize {
			err = fmt.Errorf("its initial vector has %d bytes", len(iv))
		}
		if err != nil {
			return nil, err
		}
		return cipher.NewCTR(block, iv), nil
	}
	sent, err := stream(k.toServer, k.toServerIV)
	if err != nil {
		return err
	}
	received, err := stream(k.toClient, k.toClientIV)
	if err != nil {
		return err
	}
	p.in, p.out = cipher.StreamReader{S: received, R: p.from}, cipher.StreamWriter{S: sent, W: p.Conn}
	return nil
}

// token finds the block's token in a request to a data node: a version, the operation and Hadoop's OpReadBlockProto or
// OpWriteBlockProto. Both have a header, with a base header that has the token.
func token(request []byte) (name string, password []byte, err error) {
	errNone := errors.New("the request to it has no token")
	if len(request) < 3 {
		return "", nil, errNone
	}
	message, n := protowire.ConsumeBytes(request[3:])
	if n < 0 {
		return "", nil, errNone
	}
	for _, field := range []protowire.Number{1, 1, 2} {
		if message = fields(message)[field]; message == nil {
			return "", nil, errNone
		}
	}
	t := fields(message)
	return base64.StdEncoding.EncodeToString(t[1]), t[2], nil
}

// fields returns the last value of each field of text, bytes or a message.
func fields(message []byte) map[protowire.Number][]byte {
	all := map[protowire.Number][]byte{}
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil
		}
		message = message[n:]
		if kind == protowire.BytesType {
			all[number], n = protowire.ConsumeBytes(message)
		} else {
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			return nil
		}
		message = message[n:]
	}
	return all
}

// say sends a message of the handshake, Hadoop's DataTransferEncryptorMessageProto.
func (p *protected) say(before, payload []byte, aes bool) error {
	m := []byte{1 << 3, 0} // success
	m = protowire.AppendBytes(protowire.AppendTag(m, 2, protowire.BytesType), payload)
	if aes { // we support AES
		m = protowire.AppendBytes(protowire.AppendTag(m, 4, protowire.BytesType), []byte{1 << 3, 2})
	}
	_, err := p.Conn.Write(slices.Concat(before, binary.AppendUvarint(nil, uint64(len(m))), m))
	return err
}

// heard is a received message of the handshake.
type heard struct {
	payload []byte
	aes     *aesKeys
}

type aesKeys struct{ toServer, toServerIV, toClient, toClientIV []byte }

func (p *protected) hear() (heard, error) {
	size, err := binary.ReadUvarint(p.from)
	if err != nil {
		return heard{}, ended(err)
	}
	if size > mostHandshake {
		return heard{}, errors.New("what it says is not a handshake")
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(p.from, b); err != nil {
		return heard{}, ended(err)
	}
	m := fields(b)
	if len(b) < 2 || b[0] != 1<<3 || b[1] != 0 { // not a success
		return heard{}, fmt.Errorf("it refuses: %q", m[3])
	}
	h := heard{payload: m[2]}
	if option := m[4]; option != nil {
		o := fields(option)
		h.aes = &aesKeys{o[2], o[3], o[4], o[5]}
	}
	return h, nil
}

func ended(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("it ends the handshake: dfs.data.transfer.protection of the configuration here may not be that " +
			"of the cluster")
	}
	return err
}

// wrapper sends messages, each preceded by its length.
type wrapper struct {
	to    io.Writer
	layer *layer
	buf   []byte
}

func (w *wrapper) Write(b []byte) (n int, err error) {
	for len(b) > 0 {
		part := b[:min(len(b), mostSent)]
		w.buf = w.layer.wrap(append(w.buf[:0], 0, 0, 0, 0), part)
		binary.BigEndian.PutUint32(w.buf, uint32(len(w.buf)-4))
		if _, err := w.to.Write(w.buf); err != nil {
			return n, err
		}
		n, b = n+len(part), b[len(part):]
	}
	return n, nil
}

// unwrapper reads such messages.
type unwrapper struct {
	from  io.Reader
	layer *layer
	buf   bytes.Buffer
	left  []byte // of the last message
}

func (u *unwrapper) Read(b []byte) (int, error) {
	for len(u.left) == 0 {
		var size [4]byte
		if _, err := io.ReadFull(u.from, size[:]); err != nil {
			return 0, err
		}
		n := binary.BigEndian.Uint32(size[:])
		if n > mostReceived {
			return 0, errForged
		}
		u.buf.Reset()
		if _, err := io.CopyN(&u.buf, u.from, int64(n)); err != nil {
			return 0, err
		}
		var err error
		if u.left, err = u.layer.unwrap(u.buf.Bytes()); err != nil {
			return 0, err
		}
	}
	n := copy(b, u.left)
	u.left = u.left[n:]
	return n, nil
}
