package s3

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The examples of "Signature Calculations for the Authorization Header: Transferring Payload in a Single Chunk" in the
// API reference of Amazon S3, with the keys that it publishes for them.
var examples = []struct {
	method, path, body string
	headers            map[string]string
	signed, signature  string
}{
	{
		"GET", "/test.txt", "",
		map[string]string{"Range": "bytes=0-9"},
		"host;range;x-amz-content-sha256;x-amz-date",
		"f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
	},
	{
		"PUT", "/test$file.text", "Welcome to Amazon S3.",
		map[string]string{"Date": "Fri, 24 May 2013 00:00:00 GMT", "X-Amz-Storage-Class": "REDUCED_REDUNDANCY"},
		"date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
		"98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
	},
	{
		"GET", "/?lifecycle", "", nil, "host;x-amz-content-sha256;x-amz-date",
		"fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
	},
	{
		"GET", "/?max-keys=2&prefix=J", "", nil, "host;x-amz-content-sha256;x-amz-date",
		"34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
	},
}

func TestTheExamplesOfAmazonAreAccepted(t *testing.T) {
	t.Parallel()
	at := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	s := Signer{
		KeyID: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", Region: "us-east-1",
		Now: func() time.Time { return at },
	}
	const host = "examplebucket.s3.amazonaws.com"
	for _, e := range examples {
		verify := func(signature string) *Refusal {
			r := httptest.NewRequest(e.method, "https://"+host+e.path, strings.NewReader(e.body))
			for name, value := range e.headers {
				r.Header.Set(name, value)
			}
			sum := sha256.Sum256([]byte(e.body))
			r.Header.Set("X-Amz-Content-Sha256", hex.EncodeToString(sum[:]))
			r.Header.Set("X-Amz-Date", "20130524T000000Z")
			r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/"+
				"aws4_request,SignedHeaders="+e.signed+",Signature="+signature)
			return s.Verify(r, []byte(e.body))
		}
		assert.Nil(t, verify(e.signature), e.path)
		other := verify(strings.Replace(e.signature, "0", "1", 1))
		require.NotNil(t, other)
		assert.Equal(t, "SignatureDoesNotMatch", other.Code)
	}
}
