package bucket

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// Buckets are the buckets that a setting names. The zero value has none.
type Buckets struct {
	all      []*Bucket
	onlyRead bool
}

// All are the buckets of the setting; uploads go to the first.
func (b *Buckets) All() []*Bucket { return b.all }

// TakesUploads reports whether uploads go to a bucket. If not, nothing is deleted in a bucket either.
func (b *Buckets) TakesUploads() bool { return len(b.all) > 0 && !b.onlyRead }

// Put writes an object to the bucket of uploads, as Bucket.Put.
func (b *Buckets) Put(ctx context.Context, key, mediaType string, data []byte) error {
	return b.all[0].Put(ctx, key, mediaType, data)
}

var errNoBucket = errors.New("get: no bucket is set")

// ErrLost is wrapped by the error of an object that no bucket has with its content, as all of them say.
var ErrLost = errors.New("the object is lost")

// Get returns an object of a size in bytes from the first bucket that has it with a content that is right.
func (b *Buckets) Get(ctx context.Context, key string, size int, isRight func([]byte) bool) ([]byte, error) {
	var failed error
	lost := true
	for _, bucket := range b.all {
		data, err := bucket.Get(ctx, key, size)
		if err == nil && !isRight(data) {
			err = errOther
		}
		if err == nil {
			return data, nil
		}
		failed, lost = errors.Join(failed, err), lost && isLost(err)
	}
	switch {
	case failed == nil:
		return nil, errNoBucket
	case lost:
		return nil, fmt.Errorf("%w: %w", ErrLost, failed)
	}
	return nil, failed
}

// isLost reports whether a bucket says that it doesn't have the object that was written.
func isLost(err error) bool {
	no, ok := errors.AsType[*Error](err)
	return ok && no.Status == http.StatusNotFound && no.Code == noSuchKey || errors.Is(err, errOther)
}

// CloseIdleConnections closes the connections that are kept for the next calls.
func (b *Buckets) CloseIdleConnections() {
	for _, bucket := range b.all {
		bucket.client.CloseIdleConnections()
	}
}
