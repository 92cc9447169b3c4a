package rounds_test

import (
	"fmt"
	"os"
	"testing"

	"onrush/test/kit"
	"onrush/test/rounds"
)

func TestMain(m *testing.M) {
	if !rounds.IsInstance() {
		os.Exit(kit.Main(m))
	}
	if err := rounds.Serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
