package bucket

import (
	"context"
	"errors"
)

// Buckets are those of a setting. The zero value has none.
type Buckets struct {
	all      []*Bucket
	onlyRead bool
}

// All are the buckets of the setting, that of uploads first.
func (b *Buckets) All() []*Bucket { return b.all }

// TakesUploads reports whether uploads go to a bucket.
func (b *Buckets) TakesUploads() bool { return len(b.all) > 0 && !b.onlyRead }

// Put writes an object to the bucket of uploads, as Bucket.Put.
func (b *Buckets) Put(ctx context.Context, key, mediaType string, data []byte) error {
	return b.all[0].Put(ctx, key, mediaType, data)
}

var errNoBucket = errors.New("get: no bucket is set")

// Get returns an object of a size in bytes from the first bucket that has it with a content that is right.
func (b *Buckets) Get(ctx context.Context, key string, size int, isRight func([]byte) bool) ([]byte, error) {
	var failed error
	for _, bucket := range b.all {
		data, err := bucket.Get(ctx, key, size)
		if err == nil && !isRight(data) {
			err = errors.New("get: the object has another content than was uploaded")
		}
		if err == nil {
			return data, nil
		}
		failed = errors.Join(failed, err)
	}
	if failed == nil {
		failed = errNoBucket
	}
	return nil, failed
}

// Delete deletes an object in all buckets.
func (b *Buckets) Delete(ctx context.Context, key string) (failed error) {
	for _, bucket := range b.all {
		failed = errors.Join(failed, bucket.Delete(ctx, key))
	}
	return failed
}

// CloseIdleConnections closes the connections that are kept for the next calls.
func (b *Buckets) CloseIdleConnections() {
	for _, bucket := range b.all {
		bucket.client.CloseIdleConnections()
	}
}
