package bucket_test

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/pictures/bucket"
	"onrush/test/s3"
)

const keys = " AKID " + secret

const secret = "wJalrXUtnFEMI/K7MDENG"

func TestASettingNamesWhereTheObjectsAre(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"s3://shop?region=eu-central-1":                              "https://shop.s3.eu-central-1.amazonaws.com/",
		"s3://shop/a/b.c/?region=cn-1":                               "https://shop.s3.cn-1.amazonaws.com.cn/a/b.c/",
		"s3://shop.example?region=us-1":                              "https://s3.us-1.amazonaws.com/shop.example/",
		"s3://shop/a?endpoint=https://minio.example:9000":            "https://minio.example:9000/shop/a/",
		"s3://shop?endpoint=http://127.0.0.1:9000/":                  "http://127.0.0.1:9000/shop/",
		"s3://shop?endpoint=https://shop.oss.example&style=host":     "https://shop.oss.example/",
		"s3://minio?endpoint=https://minio.example&style=path":       "https://minio.example/minio/",
		"s3://shop?endpoint=https%3A%2F%2Fminio.example&region=auto": "https://minio.example/shop/",
	} {
		b, err := bucket.Parse(text+keys, time.Now)
		require.NoError(t, err, text)
		require.Len(t, b.All(), 1)
		assert.Equal(t, want, b.All()[0].Address())
		assert.True(t, b.TakesUploads())
	}
	for text, takes := range map[string]bool{
		"": false, "sql": false, "sql; s3://a-b?region=x" + keys: false,
		"s3://a-b?region=x" + keys + " token ; s3://b-c?region=x" + keys: true,
	} {
		b, err := bucket.Parse(text, time.Now)
		require.NoError(t, err, text)
		assert.Equal(t, takes, b.TakesUploads(), text)
	}
}

func TestASettingThatCanNotBeUsedIsRefusedWithoutItsKeys(t *testing.T) {
	t.Parallel()
	const good = "s3://shop?region=x" + keys
	for text, says := range map[string]string{
		"s3://shop?region=x":                                             "the id of an access key and its secret",
		"s3://shop?region=x AKID":                                        "the id of an access key and its secret",
		good + " token more":                                             "the id of an access key and its secret",
		"s3://shop?region=x A/KID " + secret:                             "access key id",
		"https://shop" + keys:                                            "must begin with s3://",
		"s3://S" + keys:                                                  "must begin with s3://",
		"s3://" + secret + "@shop?region=x" + keys:                       "must begin with s3://",
		"s3://shop:80?region=x" + keys:                                   "must begin with s3://",
		"s3://shop/../x?region=x" + keys:                                 "prefix",
		"s3://shop//x?region=x" + keys:                                   "prefix",
		"s3://shop/%2e%2e/x?region=x" + keys:                             "prefix",
		"s3://shop" + keys:                                               "needs a region",
		"s3://shop?region=X" + keys:                                      "needs a region",
		"s3://shop?region=x&region=y" + keys:                             "no other parameter",
		"s3://shop?region=x&secret=" + secret + keys:                     "no other parameter",
		"s3://shop?region=x;y" + keys:                                    "item 1 must be",
		"s3://shop?endpoint=http://minio.example" + keys:                 "must begin with https://",
		"s3://shop?endpoint=https://user@minio.example" + keys:           "is not the address of a server",
		"s3://shop?endpoint=https://minio.example/x" + keys:              "with a path",
		"s3://minio?endpoint=https://minio.example" + keys:               "add style=host",
		"s3://minio?endpoint=https://minio.example&style=x" + keys:       "may have style=host",
		"s3://shop?region=x&style=path" + keys:                           "beside an endpoint",
		good + ";" + good:                                                "item 2 is the same bucket",
		good + ";sql":                                                    "item 2 must be",
		good + ";":                                                       "item 2 must be",
		good + ";s3://b-b?region=x" + keys + ";s3://c-c?region=x" + keys: "has 3 buckets, but may have 2",
	} {
		_, err := bucket.Parse(text, time.Now)
		require.ErrorContains(t, err, says, text)
		assert.NotContains(t, err.Error(), secret)
		assert.NotContains(t, err.Error(), "AKID")
	}
}

func parse(t *testing.T, text string, now func() time.Time) *bucket.Bucket {
	t.Helper()
	b, err := bucket.Parse(text, now)
	require.NoError(t, err)
	t.Cleanup(b.CloseIdleConnections)
	return b.All()[0]
}

// The double verifies each signature. ONRUSH_TEST_S3 may name a real bucket, as a setting does.
func TestObjectsAreWrittenReadAndDeleted(t *testing.T) {
	t.Parallel()
	settings := []string{s3.Start(t, time.Now).Setting(""), s3.Start(t, time.Now).Setting("/a/b_c.d-e")}
	token := s3.Start(t, time.Now)
	token.Token = "a/session+token="
	settings = append(settings, token.Setting("")+" "+token.Token)
	if named := os.Getenv("ONRUSH_TEST_S3"); named != "" {
		settings = append(settings, named)
	}
	for _, text := range settings {
		b := parse(t, text, time.Now)
		data := make([]byte, 1<<20)
		for i := range data {
			data[i] = byte(i)
		}
		require.NoError(t, b.Put(t.Context(), "an.object", "image/png", data))
		got, err := b.Get(t.Context(), "an.object", len(data))
		require.NoError(t, err)
		assert.Equal(t, data, got)
		for _, size := range []int{len(data) - 1, len(data) + 1} {
			_, err = b.Get(t.Context(), "an.object", size)
			require.Error(t, err)
		}
		for range 2 {
			require.NoError(t, b.Delete(t.Context(), "an.object"))
		}
		_, err = b.Get(t.Context(), "an.object", len(data))
		require.EqualError(t, err, "get: status 404 NoSuchKey")
		require.NoError(t, b.Probe(t.Context(), "id"))
	}
}

func TestRefusalsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	store := s3.Start(t, time.Now)
	good := store.Setting("")
	for name, row := range map[string]struct {
		old, with string
		off       time.Duration // of the clock
		state     s3.State
		code      string
		wrong     bucket.Part
	}{
		"another bucket": {old: s3.Name, with: "another", code: "NoSuchBucket", wrong: bucket.Address},
		"another region": {old: s3.Region, with: "us-1", code: "AuthorizationHeaderMalformed", wrong: bucket.Address},
		"another key":    {old: s3.KeyID, with: "AKID", code: "InvalidAccessKeyId", wrong: bucket.Credentials},
		"another secret": {old: s3.Secret, with: "other", code: "SignatureDoesNotMatch", wrong: bucket.Credentials},
		"wrong clock":    {off: time.Hour, code: "RequestTimeTooSkewed", wrong: bucket.Credentials},
		"no rights":      {state: s3.State{Denied: http.MethodPut}, code: "AccessDenied", wrong: bucket.Rights},
		"not S3":         {state: s3.State{Status: 403}, wrong: bucket.Address},
		"not there":      {state: s3.State{Status: 404}, wrong: bucket.Address},
		"full":           {state: s3.State{Status: 507, Code: "XMinioStorageFull"}, code: "XMinioStorageFull"},
		"no bucket":      {state: s3.State{Status: 204}, wrong: bucket.Address},
		"quota":          {state: s3.State{Status: 403, Code: "QuotaExceeded"}, code: "QuotaExceeded"},
		"in trouble":     {state: s3.State{Status: 503, Code: "SlowDown"}, code: "SlowDown"},
	} {
		store.Set(func(s *s3.State) { *s = row.state })
		b := parse(t, strings.Replace(good, row.old, row.with, 1), func() time.Time { return time.Now().Add(row.off) })
		err := b.Put(t.Context(), "an.object", "image/png", []byte("x"))
		var refused *bucket.Error
		require.ErrorAs(t, err, &refused, name)
		assert.Equal(t, row.code, refused.Code, name)
		assert.Equal(t, row.wrong, refused.Wrong(), name)
		assert.NotContains(t, err.Error(), s3.Secret)
	}
	store.Set(func(s *s3.State) { *s = s3.State{Status: 200} })
	err := parse(t, good, time.Now).Put(t.Context(), "an.object", "image/png", []byte("x"))
	require.EqualError(t, err, "put: the answer has no ETag")
}
