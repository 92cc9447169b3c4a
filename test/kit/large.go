//go:build large

package kit

// large is whether the tests are built with the tag large.
const large = true
