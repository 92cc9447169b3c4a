// Package faults tests the program's guarantees while stores are unavailable or emptied and while the
// program is killed.
package faults

import (
	"os"
	"testing"

	"onrush/test/kit"
)

func TestMain(m *testing.M) {
	kit.Waiting()
	kit.PreferReal()
	code := kit.Main(m)
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(code)
}
