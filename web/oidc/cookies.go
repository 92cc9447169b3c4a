package oidc

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/sign"
)

const (
	// beginWithin is how long an operator may take at the issuer.
	beginWithin = 10 * time.Minute
	// signedOutFor is how long a browser knows that somebody signed out.
	signedOutFor = 30 * 24 * time.Hour
)

// SessionCookie is the name of the cookie of sessions, with the path of the console in it, since other instances may
// run at other paths. Browsers accept the prefix __Host- only with Path=/ and from the host itself by https, so that no
// other host of the domain can set the cookie.
func (c *Config) SessionCookie() string { return c.cookie("session") }

func (c *Config) cookie(name string) string {
	name = "onrush" + strings.ReplaceAll(c.Console.EscapedPath(), "/", "|") + "-" + name
	if c.Console.Scheme == "https" {
		name = "__Host-" + name
	}
	return name
}

// newCookie returns a cookie that no script can read; a lifetime of 0 deletes it.
func (c *Config) newCookie(name, value, sameSite string, lifetime time.Duration) *fiber.Cookie {
	seconds := int(lifetime / time.Second)
	if seconds == 0 {
		seconds = -1
	}
	made := &fiber.Cookie{
		Name: c.cookie(name), Value: value, Path: "/", MaxAge: seconds, HTTPOnly: true, SameSite: sameSite,
		Secure: c.Console.Scheme == "https",
	}
	if lifetime == 0 {
		made.Expires = time.Unix(1, 0)
	}
	return made
}

// begun is a sign-in that was begun, as the browser keeps it.
type begun struct {
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
	To       string `json:"to"`    // the address in the console
	Until    int64  `json:"until"` // in seconds
}

// seal signs a sign-in for the browser that begins it.
func seal(keys sign.Keys, b begun) (string, error) {
	data, err := json.Marshal(b)
	if err != nil {
		return "", err
	}
	sum := keys.Sign(string(data))
	encoded := base64.RawURLEncoding
	return encoded.EncodeToString(data) + "." + encoded.EncodeToString(sum[:]), nil
}

// open returns the sign-in of a cookie; ok is false if no instance signed it, or too long ago.
func open(keys sign.Keys, cookie string, now time.Time) (b begun, ok bool) {
	text, signature, _ := strings.Cut(cookie, ".")
	data, err := sign.Decode(text)
	if err != nil {
		return b, false
	}
	sum, err := sign.Decode(signature)
	if err != nil || !keys.Accepts(sum, string(data)) || json.Unmarshal(data, &b) != nil {
		return begun{}, false
	}
	return b, now.Unix() < b.Until
}
