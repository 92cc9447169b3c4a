//go:build large

package browser

const pictures = true
