package inventory_test

import (
	"flag"
	"os"
	"testing"

	"onrush/test/kit"
)

// Tests of random calls draw 10 cases, which take long on real stores, unless -rapid.checks says otherwise.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		_ = flag.Set("rapid.checks", "10")
	}
	os.Exit(kit.Main(m))
}
