// Package e2e tests the guarantees of the README with the whole program.
package e2e

import (
	"os"
	"testing"

	"onrush/test/kit"
)

func TestMain(m *testing.M) {
	kit.Waiting()
	kit.PreferReal()
	os.Exit(kit.Main(m))
}
