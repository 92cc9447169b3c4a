package idempotency

import (
	"bytes"
	"compress/flate"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"onrush/modules/sign"
)

const (
	// maxSealed is the longest answer that is stored, in characters; it is far below any max_allowed_packet.
	maxSealed = 4 << 20
	// maxOpened bounds an answer that is read.
	maxOpened = 64 << 20
)

// cipherOf returns the cipher of a request's answer. Its key, of 128 bits, depends on the Idempotency-Key.
func cipherOf(keys sign.Keys, r Request) (cipher.AEAD, error) {
	key := keys.Sign(r.Caller, r.Route, r.Key)
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, fmt.Errorf("encrypt an answer: %w", err)
	}
	return cipher.NewGCM(block)
}

// seal encrypts an answer; an answer that is too long is "".
func (s *Store) seal(r Request, a Answer) (string, error) {
	text, err := json.Marshal(a)
	if err != nil {
		return "", fmt.Errorf("write an answer: %w", err)
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return "", fmt.Errorf("compress an answer: %w", err)
	}
	aead, err := cipherOf(s.keys, r)
	if err != nil {
		return "", err
	}
	nonce := make([]byte, aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return "", fmt.Errorf("encrypt an answer: %w", err)
	}
	sealed := base64.RawStdEncoding.EncodeToString(aead.Seal(nonce, nonce, packed.Bytes(), nil))
	if len(sealed) > maxSealed {
		return "", nil
	}
	return sealed, nil
}

var errTooLong = errors.New("the answer was too long to be stored")

// open decrypts an answer with any of the secrets.
func (s *Store) open(r Request, sealed string) (*Answer, error) {
	if sealed == "" {
		return nil, errTooLong
	}
	raw, err := base64.RawStdEncoding.DecodeString(sealed)
	if err != nil {
		return nil, fmt.Errorf("read an answer: %w", err)
	}
	var packed []byte
	for i := range s.keys {
		aead, failed := cipherOf(s.keys[i:], r)
		if failed != nil {
			return nil, failed
		}
		if len(raw) < aead.NonceSize() {
			return nil, errors.New("read an answer: it is too short")
		}
		if packed, err = aead.Open(nil, raw[:aead.NonceSize()], raw[aead.NonceSize():], nil); err == nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("decrypt an answer: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxOpened))
	if err != nil {
		return nil, fmt.Errorf("decompress an answer: %w", err)
	}
	var a Answer
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, fmt.Errorf("read an answer: %w", err)
	}
	return &a, nil
}
