package hdfs

import (
	"crypto/cipher"
	"crypto/des"
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"crypto/rc4"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// qops are DIGEST-MD5's names of the protections of data transfers.
var qops = map[string]string{"authentication": "auth", "integrity": "auth-int", "privacy": "auth-conf"}

// ciphers are those by which a data node may encrypt, in order of preference. AES is not part of DIGEST-MD5: Hadoop
// adds it.
var ciphers = []string{"aes", "rc4", "3des"}

// digest is the client's side of SASL's DIGEST-MD5 (RFC 2831) with a data node.
type digest struct {
	user, password, uri  string
	realm, nonce, cnonce string
	qop, cipher          string
}

// directives splits a challenge.
func directives(challenge string) map[string]string {
	all := map[string]string{}
	for rest := challenge; rest != ""; {
		name, value, ok := strings.Cut(strings.TrimLeft(rest, ", "), "=")
		if !ok {
			break
		}
		if after, quoted := strings.CutPrefix(value, `"`); quoted {
			value, rest, _ = strings.Cut(after, `"`)
		} else {
			value, rest, _ = strings.Cut(value, ",")
		}
		all[name] = strings.TrimSpace(value)
	}
	return all
}

// answer returns the response to the challenge. It uses the first of the protections that the challenge offers.
func (d *digest) answer(challenge string, protections []string) (string, error) {
	said := directives(challenge)
	d.realm, d.nonce = said["realm"], said["nonce"]
	if d.nonce == "" {
		return "", errors.New("the data node's challenge is none")
	}
	offered := split(said["qop"])
	for _, p := range protections {
		if slices.Contains(offered, qops[p]) {
			d.qop = qops[p]
			break
		}
	}
	if d.qop == "" {
		return "",
			fmt.Errorf("the data node offers the protection %s, and dfs.data.transfer.protection of the configuration here "+
				"is %s: make it that of the cluster", theirs(offered), strings.Join(protections, ","))
	}
	var random [18]byte
	rand.Read(random[:])
	d.cnonce = base64.StdEncoding.EncodeToString(random[:])
	response := fmt.Sprintf(`charset=utf-8,username="%s",realm="%s",nonce="%s",nc=00000001,cnonce="%s",digest-uri="%s",response=%s,qop=%s`,
		d.user, d.realm, d.nonce, d.cnonce, d.uri, d.proof("AUTHENTICATE:"), d.qop)
	if d.qop == qops["privacy"] {
		for _, c := range ciphers {
			if d.cipher == "" && slices.Contains(split(said["cipher"]), c) {
				d.cipher = c
			}
		}
		if d.cipher == "" {
			return "", fmt.Errorf("the data node encrypts by %s: wanted is one of %s", said["cipher"],
				strings.Join(ciphers, ", "))
		}
		response += ",cipher=" + d.cipher
	}
	return response, nil
}

// theirs returns Hadoop's names of the protections.
func theirs(offered []string) string {
	var all []string
	for p, q := range qops {
		if slices.Contains(offered, q) {
			all = append(all, p)
		}
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}

// check checks the proof that the data node also knows the password.
func (d *digest) check(proof string) error {
	if subtle.ConstantTimeCompare([]byte(directives(proof)["rspauth"]), []byte(d.proof(":"))) != 1 {
		return errors.New("the data node's proof of who it is is wrong")
	}
	return nil
}

// session returns H(A1) of the RFC.
func (d *digest) session() [md5.Size]byte {
	secret := md5.Sum([]byte(d.user + ":" + d.realm + ":" + d.password))
	return md5.Sum([]byte(string(secret[:]) + ":" + d.nonce + ":" + d.cnonce))
}

func (d *digest) proof(method string) string {
	a2 := method + d.uri
	if d.qop != qops["authentication"] {
		a2 += ":" + strings.Repeat("0", 32)
	}
	key, end := d.session(), md5.Sum([]byte(a2))
	sum := md5.Sum([]byte(strings.Join([]string{hex.EncodeToString(key[:]), d.nonce, "00000001", d.cnonce, d.qop,
		hex.EncodeToString(end[:])}, ":")))
	return hex.EncodeToString(sum[:])
}

// layer protects the messages of one direction: each has a number and a code of ten bytes, and is encrypted if that is
// wanted.
type layer struct {
	key    [md5.Size]byte
	number uint32
	stream cipher.Stream    // rc4
	blocks cipher.BlockMode // 3des
}

// layers returns the layers for sending and for receiving.
func (d *digest) layers() (send, receive *layer, err error) {
	if send, err = d.layer("client-to-server", true); err == nil {
		receive, err = d.layer("server-to-client", false)
	}
	return send, receive, err
}

func (d *digest) layer(direction string, send bool) (*layer, error) {
	session := d.session()
	derive := func(magic string) [md5.Size]byte { return md5.Sum(append(session[:], magic...)) }
	l := &layer{key: derive("Digest session key to " + direction + " signing key magic constant")}
	seal := derive("Digest H(A1) to " + direction + " sealing key magic constant")
	var err error
	switch d.cipher {
	case "rc4":
		l.stream, err = rc4.NewCipher(seal[:])
	case "3des": // with two keys
		var block cipher.Block
		one, two := desKey(seal[:7]), desKey(seal[7:14])
		if block, err = des.NewTripleDESCipher(slices.Concat(one, two, one)); err != nil {
			break
		}
		if send {
			l.blocks = cipher.NewCBCEncrypter(block, seal[8:])
		} else {
			l.blocks = cipher.NewCBCDecrypter(block, seal[8:])
		}
	}
	return l, err
}

// desKey spreads 56 bits over 8 bytes; the last bit of each byte is for parity.
func desKey(b []byte) []byte {
	var bits uint64
	for _, x := range b {
		bits = bits<<8 | uint64(x)
	}
	key := make([]byte, 8)
	for i := range key {
		key[i] = byte(bits>>(49-7*i)) << 1
	}
	return key
}

const (
	codeSize = 10
	tailSize = 6 // the kind of message, which is 1, and its number
)

func (l *layer) code(message []byte) []byte {
	h := hmac.New(md5.New, l.key[:])
	h.Write(binary.BigEndian.AppendUint32(nil, l.number))
	h.Write(message)
	return h.Sum(nil)[:codeSize]
}

func (l *layer) tail() []byte {
	return binary.BigEndian.AppendUint32([]byte{0, 1}, l.number)
}

// wrap appends the protected message to b.
func (l *layer) wrap(b, message []byte) []byte {
	start := len(b)
	b = append(b, message...)
	if l.blocks != nil {
		pad := l.blocks.BlockSize() - (len(message)+codeSize)%l.blocks.BlockSize()
		for range pad {
			b = append(b, byte(pad))
		}
	}
	b = append(b, l.code(message)...)
	switch sealed := b[start:]; {
	case l.stream != nil:
		l.stream.XORKeyStream(sealed, sealed)
	case l.blocks != nil:
		l.blocks.CryptBlocks(sealed, sealed)
	}
	b = append(b, l.tail()...)
	l.number++
	return b
}

var errForged = errors.New("what the data node sends was changed on its way, or is out of order")

// unwrap returns the message, which is a part of b.
func (l *layer) unwrap(b []byte) ([]byte, error) {
	at := len(b) - tailSize
	if at < codeSize || l.blocks != nil && at%l.blocks.BlockSize() != 0 ||
		subtle.ConstantTimeCompare(b[at:], l.tail()) != 1 {
		return nil, errForged
	}
	b = b[:at]
	switch {
	case l.stream != nil:
		l.stream.XORKeyStream(b, b)
	case l.blocks != nil:
		l.blocks.CryptBlocks(b, b)
	}
	message, code := b[:at-codeSize], b[at-codeSize:]
	if l.blocks != nil {
		pad := 0
		if len(message) > 0 {
			pad = int(message[len(message)-1])
		}
		if pad == 0 || pad > min(len(message), l.blocks.BlockSize()) {
			return nil, errForged
		}
		message = message[:len(message)-pad]
	}
	if !hmac.Equal(code, l.code(message)) {
		return nil, errForged
	}
	l.number++
	return message, nil
}
