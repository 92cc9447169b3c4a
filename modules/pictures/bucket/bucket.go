package bucket

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	signer "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"onrush/modules/sign"
)

const (
	// putWithin, getWithin and deleteWithin bound one call.
	putWithin, getWithin, deleteWithin = 4 * time.Second, 2 * time.Second, 3 * time.Second
	// idBytes is the length of the digest that names a bucket.
	idBytes = 16
	// maxConnections bounds the connections to a bucket.
	maxConnections = 24
)

// Bucket is a bucket, or the part of one below a prefix. It is safe for concurrent use.
type Bucket struct {
	base   string // the address of its objects, with a slash at the end
	region string
	keys   aws.Credentials
	now    func() time.Time
	client *http.Client
}

// newClient returns a client of HTTP/1.1: a call that gets no answer closes its connection, so that the next one
// doesn't wait for the same.
func newClient() *http.Client {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	return &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: getWithin}).DialContext,
			TLSHandshakeTimeout: getWithin, MaxResponseHeaderBytes: 64 << 10, MaxConnsPerHost: maxConnections,
			MaxIdleConnsPerHost: maxConnections, IdleConnTimeout: time.Minute, Protocols: protocols,
			DisableCompression: true,
		},
		// A signature is for one address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Address is where the objects are, without keys.
func (b *Bucket) Address() string { return b.base }

// ID is a digest of the address, of 22 characters.
func (b *Bucket) ID() string { return sign.Digest(idBytes, "bucket", b.base) }

// Put writes an object. The error is an *Error if the bucket refuses it; any other error says nothing of whether the
// bucket has it.
func (b *Bucket) Put(ctx context.Context, key, mediaType string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, putWithin)
	defer cancel()
	resp, err := b.call(ctx, http.MethodPut, key, mediaType, data)
	if err != nil {
		return err
	}
	if err := resp.Body.Close(); err != nil {
		return fmt.Errorf("put: %w", err)
	}
	if resp.Header.Get("ETag") == "" {
		return errNoTag
	}
	return nil
}

// errNoTag is the error of an answer to put that no bucket gave, such as a page of a proxy.
var errNoTag = errors.New("put: the answer has no ETag")

// errOther is the error of an object that is not the one that was written.
var errOther = errors.New("get: the object has another content than was written")

// Get returns an object of a size in bytes. An object of another size is an error.
func (b *Bucket) Get(ctx context.Context, key string, size int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, getWithin)
	defer cancel()
	resp, err := b.call(ctx, http.MethodGet, key, "", nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	if resp.ContentLength >= 0 && resp.ContentLength != int64(size) {
		return nil, errOther
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(resp.Body, data); err != nil {
		return nil, fmt.Errorf("get: read the object: %w", err)
	}
	if n, _ := resp.Body.Read(make([]byte, 1)); n > 0 {
		return nil, errOther
	}
	return data, nil
}

// Delete deletes an object, which need not exist.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(ctx, deleteWithin)
	defer cancel()
	resp, err := b.call(ctx, http.MethodDelete, key, "", nil)
	if no, ok := errors.AsType[*Error](err); ok && no.Code == noSuchKey {
		return nil
	}
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Probe writes an object of its own, reads it and deletes it. id is in its key.
func (b *Bucket) Probe(ctx context.Context, id string) error {
	key, content := "doctor."+id, []byte("written by onrush doctor")
	if err := b.Put(ctx, key, "text/plain", content); err != nil {
		return err
	}
	data, err := b.Get(ctx, key, len(content))
	if err == nil && !bytes.Equal(data, content) {
		err = errOther
	}
	return errors.Join(err, b.Delete(ctx, key))
}

// ProbeRead reads an object that doesn't exist, whose key has id. The error is nil if the bucket says so.
func (b *Bucket) ProbeRead(ctx context.Context, id string) error {
	_, err := b.Get(ctx, "doctor."+id, 0)
	if err == nil {
		return errOther
	}
	if no, ok := errors.AsType[*Error](err); ok && no.Code == noSuchKey {
		return nil
	}
	return err
}

// call sends a request and returns an answer of success, whose body the caller closes.
func (b *Bucket) call(ctx context.Context, method, key, mediaType string, body []byte) (*http.Response, error) {
	op := ops[method]
	req, err := http.NewRequestWithContext(ctx, method, b.base+key, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	if mediaType != "" {
		req.Header.Set("Content-Type", mediaType)
	}
	sum := sha256.Sum256(body)
	digest := hex.EncodeToString(sum[:])
	req.Header.Set("X-Amz-Content-Sha256", digest)
	err = signer.NewSigner().SignHTTP(ctx, b.keys, req, digest, "s3", b.region, b.now().UTC(),
		func(o *signer.SignerOptions) { o.DisableURIPathEscaping = true })
	if err != nil {
		return nil, fmt.Errorf("%s: sign: %w", op, err)
	}
	resp, err := b.client.Do(req)
	if of, ok := errors.AsType[*url.Error](err); ok {
		err = of.Err // without the key of the object, which differs each time
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", op, err)
	case resp.StatusCode == http.StatusOK || method == http.MethodDelete && resp.StatusCode == http.StatusNoContent:
		return resp, nil
	}
	return nil, errors.Join(newError(op, resp), resp.Body.Close())
}

// ops name the calls in errors, by their methods.
var ops = map[string]string{http.MethodPut: "put", http.MethodGet: "get", http.MethodDelete: "delete"}
