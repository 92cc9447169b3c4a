// Package e2e holds the promises of the README against the whole program.
package e2e

import (
	"os"
	"testing"

	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }
