// Package faults takes stores away from the program, empties them, and kills the program, and
// holds what it promises against what is left.
package faults

import (
	"os"
	"testing"

	"onrush/test/kit"
)

func TestMain(m *testing.M) {
	code := kit.Main(m)
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(code)
}
