package bucket

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
)

// Error is an answer that is no success.
type Error struct {
	Op     string // put, get or delete
	Status int
	// Code is the code of the answer, such as AccessDenied; "" if it has none: then it may not come from a bucket.
	Code string
	// Region is where the bucket is, if the answer says so.
	Region string
}

// noSuchKey is the code of an object that doesn't exist.
const noSuchKey = "NoSuchKey"

var codeText = regexp.MustCompile(`^[A-Za-z0-9.]{1,64}$`)

func newError(op string, resp *http.Response) *Error {
	e := &Error{Op: op, Status: resp.StatusCode}
	var answer struct {
		Code   string `xml:"Code"`
		Region string `xml:"Region"`
	}
	const most = 16 << 10 // bytes that are read
	_ = xml.NewDecoder(io.LimitReader(resp.Body, most)).Decode(&answer)
	if codeText.MatchString(answer.Code) {
		e.Code = answer.Code
	}
	for _, region := range []string{answer.Region, resp.Header.Get("X-Amz-Bucket-Region")} {
		if regionName.MatchString(region) {
			e.Region = region
		}
	}
	return e
}

// Error has no text of the answer but its code.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s: status %d", e.Op, e.Status)
	if e.Code != "" {
		text += " " + e.Code
	}
	return text
}

// Part is a part of a setting.
type Part string

// The parts of a setting that an answer finds fault with.
const (
	Address     Part = "address"     // endpoint, name of the bucket or region
	Credentials Part = "credentials" // access key, secret, session token, or the clock that signs with them
	Rights      Part = "rights"      // of the access key
	None        Part = ""            // the bucket is in trouble, or full
)

// Wrong returns which part of the setting the answer finds fault with.
func (e *Error) Wrong() Part {
	switch e.Code {
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken", "TokenRefreshRequired",
		"InvalidSecurity", "NotSignedUp", "RequestTimeTooSkewed":
		return Credentials
	case "QuotaExceeded", "XMinioStorageFull", "SlowDown", "OperationAborted", "RequestTimeout":
		return None
	}
	switch {
	case e.Status >= http.StatusInternalServerError || e.Status == http.StatusTooManyRequests:
		return None
	case e.Status == http.StatusForbidden || e.Status == http.StatusUnauthorized:
		if e.Code == "" { // a proxy, or a page
			return Address
		}
		return Rights
	case slices.Contains([]string{noSuchKey, "EntityTooLarge", "XAmzContentSHA256Mismatch", "BadDigest"}, e.Code):
		return None
	}
	return Address
}
