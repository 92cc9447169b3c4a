package pay

import (
	"os"
	"testing"
	"time"

	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }

// testNow is the time of the tests.
var testNow = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func testClock() time.Time { return testNow }
