package server

import (
	"fmt"
	"time"

	"onrush/modules/pictures/bucket"
)

// buckets returns the buckets of uploaded pictures, of which there may be none.
func (c *Config) buckets(now func() time.Time) (*bucket.Buckets, error) {
	buckets, err := bucket.Parse(c.PicturesBucket, now)
	if err != nil {
		return nil, fmt.Errorf("ONRUSH_PICTURES_BUCKET: %w", err)
	}
	return buckets, nil
}

// Buckets returns the buckets of uploaded pictures, for the checks before a start; none if the setting is invalid.
func (c *Config) Buckets(now func() time.Time) *bucket.Buckets {
	buckets, err := c.buckets(now)
	if err != nil {
		return &bucket.Buckets{}
	}
	return buckets
}
