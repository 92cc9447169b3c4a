// Package s3 is a double of Amazon S3 with one bucket. It shares no code with the program: it answers PutObject,
// GetObject and DeleteObject as the API reference of Amazon S3 says, and verifies requests as its chapter on Signature
// Version 4 in the Authorization header says.
package s3

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The bucket, and who may use it. The secret must not be in a log.
const (
	Name   = "shop-pictures"
	Region = "eu-test-1"
	KeyID  = "AKIDOFTHEDOUBLE"
	Secret = "s3cr3t/of+the/double"
)

// Server is a bucket.
type Server struct {
	Signer

	URL string

	mu      sync.Mutex
	ended   chan struct{}
	objects map[string][]byte
	calls   map[string]int // by method
	State
}

// State is what a test changes.
type State struct {
	Status int    // of all answers; 0 for the proper ones
	Code   string // with Status; "" for an answer that is not of S3
	Hangs  bool   // no answer comes
	Half   bool   // half of each object is sent
	// Denied are methods that the key may not use, and Loses those that are carried out and not answered.
	Denied, Loses string
	// Holds is closed to let those that Hangs hung go on; they are carried out then.
	Holds chan struct{}
}

// Start starts an empty bucket.
func Start(t testing.TB, now func() time.Time) *Server {
	t.Helper()
	s := &Server{
		Signer:  Signer{KeyID: KeyID, Secret: Secret, Region: Region, Now: now},
		objects: map[string][]byte{}, calls: map[string]int{}, ended: make(chan struct{}),
	}
	server := httptest.NewServer(s)
	s.URL = server.URL
	t.Cleanup(func() {
		close(s.ended)
		server.Close()
	})
	return s
}

// Setting is the bucket as ONRUSH_PICTURES_BUCKET has it, with a prefix below it such as /pictures, or none.
func (s *Server) Setting(prefix string) string {
	return "s3://" + Name + prefix + "?region=" + Region + "&endpoint=" + s.URL + " " + KeyID + " " + Secret
}

// Set changes the state.
func (s *Server) Set(change func(s *State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.State)
}

// Keys are the keys of the objects.
func (s *Server) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
}

// Calls returns how many requests of a method came.
func (s *Server) Calls(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

// Swap replaces the content of all objects.
func (s *Server) Swap(change func(content []byte) []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, content := range s.objects {
		s.objects[key] = change(content)
	}
}

// Clear deletes all objects.
func (s *Server) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.objects)
}

// ServeHTTP is a http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	state := s.State
	s.calls[r.Method]++
	s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if state.Hangs {
		select {
		case <-s.ended:
			return
		case <-state.Holds:
		}
	}
	if state.Status != 0 {
		refuse(w, state.Status, state.Code)
		return
	}
	if no := s.Verify(r, body); no != nil {
		refuse(w, no.Status, no.Code)
		return
	}
	key, ok := strings.CutPrefix(r.URL.Path, "/"+Name+"/")
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, "NoSuchBucket")
		return
	case strings.Contains(state.Denied, r.Method):
		refuse(w, http.StatusForbidden, "AccessDenied")
		return
	}
	s.carryOut(w, r.Method, key, body, state)
}

func (s *Server) carryOut(w http.ResponseWriter, method, key string, body []byte, state State) {
	s.mu.Lock()
	content, found := s.objects[key]
	switch method {
	case http.MethodPut:
		s.objects[key] = body
	case http.MethodDelete:
		delete(s.objects, key)
	}
	s.mu.Unlock()
	switch {
	case strings.Contains(state.Loses, method):
		panic(http.ErrAbortHandler)
	case method == http.MethodPut:
		w.Header().Set("ETag", `"an entity tag"`)
	case method == http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
	case method != http.MethodGet:
		refuse(w, http.StatusMethodNotAllowed, "MethodNotAllowed")
	case !found:
		refuse(w, http.StatusNotFound, "NoSuchKey")
	default:
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		if state.Half {
			content = content[:len(content)/2]
		}
		_, _ = w.Write(content)
	}
}

// refuse answers with an error, as "Error responses" of the API reference says.
func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("X-Amz-Request-Id", "4442587FB7D0A2F9")
	if code == "" {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<!DOCTYPE html><title>A proxy</title>")
		return
	}
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	region := ""
	if code == "AuthorizationHeaderMalformed" {
		region = "<Region>" + Region + "</Region>"
	}
	_, _ = fmt.Fprintf(w, "%s<Error><Code>%s</Code><Message>What %s means.</Message>%s<RequestId>4442587FB7D0A2F9"+
		"</RequestId></Error>", xml.Header, code, code, region)
}

// Signer is who may sign requests, and where.
type Signer struct {
	KeyID, Secret, Token, Region string
	Now                          func() time.Time
}

// Refusal is why a request is refused.
type Refusal struct {
	Status int
	Code   string
}

const (
	algorithm = "AWS4-HMAC-SHA256"
	basicTime = "20060102T150405Z"
	// skew is how far the time of a request may be from the time of the server.
	skew = 15 * time.Minute
)

// Verify returns why a request is refused; nil if it isn't.
func (s *Signer) Verify(r *http.Request, body []byte) *Refusal {
	rest, ok := strings.CutPrefix(r.Header.Get("Authorization"), algorithm+" ")
	if !ok {
		return &Refusal{http.StatusForbidden, "AccessDenied"}
	}
	parts := map[string]string{}
	for item := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		parts[name] = value
	}
	scope := strings.Split(parts["Credential"], "/")
	at, err := time.Parse(basicTime, r.Header.Get("X-Amz-Date"))
	sum := sha256.Sum256(body)
	signed := strings.Split(parts["SignedHeaders"], ";")
	switch {
	case err != nil || len(scope) != 5 || scope[1] != at.Format("20060102") || scope[3] != "s3" ||
		scope[4] != "aws4_request" || scope[2] != s.Region:
		return &Refusal{http.StatusBadRequest, "AuthorizationHeaderMalformed"}
	case scope[0] != s.KeyID:
		return &Refusal{http.StatusForbidden, "InvalidAccessKeyId"}
	case r.Header.Get("X-Amz-Security-Token") != s.Token:
		return &Refusal{http.StatusBadRequest, "InvalidToken"}
	case s.Now().Sub(at).Abs() > skew:
		return &Refusal{http.StatusForbidden, "RequestTimeTooSkewed"}
	case r.Header.Get("X-Amz-Content-Sha256") != hex.EncodeToString(sum[:]):
		return &Refusal{http.StatusBadRequest, "XAmzContentSHA256Mismatch"}
	}
	// The host and all headers x-amz-* must be signed.
	must := []string{"host"}
	for name := range r.Header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-amz-") {
			must = append(must, name)
		}
	}
	for _, name := range must {
		if !slices.Contains(signed, name) {
			return &Refusal{http.StatusForbidden, "AccessDenied"}
		}
	}
	if want := s.sign(canonical(r, signed), at); !hmac.Equal([]byte(want), []byte(parts["Signature"])) {
		return &Refusal{http.StatusForbidden, "SignatureDoesNotMatch"}
	}
	return nil
}

// canonical is the canonical request, step 1 of the chapter.
func canonical(r *http.Request, signed []string) string {
	var headers strings.Builder
	for _, name := range slices.Sorted(slices.Values(signed)) {
		value := strings.Join(r.Header.Values(name), ",")
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = fmt.Sprint(r.ContentLength)
		}
		headers.WriteString(name + ":" + strings.Join(strings.Fields(value), " ") + "\n")
	}
	var query []string
	for name, values := range r.URL.Query() {
		for _, value := range values {
			query = append(query, encode(name, "")+"="+encode(value, ""))
		}
	}
	slices.Sort(query)
	return strings.Join([]string{
		r.Method, encode(r.URL.Path, "/"), strings.Join(query, "&"), headers.String(),
		strings.Join(slices.Sorted(slices.Values(signed)), ";"), r.Header.Get("X-Amz-Content-Sha256"),
	}, "\n")
}

// encode is UriEncode of the chapter: every byte but the unreserved characters, and those that stay, is %XX.
func encode(text, stay string) string {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	var out strings.Builder
	for _, c := range []byte(text) {
		if strings.IndexByte(unreserved+stay, c) >= 0 {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

// sign makes the string to sign and its signature, steps 2 and 3 of the chapter.
func (s *Signer) sign(canonical string, at time.Time) string {
	day := at.Format("20060102")
	hash := sha256.Sum256([]byte(canonical))
	text := strings.Join([]string{
		algorithm, at.Format(basicTime), day + "/" + s.Region + "/s3/aws4_request", hex.EncodeToString(hash[:]),
	}, "\n")
	key := []byte("AWS4" + s.Secret)
	for _, part := range []string{day, s.Region, "s3", "aws4_request", text} {
		mac := hmac.New(sha256.New, key)
		_, _ = io.WriteString(mac, part)
		key = mac.Sum(nil)
	}
	return hex.EncodeToString(key)
}
