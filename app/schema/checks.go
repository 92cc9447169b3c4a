package schema

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"onrush/modules/sqldb"
)

// readChecks returns the conditions of the checks of tables, by table, as the store writes them. Checks that the store
// doesn't enforce are left out. information_schema doesn't tell everywhere which table a check is of, and the statement
// that makes the table does.
func readChecks(ctx context.Context, db *sqldb.DB, tables []string) (map[string][]string, error) {
	checks := map[string][]string{}
	for _, table := range tables {
		query, args := "SHOW CREATE TABLE `"+table+"`", []any(nil)
		if db.Dialect == sqldb.SQLite {
			query, args = `SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name = ?`, []any{table}
		}
		var name, statement string
		if err := db.Read.QueryRowContext(ctx, query, args...).Scan(&name, &statement); err != nil {
			return nil, fmt.Errorf("read the checks of %s: %w", table, err)
		}
		if found := checksIn(statement); len(found) > 0 {
			checks[table] = found
		}
	}
	return checks, nil
}

var (
	checkBegins = regexp.MustCompile(`(?i)\bCHECK\s*\(`)
	notEnforced = regexp.MustCompile(`^\s*(/\*!\d+\s+)?NOT ENFORCED`)
)

// checksIn returns the conditions of the checks in the statement that makes a table.
func checksIn(statement string) (conditions []string) {
	for _, at := range checkBegins.FindAllStringIndex(statement, -1) {
		condition, after := cutClosed(statement[at[1]:])
		if !notEnforced.MatchString(after) {
			conditions = append(conditions, condition)
		}
	}
	return conditions
}

// cutClosed cuts a text at the parenthesis that closes one before it.
func cutClosed(text string) (before, after string) {
	open := 1
	for i := range len(text) {
		switch text[i] {
		case '(':
			open++
		case ')':
			open--
		}
		if open == 0 {
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

// compareChecks returns which checks are lost or were changed, and how they are made again. Checks that this version
// doesn't know are told only where one of its own is missing: such a check may be what it was changed to.
func compareChecks(want, found shape, has map[string]bool) (lines []string) {
	for _, table := range slices.Sorted(maps.Keys(want.checks)) {
		if !has[table] {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(found.checks[table]), func(has string) bool {
			return slices.ContainsFunc(want.checks[table], func(c string) bool { return sameCheck(c, has) })
		})
		for _, condition := range want.checks[table] {
			if slices.ContainsFunc(found.checks[table], func(has string) bool { return sameCheck(condition, has) }) {
				continue
			}
			line := fmt.Sprintf("table %s lacks CHECK (%s)", table, condition)
			if len(others) > 0 {
				line += ", and has (" + strings.Join(others, "), (") + ")"
			}
			again := "ALTER TABLE " + table + " ADD CHECK (" + condition + ")"
			if found.fixed {
				again = "SQLite adds none to a table, so make a new one (docs/operating/upgrading.md)"
			}
			lines = append(lines, line+": "+again)
		}
	}
	return lines
}

func sameCheck(a, b string) bool { return plainly(a) == plainly(b) }
