package eligible_test

import (
	"os"
	"testing"

	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }
