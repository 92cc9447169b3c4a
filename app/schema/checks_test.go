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
		assert.Empty(t, compareChecks(shape{checks: map[string][]string{"a": want}},
			shape{checks: map[string][]string{"a": found}}, map[string]bool{"a": true}), statement)
		assert.Len(t, found, len(want), statement)
	}
}

func TestConditionsAreComparedWithTheirStructure(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"a = 1 OR b = 2 AND c = 3", "a = 1 or (b = 2 and c = 3)", "((`a` = 1) or ((`b` = 2) and (`c` = 3)))"},
		{"(a OR b) AND c", "(`a` or `b`) and `c`"},
		{"a AND b AND c", "(a and b) and c", "a and (b and c)", "(`a` and `b` and `c`)"},
		{"given + withdrawn <= imported", "((`given` + `withdrawn`) <= `imported`)"},
		{"n - (m - 1) > -5", "((`n` - (`m` - 1)) > -(5))"},
		{"n - m - 1 > -5", "(((`n` - `m`) - 1) > -(5))"},
		{"kind IN ('a', 'b (c')", "(`kind` in ('a','b (c'))"},
		{"NOT a = b AND c", "((not((`a` = `b`))) and `c`)"},
		{"NOT (a = b AND c)"},
		{"length(concat(a, b)) <= 5", "(octet_length(concat(`a`,`b`)) <= 5)"},
		{"length(concat(a, b) <= 5)"},
		{"a BETWEEN", "A between"}, // not read
	} {
		for _, a := range same {
			assert.Equal(t, plainly(same[0]), plainly(a))
		}
	}
	plain := map[string]string{}
	for _, condition := range []string{
		"a OR b AND c", "(a OR b) AND c", "a AND b OR c", "a OR b OR c", "n - m - 1 > 0", "n - (m - 1) > 0",
		"NOT a AND b", "NOT (a AND b)", "a = 'B'", "a = b", "a < b", "b < a", "a(b)", "(a)", "a, b", "(a",
	} {
		text := plainly(condition)
		assert.Empty(t, plain[text], "%s is not %s", condition, plain[text])
		plain[text] = condition
	}
}

func TestALostCheckIsNamedWithWhatMakesItAgain(t *testing.T) {
	t.Parallel()
	want := shape{checks: map[string][]string{"a": {"n > 0"}}}
	has := map[string]bool{"a": true}
	assert.Equal(t, []string{"table a lacks CHECK (n > 0): ALTER TABLE a ADD CHECK (n > 0)"},
		compareChecks(want, shape{}, has))
	assert.Equal(t, []string{"table a lacks CHECK (n > 0): SQLite adds none to a table, so make a new one " +
		"(docs/operating/upgrading.md)"}, compareChecks(want, shape{fixed: true}, has))
}
