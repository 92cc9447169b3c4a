package schema_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/schema"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

func differences(t *testing.T, s *kit.Stores) []string {
	t.Helper()
	lines, err := schema.Differences(t.Context(), s.DB)
	require.NoError(t, err)
	return lines
}

func TestANewDatabaseHasTheShapeOfItsChanges(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		require.NoError(t, schema.Up(t.Context(), s.DB))
		assert.Empty(t, differences(t, s))
	}, kit.NoSchema())
}

// Somebody edits the tables by hand: what a program would be wrong with is said, and what it doesn't see is not.
func TestTablesThatWereEditedAreToldApart(t *testing.T) {
	t.Parallel()
	for _, edit := range []struct{ statement, says string }{
		{`DROP INDEX orders_task ON orders`, "index orders_task of orders is missing"},
		{`DROP INDEX orders_user ON orders`, "index orders_user of orders is missing"},
		{
			`ALTER TABLE orders MODIFY reason VARCHAR(32) NOT NULL`,
			"column orders.reason is varchar(32), not varchar(64)",
		},
		{`ALTER TABLE orders MODIFY quantity INT NOT NULL`, "column orders.quantity is int, not bigint"},
		{`ALTER TABLE orders MODIFY record TEXT NOT NULL`, "column orders.record is text, not mediumtext"},
		{`ALTER TABLE orders DROP COLUMN reason`, "column orders.reason is missing"},
		{
			`ALTER TABLE orders MODIFY reason VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL`,
			"column orders.reason is varchar(64) collate utf8mb4_general_ci, not varchar(64)",
		},
		{`ALTER TABLE skus ALTER COLUMN stock_version DROP DEFAULT`, "column skus.stock_version has no default"},
		{`ALTER TABLE events MODIFY position BIGINT NOT NULL`, "column events.position must not be NULL"},
		{`DROP TABLE disputes`, "table disputes is missing"},
		{
			`ALTER TABLE orders ADD COLUMN cost BIGINT NOT NULL`,
			"column orders.cost is not of this version, and has no default: no row can be inserted",
		},
		{
			`CREATE UNIQUE INDEX one_each ON orders (user_id, activity_id)`,
			"index one_each of orders is not of this version, and is unique: it may refuse rows",
		},
		{
			`ALTER TABLE orders DROP INDEX orders_user, ADD INDEX orders_user (user_id)`,
			"index orders_user of orders is on (user_id), not on (user_id,number)",
		},
		{
			`ALTER TABLE orders DROP INDEX orders_task, ADD INDEX orders_task (task_id)`,
			"index orders_task of orders is not unique",
		},
		{`ALTER TABLE disputes ENGINE=MyISAM`, "table disputes has the engine MyISAM, not InnoDB"},
		{`ALTER TABLE orders MODIFY reason VARCHAR(200) NOT NULL`, ""},
		{`ALTER TABLE orders MODIFY reason TEXT NOT NULL`, ""},
		{`ALTER TABLE orders MODIFY reason VARCHAR(64) NULL`, ""},
		{`ALTER TABLE orders ADD COLUMN cost BIGINT NULL`, ""},
		{`ALTER TABLE orders ADD COLUMN cost BIGINT NOT NULL DEFAULT 0`, ""},
		{`CREATE INDEX orders_of_ours ON orders (paid_ms)`, ""},
		{`CREATE TABLE ours (id INT NOT NULL PRIMARY KEY)`, ""},
	} {
		t.Run(edit.statement, func(t *testing.T) {
			t.Parallel()
			s := kit.OnReal(t)
			execute(t, s.DB, edit.statement)
			want := []string(nil)
			if edit.says != "" {
				want = []string{edit.says}
			}
			assert.Equal(t, want, differences(t, s))
		})
	}
}

func TestAnEditedDatabaseOfSQLiteIsToldApart(t *testing.T) {
	t.Parallel()
	s := kit.OnEmbedded(t)
	execute(t, s.DB, `DROP INDEX orders_task`)
	execute(t, s.DB, `ALTER TABLE activities DROP COLUMN segments`)
	execute(t, s.DB, `ALTER TABLE orders ADD COLUMN cost BIGINT NULL`)
	assert.Equal(t, []string{"column activities.segments is missing", "index orders_task of orders is missing"},
		differences(t, s))
}

// A column of MariaDB has its check in itself, and one of MySQL has a check that begins with the name of the table.
func TestALostOrChangedCheckIsNamedWithTheStatementThatMakesItAgain(t *testing.T) {
	t.Parallel()
	s := kit.OnReal(t)
	drop := func(like string) {
		t.Helper()
		var name string
		require.NoError(t, s.DB.Read.GetContext(t.Context(), &name, `SELECT MIN(constraint_name) FROM
			information_schema.check_constraints WHERE constraint_schema = DATABASE() AND check_clause LIKE ?`, like))
		execute(t, s.DB, "ALTER TABLE activity_stock DROP CONSTRAINT "+name)
	}
	drop("%sold%")
	lost := "table activity_stock lacks CHECK (sold >= 0 AND sold <= total)"
	again := "ALTER TABLE activity_stock ADD CHECK (sold >= 0 AND sold <= total)"
	assert.Equal(t, []string{lost + ": " + again}, differences(t, s))
	execute(t, s.DB, `ALTER TABLE activity_stock ADD CHECK (sold >= -5)`)
	changed := differences(t, s)
	require.Len(t, changed, 1)
	assert.Regexp(t, regexp.QuoteMeta(lost)+`, and has .*-\(?5.*: `+regexp.QuoteMeta(again)+"$", changed[0])
	execute(t, s.DB, again)
	assert.Empty(t, differences(t, s))
	execute(t, s.DB, `ALTER TABLE orders ADD CHECK (quantity >= 0)`)
	assert.Empty(t, differences(t, s), "a check of somebody's own")
	execute(t, s.DB, `DROP TABLE activity_stock`)
	assert.Equal(t, []string{"table activity_stock is missing"}, differences(t, s))
}

// Changes is what an older program meets while a newer one has changed the tables.
func TestAShapeIsComparedWithThatOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	s := kit.OnEmbedded(t)
	require.Equal(t, sqldb.SQLite, s.DB.Dialect)
	had, err := schema.Shape(t.Context(), s.DB)
	require.NoError(t, err)
	require.Contains(t, had, "column\torders\tnumber bigint required")
	require.Contains(t, had, "column\tskus\tstock_version bigint required default")
	require.Contains(t, had, "index\torders\torders_task task_id unique")
	assert.Empty(t, schema.Narrowed(had, had))
	assert.Equal(t, []string{"column orders.number is missing"}, schema.Narrowed(had,
		append([]string{"column\torders\tmore text default"}, without(had,
			"column\torders\tnumber bigint required")...)))
	assert.Equal(t, []string{
		"column skus.stock_version has no default",
		"column skus.stock_version is int, not bigint",
	},
		schema.Narrowed(had, append(without(had, "column\tskus\tstock_version bigint required default"),
			"column\tskus\tstock_version int required")))
}

func without(lines []string, line string) (others []string) {
	for _, l := range lines {
		if l != line {
			others = append(others, l)
		}
	}
	return others
}
