package worker

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/storage"
)

// SealBytes is the length of a key.
const SealBytes = 32

// sealMark begins a reference that is a sealed loan.
const sealMark = "loan "

// SealLoan makes a reference from a loan that only holders of the key can read. References are rows, and any system
// that moves rows may show and keep them.
func SealLoan(key []byte, l storage.Loan) ([]byte, error) {
	b, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	sealed, err := Seal(key, b)
	return append([]byte(sealMark), sealed...), err
}

func openLoan(key, sealed []byte) (l storage.Loan, _ error) {
	b, err := Unseal(key, sealed)
	if err != nil {
		return l, engine.Permanent(fmt.Errorf("a file's loan: %w", err))
	}
	return l, json.Unmarshal(b, &l)
}

// Seal encrypts a secret for transport where others may read it.
func Seal(key, secret []byte) ([]byte, error) {
	a, err := aead(key)
	if err != nil {
		return nil, err
	}
	return a.Seal(nil, nil, secret, nil), nil
}

// Unseal decrypts a secret that was sealed with the same key.
func Unseal(key, sealed []byte) ([]byte, error) {
	a, err := aead(key)
	if err != nil {
		return nil, err
	}
	b, err := a.Open(nil, nil, sealed, nil)
	if err != nil {
		return nil, errors.New("it is sealed with another key")
	}
	return b, nil
}

func aead(key []byte) (cipher.AEAD, error) {
	b, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("the key of a seal: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(b)
}
