package model

import (
	"flag"
	"os"
	"testing"

	"onrush/test/kit"
)

// checks is how many sequences of actions a run explores unless -rapid.checks says otherwise.
const checks = "10"

func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		_ = flag.Set("rapid.checks", checks) // it takes any number
	}
	os.Exit(kit.Main(m))
}
