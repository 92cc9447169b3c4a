// Package statements_test reads the SQL of the program out of its source and compares it with what MySQL and MariaDB
// take.
package statements_test

import (
	"os"
	"testing"

	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }
