// Package statements_test extracts the SQL of the program from its source and checks that MySQL and MariaDB accept it.
package statements_test

import (
	"os"
	"testing"

	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }
