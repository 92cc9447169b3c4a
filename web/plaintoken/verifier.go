package plaintoken

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"onrush/modules/api"
	"onrush/modules/problem"
)

// maxPlain bounds the claims of a plain token in bytes, and maxMembers their number.
const (
	maxPlain   = 1024
	maxMembers = 24
)

// Config says which tokens are valid.
type Config struct {
	Secrets  []string // each of them may have signed a token
	Issuer   string   // the iss that tokens must have; "" for any
	Audience string   // the aud that tokens must have; "" for any
	// RoleClaim is the claim that has the role, and Role that of a buyer.
	RoleClaim, Role string
	Leeway          time.Duration
}

// Verifier verifies plain tokens. It is safe for concurrent use. A nil Verifier verifies none.
type Verifier struct {
	cfg Config

	header atomic.Pointer[[]byte] // the last header of an HS256 token that was accepted, as it is encoded
	macs   []*sync.Pool           // of hash.Hash, for each secret
}

// New returns a Verifier; nil without a secret.
func New(cfg Config) *Verifier {
	if len(cfg.Secrets) == 0 {
		return nil
	}
	v := &Verifier{cfg: cfg}
	for _, secret := range cfg.Secrets {
		v.macs = append(v.macs, &sync.Pool{New: func() any { return hmac.New(sha256.New, []byte(secret)) }})
	}
	return v
}

// Learn remembers the header of an HS256 token that the library has accepted.
func (v *Verifier) Learn(token string) {
	text, _, _ := strings.Cut(token, ".")
	if known := v.header.Load(); known == nil || string(*known) != text {
		header := []byte(text)
		v.header.Store(&header)
	}
}

// Token is a valid token: whose it is, and until when it is valid, leeway included.
type Token struct {
	User  string
	Until time.Time
}

// Verify reads a valid plain token. For all other tokens ok is false.
func (v *Verifier) Verify(token []byte, now time.Time) (t Token, ok bool) {
	if v == nil {
		return t, false
	}
	header := v.header.Load()
	if header == nil || !bytes.HasPrefix(token, *header) {
		return t, false
	}
	end := bytes.LastIndexByte(token, '.')
	if end <= len(*header) || token[len(*header)] != '.' || !v.isSigned(token[:end], token[end+1:]) {
		return t, false
	}
	encoded := token[len(*header)+1 : end]
	var buffer [maxPlain]byte
	if base64.RawURLEncoding.DecodedLen(len(encoded)) > len(buffer) {
		return t, false
	}
	n, err := strictBase64.Decode(buffer[:], encoded)
	if err != nil {
		return t, false
	}
	return v.read(buffer[:n], now)
}

var strictBase64 = base64.RawURLEncoding.Strict()

// isSigned reports whether signature is that of text.
func (v *Verifier) isSigned(text, signature []byte) bool {
	var got, want [sha256.Size]byte
	if strictBase64.DecodedLen(len(signature)) != len(got) {
		return false
	}
	if n, err := strictBase64.Decode(got[:], signature); err != nil || n != len(got) {
		return false
	}
	for _, macs := range v.macs {
		mac := macs.Get().(hash.Hash) //nolint:forcetypeassert // of New alone
		mac.Reset()
		mac.Write(text)
		signed := hmac.Equal(got[:], mac.Sum(want[:0]))
		macs.Put(mac)
		if signed {
			return true
		}
	}
	return false
}

// plainClaims are the claims of a plain token.
type plainClaims struct {
	subject  []byte
	isUser   bool
	expires  int64
	issuer   bool // it is the one that tokens must have
	audience bool // likewise
}

// read reads claims; ok is false if the library must decide.
func (v *Verifier) read(text []byte, now time.Time) (t Token, ok bool) {
	c := plainClaims{issuer: v.cfg.Issuer == "", audience: v.cfg.Audience == ""}
	var names [maxMembers][]byte
	o := flatObject{rest: text}
	for i := 0; o.next(); i++ {
		if i == len(names) {
			return t, false
		}
		for _, name := range names[:i] {
			if bytes.Equal(name, o.name) {
				return t, false
			}
		}
		names[i] = o.name
		if !v.take(&c, &o, now) {
			return t, false
		}
	}
	if !o.ended || !c.isUser || !c.issuer || !c.audience || c.expires == 0 {
		return t, false
	}
	until := time.Unix(c.expires, 0).Add(v.cfg.Leeway)
	user := string(c.subject)
	if !now.Before(until) || !problem.IsUser(user) || strings.HasPrefix(user, api.Pseudonym) {
		return t, false
	}
	return Token{User: user, Until: until}, true
}

// take reads a member; false if the library must decide.
func (v *Verifier) take(c *plainClaims, o *flatObject, now time.Time) bool {
	name := string(o.name) // no allocation: it is only compared
	switch name {
	case "sub":
		c.subject = o.value
		return o.isText
	case "exp":
		var ok bool
		c.expires, ok = o.number()
		return ok
	case "nbf", "iat":
		at, ok := o.number()
		return ok && !now.Before(time.Unix(at, 0).Add(-v.cfg.Leeway))
	case "iss":
		c.issuer = v.cfg.Issuer == "" || string(o.value) == v.cfg.Issuer
		return o.isText
	case "aud":
		c.audience = v.cfg.Audience == "" || string(o.value) == v.cfg.Audience
		return o.isText
	case "jti":
		return o.isText
	case v.cfg.RoleClaim: // one of the above names is left to the library, since isUser stays false
		c.isUser = o.isText && string(o.value) == v.cfg.Role
		return c.isUser
	}
	return true
}

// flatObject reads the members of a JSON object without spaces and nested values, whose texts have no escapes.
type flatObject struct {
	rest  []byte // that was not read yet
	begun bool
	ended bool // completely

	name   []byte
	value  []byte // a text without its quotes, or a number, true, false or null
	isText bool
}

// next reads the next member; false at the end, and where the text is no such object.
func (o *flatObject) next() bool {
	if !o.begun {
		if !o.skip('{') || !utf8.Valid(o.rest) {
			return false
		}
		o.begun = true
	} else if !o.skip(',') {
		o.ended = o.skip('}') && len(o.rest) == 0
		return false
	}
	var ok bool
	if o.name, ok = o.text(); !ok || !o.skip(':') {
		return false
	}
	if o.value, o.isText = o.text(); o.isText {
		return true
	}
	return o.word()
}

// skip reads one character.
func (o *flatObject) skip(c byte) bool {
	if len(o.rest) == 0 || o.rest[0] != c {
		return false
	}
	o.rest = o.rest[1:]
	return true
}

// text reads a text without escapes.
func (o *flatObject) text() (text []byte, ok bool) {
	if len(o.rest) == 0 || o.rest[0] != '"' {
		return nil, false
	}
	for i, c := range o.rest[1:] {
		switch {
		case c == '"':
			text, o.rest = o.rest[1:1+i], o.rest[i+2:]
			return text, true
		case c < ' ', c == '\\':
			return nil, false
		}
	}
	return nil, false
}

// maxDigits bounds a number: times of the next 30,000 years have no more.
const maxDigits = 12

// word reads a whole number that isn't negative, true, false or null.
func (o *flatObject) word() bool {
	n := 0
	for n < len(o.rest) && o.rest[n] >= '0' && o.rest[n] <= '9' {
		n++
	}
	if n > maxDigits || n > 1 && o.rest[0] == '0' {
		return false
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if n == 0 && bytes.HasPrefix(o.rest, []byte(word)) {
			n = len(word)
		}
	}
	o.value, o.rest = o.rest[:n], o.rest[n:]
	return n > 0 // what follows is a comma or the end, as next sees
}

// number returns the value if it is a number.
func (o *flatObject) number() (n int64, ok bool) {
	if o.isText || o.value[0] < '0' || o.value[0] > '9' {
		return 0, false
	}
	for _, c := range o.value {
		n = 10*n + int64(c-'0')
	}
	return n, true
}
