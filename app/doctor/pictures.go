package doctor

import (
	"context"
	"errors"
	"fmt"

	"onrush/app/server"
	"onrush/modules/pictures/bucket"
)

// pictures writes an object to the bucket of uploads, reads it and deletes it. Of another bucket it reads one that
// doesn't exist.
func (d *Doctor) pictures(ctx context.Context) {
	buckets := d.cfg.Buckets(d.now)
	for i, b := range buckets.All() {
		if i == 0 && buckets.TakesUploads() {
			d.bucket(ctx, b, b.Probe, "can be written, read and deleted")
		} else {
			d.bucket(ctx, b, b.ProbeRead, "can be read")
		}
	}
}

func (d *Doctor) bucket(ctx context.Context, b *bucket.Bucket, probe func(context.Context, string) error, can string) {
	const name = "pictures bucket"
	ctx, called := follow(ctx)
	ctx, cancel := context.WithTimeout(ctx, 2*within)
	defer cancel()
	err := probe(ctx, server.NewID())
	refused, isAnswer := errors.AsType[*bucket.Error](err)
	switch {
	case err == nil:
		d.add(name, OK, b.Address()+" "+can, "")
	case !isAnswer:
		detail, advice := called.failed(err)
		d.add(name, Failure, problems(fmt.Errorf("%s %s", b.Address(), detail)), advice)
	default:
		d.add(name, Failure, fmt.Sprintf("%s refuses %s", b.Address(), problems(err)), adviceOn(refused))
	}
}

// adviceOn says which part of ONRUSH_PICTURES_BUCKET to look at after an answer of a bucket.
func adviceOn(e *bucket.Error) string {
	switch e.Wrong() {
	case bucket.Address:
		if e.Region != "" {
			return "the address is wrong: the bucket is in the region " + e.Region
		}
		return "the address is wrong: check the name of the bucket, the region and the endpoint"
	case bucket.Credentials:
		return "the credentials are wrong: check the access key, its secret, and this machine's clock"
	case bucket.Rights:
		return "the rights are wrong: let the access key put, get and delete objects (s3:PutObject, s3:GetObject, " +
			"s3:DeleteObject) below the prefix, and list the bucket (s3:ListBucket); of a bucket that is only read, " +
			"get and list"
	case bucket.None:
	}
	return "the bucket is in trouble, or full: look at its status"
}
