package schema

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheChecksOfATableAreReadAsEachStoreWritesThem(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string][]string{
		// MySQL
		"CREATE TABLE `a` (`n` bigint NOT NULL,\n CONSTRAINT `a_chk_1` CHECK ((length(`n`) <= 256)),\n" +
			" CONSTRAINT `a_chk_2` CHECK (((`n` >= 0) and (`n` <= `most`))))": {
			"length(n) <= 256", "n >= 0 AND n <= most",
		},
		"CREATE TABLE `a` (`n` int,\n CONSTRAINT `a_chk_1` CHECK ((`n` > 0)) /*!80016 NOT ENFORCED */)": nil,
		// MariaDB
		"CREATE TABLE `a` (\n  `n` bigint(20) NOT NULL CHECK (octet_length(`n`) <= 256),\n" +
			"  CONSTRAINT `CONSTRAINT_1` CHECK (`n` >= 0 and `n` <= `most`)\n) ENGINE=InnoDB": {
			"length(n) <= 256", "n >= 0 AND n <= most",
		},
		// SQLite
		"CREATE TABLE a (n BIGINT NOT NULL CHECK (length(n) <= 256), CHECK (n >= 0 AND n <= most))": {
			"length(n) <= 256", "n >= 0 AND n <= most",
		},
		"CREATE TABLE checks (n BIGINT)": nil,
		"CREATE TABLE a (n CHECK (n > 0": {"n > 0"},
	} {
		found := checksIn(statement)
		assert.Empty(t, compareChecks(map[string][]string{"a": want}, map[string][]string{"a": found},
			map[string]bool{"a": true}), statement)
		assert.Len(t, found, len(want), statement)
	}
}
