package sqldb

import (
	"context"
	"fmt"
	"strings"
)

// SemiSync is what a server says of semi-synchronous replication, in which a commit waits until a replica has it. It is
// zero for a server that has none.
type SemiSync struct {
	// Variable makes commits wait if it is ON; its name depends on the server.
	Variable string
	// SetUp reports whether the server is one of a pair: its commits should wait, or it confirms the commits of another
	// server and may have taken its place.
	SetUp bool
	// Waits reports whether commits wait now. A server stops that when no replica confirms in time.
	Waits bool
}

// ReadSemiSync asks the server. It needs no privilege.
func (db *DB) ReadSemiSync(ctx context.Context) (s SemiSync, err error) {
	if db.Dialect == SQLite {
		return s, nil
	}
	type value struct {
		Name  string `db:"Variable_name"`
		Value string `db:"Value"`
	}
	var values []value
	for _, query := range []string{
		`SHOW GLOBAL VARIABLES WHERE Variable_name LIKE 'rpl_semi_sync_%_enabled'`,
		`SHOW GLOBAL STATUS WHERE Variable_name IN ('Rpl_semi_sync_master_status', 'Rpl_semi_sync_source_status')`,
	} {
		var found []value
		if err := db.Read.SelectContext(ctx, &found, query); err != nil {
			return SemiSync{}, fmt.Errorf("read whether commits wait for a replica: %w", err)
		}
		values = append(values, found...)
	}
	for _, v := range values {
		on := v.Value == "ON"
		switch name := strings.ToLower(v.Name); name {
		case "rpl_semi_sync_master_enabled", "rpl_semi_sync_source_enabled": // MariaDB and MySQL
			s.Variable, s.SetUp = name, s.SetUp || on
		case "rpl_semi_sync_slave_enabled", "rpl_semi_sync_replica_enabled":
			s.SetUp = s.SetUp || on
		default:
			s.Waits = on
		}
	}
	return s, nil
}
