// Package bucket keeps the content of pictures in a bucket of Amazon S3, or of another store with its interface.
//
// An object is written once, under a key of its own, and never changed: so it can be deleted at any time without a
// look at what else goes on. Requests are signed with Signature Version 4. Each call has a deadline, and no error has a
// secret.
package bucket
