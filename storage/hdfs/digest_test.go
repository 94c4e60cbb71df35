package hdfs

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"reflect"
	"strings"
	"testing"

	"github.com/colinmarc/hdfs/v2"
)

// TestDigest: the example of RFC 2831.
func TestDigest(t *testing.T) {
	d := &digest{user: "chris", password: "secret", uri: "imap/elwood.innosoft.com"}
	const challenge = `realm="elwood.innosoft.com",nonce="OA6MG9tEQGm2hh",qop="auth",algorithm=md5-sess,charset=utf-8`
	if _, err := d.answer(challenge, []string{"privacy", "authentication"}); err != nil {
		t.Fatal(err)
	}
	d.cnonce = "OA6MHXh6VqTrRk"
	if got := d.proof("AUTHENTICATE:"); got != "d388dad90d4bbd760a152321f2143af7" {
		t.Errorf("the response is %s", got)
	}
	if err := d.check("rspauth=ea40f60335c427b5527b84dbabcdfffd"); err != nil {
		t.Error(err)
	}
	if err := d.check("rspauth=ea40f60335c427b5527b84dbabcdfffe"); err == nil {
		t.Error("another proof is taken")
	}
	for challenge, want := range map[string]string{
		"":                               "is none",
		`nonce="`:                        "is none",
		`nonce="x",qop="auth"`:           "offers the protection authentication, and dfs.data.transfer.protection of the configuration here is integrity,privacy",
		`nonce="x",qop="auth-conf"`:      "encrypts by",
		`nonce="x",qop="auth-conf,=",,=`: "encrypts by",
	} {
		if _, err := (&digest{}).answer(challenge, []string{"integrity", "privacy"}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", challenge, err)
		}
	}
}

// TestLayers: a wrapped message is unwrapped; a message that was changed, repeated or cut off is refused.
func TestLayers(t *testing.T) {
	for _, cipher := range []string{"", "rc4", "3des"} {
		d := &digest{user: "user", password: "secret", nonce: "nonce", cnonce: "cnonce", qop: "auth-int", cipher: cipher}
		layer := func(send bool) *layer {
			l, err := d.layer("client-to-server", send)
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		send, receive := layer(true), layer(false)
		for i, size := range []int{0, 1, 7, 8, 9, 1000, mostSent} {
			b := random(uint64(i), size)
			wrapped := send.wrap(nil, b)
			if cipher != "" && size > 8 && bytes.Contains(wrapped, b) {
				t.Errorf("%s: %d bytes can be read on their way", cipher, size)
			}
			if got, err := receive.unwrap(bytes.Clone(wrapped)); err != nil || !bytes.Equal(got, b) {
				t.Errorf("%s: %d bytes are others, %v", cipher, size, err)
			}
			if _, err := receive.unwrap(wrapped); !errors.Is(err, errForged) {
				t.Errorf("%s: a message is taken twice", cipher)
			}
			receive = layer(false)
			receive.number = send.number
			send = layer(true)
			send.number = receive.number
		}
		for at := range 40 {
			b := layer(true).wrap(nil, random(1, 24))
			if at < len(b) {
				if _, err := layer(false).unwrap(b[:at]); !errors.Is(err, errForged) {
					t.Errorf("%s: %d bytes of a message are taken", cipher, at)
				}
				b[at] ^= 1
				if _, err := layer(false).unwrap(b); !errors.Is(err, errForged) {
					t.Errorf("%s: a message is taken with another byte %d", cipher, at)
				}
			}
		}
	}
}

// TestWrongDataNodes: a server that does not respond like a data node is detected, without a panic or a large
// allocation.
func TestWrongDataNodes(t *testing.T) {
	request := []byte("\x00\x1c\x51\x0a\x0a\x08\x0a\x06\x12\x04\x0a\x02id") // with a token in it
	for answer, want := range map[string]string{
		"":                           "it ends the handshake",
		"HTTP/1.1 400 Bad Request":   "it ends the handshake",
		"\xff\xff\xff\xff\xff\xff":   "it ends the handshake",
		"\xff\xff\xff\xff\xff\x01":   "not a handshake",
		"\x00":                       "it refuses",
		"\x0a\x08\x02\x1a\x06sorry.": `it refuses: "sorry."`,
		"\x02\x08\x00":               "is none",
		"\x05\x08\x00\x12\x7f\xff":   "is none",
	} {
		ours, theirs := net.Pipe()
		go func() {
			go io.Copy(io.Discard, theirs)
			io.WriteString(theirs, answer)
			theirs.Close()
		}()
		p := &protected{Conn: ours, protections: []string{"privacy"}}
		if _, err := p.Write(request); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, wanted %q", answer, err, want)
		}
	}
	for _, request := range []string{"", "\x00\x1c\x51", "\x00\x1c\x51\xff\xff", "\x00\x1c\x51\x02\x0a\x7f",
		"\x00\x1c\x51\x00"} {
		p := &protected{Conn: listenerConn(t)}
		if _, err := p.Write([]byte(request)); err == nil || !strings.Contains(err.Error(), "no token") {
			t.Errorf("the request %q: %v", request, err)
		}
	}
}

func listenerConn(t *testing.T) net.Conn {
	ours, theirs := net.Pipe()
	t.Cleanup(func() { theirs.Close() })
	return ours
}

// TestLibraryKeepsTheKey: the library has the fields that encryptionKey reads.
func TestLibraryKeepsTheKey(t *testing.T) {
	key, ok := reflect.TypeFor[hdfs.Client]().FieldByName("encryptionKey")
	if !ok || key.Type.Kind() != reflect.Pointer {
		t.Fatal("hdfs.Client has no encryptionKey")
	}
	for name, kind := range map[string]reflect.Type{
		"KeyId": reflect.TypeFor[*uint32](), "BlockPoolId": reflect.TypeFor[*string](), "Nonce": reflect.TypeFor[[]byte](),
		"EncryptionKey": reflect.TypeFor[[]byte](),
	} {
		if f, ok := key.Type.Elem().FieldByName(name); !ok || f.Type != kind {
			t.Errorf("its %s is %v", name, f.Type)
		}
	}
	if name, _ := encryptionKey(&hdfs.Client{}); name != "" {
		t.Errorf("without a key there is the name %s", name)
	}
}

// random returns the same bytes for the same seed.
func random(seed uint64, size int) []byte {
	b := make([]byte, size)
	rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}).Read(b)
	return b
}
