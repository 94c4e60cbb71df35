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

// sealMark is what a reference begins with that is a sealed loan.
const sealMark = "loan "

// SealLoan makes a reference of a loan that only who has the key can read. References are rows, which whatever moves them may show
// and keep.
func SealLoan(key []byte, l storage.Loan) ([]byte, error) {
	a, err := aead(key)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	return a.Seal([]byte(sealMark), nil, b, nil), nil
}

func openLoan(key, sealed []byte) (l storage.Loan, _ error) {
	a, err := aead(key)
	if err != nil {
		return l, err
	}
	b, err := a.Open(nil, nil, sealed, nil)
	if err != nil {
		return l, engine.Permanent(errors.New("a file's loan is sealed with another key"))
	}
	return l, json.Unmarshal(b, &l)
}

func aead(key []byte) (cipher.AEAD, error) {
	b, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("the key of loans: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(b)
}
