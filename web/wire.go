package web

import (
	"bytes"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"onrush/modules/problem"
)

// skipDoubtfulBody keeps the server from reading a body whose length is ambiguous; checkWire then refuses
// the request. It is called after the headers were read.
func skipDoubtfulBody(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	if !isFramedOnce(h.RawHeaders()) {
		h.SetContentLength(0)
		h.SetConnectionClose()
	}
	return fasthttp.RequestConfig{}
}

// checkWire refuses requests that a proxy in front and this server might interpret differently. If the
// length of the body, and therefore the start of the next request, is ambiguous, an attacker could hide a
// request in the body of another one (RFC 9112, sections 5 and 6.3); with ".." in the path an attacker
// could bypass a proxy's rules for paths. The error is bad_request.
func checkWire(h *fasthttp.RequestHeader) error {
	switch {
	case h.ConnectionClose() && !isFramedOnce(h.RawHeaders()): // skipDoubtfulBody has closed it then
		return problem.Errorf(CodeBadRequest,
			"The request's headers leave open how long its body is, or which host is meant.")
	case hasDotDot(h.RequestURI()):
		return problem.Errorf(CodeBadRequest, "The path must not have the segment \"..\".")
	}
	return nil
}

// isFramedOnce reports whether the headers state the length of the body in at most one way: one
// Content-Length or one Transfer-Encoding: chunked, not both. There is also at most one Host, and no
// header continues on a second line.
func isFramedOnce(raw []byte) bool {
	var lengths, encodings, hosts int
	for line := range bytes.Lines(raw) {
		if line[0] == ' ' || line[0] == '\t' {
			return false
		}
		name, value, _ := bytes.Cut(line, []byte{':'})
		switch {
		case bytes.EqualFold(name, []byte(fiber.HeaderContentLength)):
			lengths++
		case bytes.EqualFold(name, []byte(fiber.HeaderHost)):
			hosts++
		case bytes.EqualFold(name, []byte(fiber.HeaderTransferEncoding)):
			if !bytes.EqualFold(bytes.TrimSpace(value), []byte("chunked")) {
				return false
			}
			encodings++
		}
	}
	return lengths+encodings <= 1 && hosts <= 1
}

// hasDotDot reports whether the path of a request line has the segment ".." in any form: also
// percent-encoded, or with backslashes, which some programs treat as slashes.
func hasDotDot(uri []byte) bool {
	if !bytes.Contains(uri, []byte("..")) && bytes.IndexByte(uri, '%') < 0 {
		return false // almost every request
	}
	path, _, _ := bytes.Cut(uri, []byte{'?'})
	dots, only := 0, true // of the segment so far
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '%' && i+2 < len(path) {
			if decoded, ok := unhex(path[i+1], path[i+2]); ok {
				c = decoded
				i += 2
			}
		}
		switch c {
		case '/', '\\', '#', ';':
			if dots == 2 && only {
				return true
			}
			dots, only = 0, true
		case '.':
			dots++
		default:
			only = false
		}
	}
	return dots == 2 && only
}

// unhex decodes the two digits of a percent-encoded byte.
func unhex(high, low byte) (decoded byte, ok bool) {
	for _, c := range []byte{high, low} {
		decoded <<= 4
		switch {
		case c >= '0' && c <= '9':
			decoded |= c - '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			decoded |= (c | 0x20) - 'a' + 10
		default:
			return 0, false
		}
	}
	return decoded, true
}
