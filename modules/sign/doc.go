// Package sign signs texts that clients send back, such as paths and places, and computes digests of several
// parts.
package sign
