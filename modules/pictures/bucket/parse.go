package bucket

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"onrush/modules/sign"
)

// mostBuckets is one for uploads, and one whose objects were not copied yet.
const mostBuckets = 2

// inSQL is the item of a setting that stands for no bucket.
const inSQL = "sql"

var (
	bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	prefixPath = regexp.MustCompile(`^(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*/?$`)
	regionName = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)
	accessKey  = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)
)

// Parse reads a setting: up to two buckets, with a semicolon between them, each as
//
//	s3://bucket/prefix?region=eu-central-1&endpoint=https://minio.example <access key id> <secret> [<session token>]
//
// With style=host the endpoint is the bucket's own host, and with style=path, the default, its name is in the path.
// Uploads go to the first one, and are read from both. If sql stands before them, uploads go to neither. An empty
// setting has no bucket. now signs requests. Errors have neither keys nor secrets.
func Parse(text string, now func() time.Time) (*Buckets, error) {
	b := &Buckets{}
	for i, item := range sign.ParseSecrets(text) {
		if item == inSQL && i == 0 {
			b.onlyRead = true
			continue
		}
		bucket, err := parse(item, now)
		switch {
		case err != nil:
			return nil, fmt.Errorf("item %d %w", i+1, err)
		case slices.ContainsFunc(b.all, func(other *Bucket) bool { return other.base == bucket.base }):
			return nil, fmt.Errorf("item %d is the same bucket as the one before it", i+1)
		}
		b.all = append(b.all, bucket)
	}
	if len(b.all) > mostBuckets {
		return nil, fmt.Errorf("has %d buckets, but may have %d", len(b.all), mostBuckets)
	}
	return b, nil
}

func parse(item string, now func() time.Time) (*Bucket, error) {
	words := strings.Fields(item)
	if len(words) != 3 && len(words) != 4 {
		return nil, errors.New("must be s3://bucket?region=…, the id of an access key and its secret, with spaces " +
			"between them")
	}
	if !accessKey.MatchString(words[1]) {
		return nil, errors.New("has an access key id with other characters than letters, digits and ._-")
	}
	b := &Bucket{
		keys: aws.Credentials{AccessKeyID: words[1], SecretAccessKey: words[2]}, now: now, client: newClient(),
	}
	if len(words) > 3 {
		b.keys.SessionToken = words[3]
	}
	u, err := url.Parse(words[0])
	switch {
	case err != nil || u.Scheme != "s3" || u.User != nil || u.Fragment != "" || !bucketName.MatchString(u.Host):
		return nil, errors.New("must begin with s3:// and the name of a bucket")
	case !prefixPath.MatchString(u.Path) || u.RawPath != "":
		return nil, errors.New("has a prefix with other characters than letters, digits and ._-/")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errors.New("has a query that can't be read")
	}
	for name, values := range query {
		if !slices.Contains([]string{"region", "endpoint", "style"}, name) || len(values) != 1 || values[0] == "" {
			return nil, errors.New("may have a region, an endpoint and a style, each once with a value, and no other " +
				"parameter")
		}
	}
	at, err := b.locate(u.Host, query)
	if err != nil {
		return nil, err
	}
	b.base = at + strings.TrimRight(u.Path, "/") + "/"
	return b, nil
}

// locate returns the address of the objects of a bucket, without a slash at the end, and sets the region.
func (b *Bucket) locate(name string, query url.Values) (string, error) {
	endpoint, style := query.Get("endpoint"), query.Get("style")
	if style != "" && (endpoint == "" || style != "host" && style != "path") {
		return "", errors.New("may have style=host or style=path beside an endpoint")
	}
	b.region = query.Get("region")
	if endpoint != "" {
		b.region = cmp.Or(b.region, "us-east-1")
	}
	if !regionName.MatchString(b.region) {
		return "", errors.New("needs a region, such as region=eu-central-1")
	}
	if endpoint == "" {
		host := "s3." + b.region + ".amazonaws.com"
		if strings.HasPrefix(b.region, "cn-") {
			host += ".cn"
		}
		if strings.Contains(name, ".") { // the certificate is for names without
			return "https://" + host + "/" + name, nil
		}
		return "https://" + name + "." + host, nil
	}
	u, err := url.Parse(endpoint)
	if err == nil {
		err = sign.CheckURL(endpoint)
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("has an endpoint that %w", err)
	case u.Path != "" && u.Path != "/":
		return "", errors.New("has an endpoint with a path")
	case style == "" && strings.HasPrefix(u.Host, name+"."): // either may be meant
		return "", errors.New("has an endpoint that begins with the name of the bucket: add style=host if that is " +
			"the bucket's own host, or else style=path")
	case style == "host":
		return u.Scheme + "://" + u.Host, nil
	}
	return u.Scheme + "://" + u.Host + "/" + name, nil
}
