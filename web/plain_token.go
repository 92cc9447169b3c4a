package web

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

	"onrush/modules/problem"
)

// In a flash sale everybody is new in the same second, so the first verification of a token is as frequent as any
// request. A plain token is verified in one pass without reflection: an HS256 token of a buyer whose header is one that
// the library has accepted before, and whose claims are a flat object. Every other token, and each that is refused, is
// left to the library: plainTokens only says yes, and only where the library would.

// maxPlain bounds the claims of a plain token in bytes, and maxMembers their number.
const (
	maxPlain   = 1024
	maxMembers = 24
)

// plainTokens verifies plain tokens. It is safe for concurrent use.
type plainTokens struct {
	issuer, audience, role string // role: the claim that has the role
	leeway                 time.Duration

	header atomic.Pointer[[]byte] // the last header of an HS256 token that was accepted, as it is encoded
	macs   sync.Pool              // of hash.Hash with the secret
}

// newPlainTokens returns nil, which verifies nothing, without a secret.
func newPlainTokens(cfg *AuthConfig) *plainTokens {
	if cfg.Secret == "" {
		return nil
	}
	p := &plainTokens{issuer: cfg.Issuer, audience: cfg.Audience, role: cfg.RoleClaim, leeway: cfg.Leeway}
	secret := []byte(cfg.Secret)
	p.macs.New = func() any { return hmac.New(sha256.New, secret) }
	return p
}

// learn remembers the header of an HS256 token that the library has accepted.
func (p *plainTokens) learn(token string) {
	text, _, _ := strings.Cut(token, ".")
	if known := p.header.Load(); known == nil || string(*known) != text {
		header := []byte(text)
		p.header.Store(&header)
	}
}

// verify returns the caller of a valid plain token; nil for all other tokens.
func (p *plainTokens) verify(token []byte, now time.Time) *verified {
	if p == nil {
		return nil
	}
	header := p.header.Load()
	if header == nil || !bytes.HasPrefix(token, *header) {
		return nil
	}
	end := bytes.LastIndexByte(token, '.')
	if end <= len(*header) || token[len(*header)] != '.' || !p.isSigned(token[:end], token[end+1:]) {
		return nil
	}
	encoded := token[len(*header)+1 : end]
	var buffer [maxPlain]byte
	if base64.RawURLEncoding.DecodedLen(len(encoded)) > len(buffer) {
		return nil
	}
	n, err := strictBase64.Decode(buffer[:], encoded)
	if err != nil {
		return nil
	}
	return p.read(buffer[:n], now)
}

var strictBase64 = base64.RawURLEncoding.Strict()

// isSigned reports whether signature is that of text.
func (p *plainTokens) isSigned(text, signature []byte) bool {
	var got, want [sha256.Size]byte
	if strictBase64.DecodedLen(len(signature)) != len(got) {
		return false
	}
	if n, err := strictBase64.Decode(got[:], signature); err != nil || n != len(got) {
		return false
	}
	mac := p.macs.Get().(hash.Hash) //nolint:forcetypeassert // of New alone
	defer p.macs.Put(mac)
	mac.Reset()
	mac.Write(text)
	return hmac.Equal(got[:], mac.Sum(want[:0]))
}

// plainClaims are the claims of a plain token.
type plainClaims struct {
	subject  []byte
	isUser   bool
	expires  int64
	issuer   bool // it is the one that tokens must have
	audience bool // likewise
}

// read returns the caller that claims name; nil if the library must decide.
func (p *plainTokens) read(text []byte, now time.Time) *verified {
	c := plainClaims{issuer: p.issuer == "", audience: p.audience == ""}
	var names [maxMembers][]byte
	o := flatObject{rest: text}
	for i := 0; o.next(); i++ {
		if i == len(names) {
			return nil
		}
		for _, name := range names[:i] {
			if bytes.Equal(name, o.name) {
				return nil
			}
		}
		names[i] = o.name
		if !p.take(&c, &o, now) {
			return nil
		}
	}
	if !o.ended || !c.isUser || !c.issuer || !c.audience || c.expires == 0 {
		return nil
	}
	until := time.Unix(c.expires, 0).Add(p.leeway)
	user := string(c.subject)
	if !now.Before(until) || !problem.IsUser(user) {
		return nil
	}
	return &verified{identity: Identity{User: user, Role: RoleUser}, until: until}
}

// take reads a member; false if the library must decide.
func (p *plainTokens) take(c *plainClaims, o *flatObject, now time.Time) bool {
	name := string(o.name) // no allocation: it is only compared
	if name == p.role {
		c.isUser = o.isText && string(o.value) == string(RoleUser)
		return c.isUser && !isRegistered(name)
	}
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
		return ok && !now.Before(time.Unix(at, 0).Add(-p.leeway))
	case "iss":
		c.issuer = p.issuer == "" || string(o.value) == p.issuer
		return o.isText
	case "aud":
		c.audience = p.audience == "" || string(o.value) == p.audience
		return o.isText
	case "jti":
		return o.isText
	}
	return true
}

func isRegistered(name string) bool {
	switch name {
	case "sub", "exp", "nbf", "iat", "iss", "aud", "jti":
		return true
	}
	return false
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
