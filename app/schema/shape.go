package schema

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"onrush/modules/sqldb"
)

// shape is what statements rely on: the columns and indexes of a database, by "table.name", and the checks of its
// tables.
type shape struct {
	columns map[string]column
	indexes map[string]index
	engines map[string]string   // of tables that are not InnoDB
	checks  map[string][]string // conditions
	fixed   bool                // no check can be added to a table: SQLite
}

// column is what a column takes.
type column struct {
	kind       string // int, text, or the type itself
	size       int64  // how much it takes: wider types of a kind have more
	typ        string // as it is written
	notNull    bool
	hasDefault bool
}

// index is its columns, in their order.
type index struct {
	columns string
	unique  bool
}

// primary is the name of the index of a primary key.
const primary = "PRIMARY"

// Differences returns in which ways a database differs from what the changes of this program make, a line each, as far
// as this program would be wrong with it: somebody has dropped an index, say, or narrowed a column. It may have more,
// and wider columns. A database that lacks changes, or that has newer ones, differs by them, too.
func Differences(ctx context.Context, db *sqldb.DB) (lines []string, err error) {
	want, err := fresh(ctx)
	if err != nil {
		return nil, err
	}
	found, err := readShape(ctx, db)
	if err != nil {
		return nil, err
	}
	checked := slices.DeleteFunc(slices.Sorted(maps.Keys(want.checks)), func(table string) bool {
		return !found.tables()[table]
	})
	if found.checks, err = readChecks(ctx, db, checked); err != nil {
		return nil, err
	}
	return compareShapes(want, found), nil
}

// tables are the names of the tables.
func (s shape) tables() map[string]bool {
	names := map[string]bool{}
	for name := range s.columns {
		table, _, _ := strings.Cut(name, ".")
		names[table] = true
	}
	return names
}

// fresh returns the shape of a new database.
func fresh(ctx context.Context) (_ shape, err error) {
	db, err := sqldb.OpenSQLiteInMemory(ctx) // the image of the program has no folder for temporary files
	if err != nil {
		return shape{}, fmt.Errorf("make a database to compare with: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := Up(ctx, db); err != nil {
		return shape{}, err
	}
	s, err := readShape(ctx, db)
	if err != nil {
		return shape{}, err
	}
	s.checks, err = readChecks(ctx, db, slices.Sorted(maps.Keys(s.tables())))
	return s, err
}

// part is a column, or a column of an index, as the stores tell it.
type part struct {
	Table    string  `db:"of_table"`
	Name     string  `db:"part"`
	Type     string  `db:"type"`
	NotNull  bool    `db:"not_null"`
	Default  *string `db:"default_value"`
	Primary  int     `db:"primary_place"` // on SQLite: its place in the primary key, from 1
	Counts   bool    `db:"counts"`        // it numbers its rows
	Collates string  `db:"collates"`
	Unique   bool    `db:"is_unique"`
	Column   string  `db:"column_part"`
}

// readShape reads all but the checks.
func readShape(ctx context.Context, db *sqldb.DB) (shape, error) {
	s := shape{columns: map[string]column{}, indexes: map[string]index{}, engines: map[string]string{}}
	s.fixed = db.Dialect == sqldb.SQLite
	columns, indexes := mysqlColumns, mysqlIndexes
	var args []any
	if db.Dialect == sqldb.SQLite {
		columns, indexes = sqliteColumns, sqliteIndexes
	} else {
		name, err := databaseName(ctx, db)
		if err != nil {
			return s, err
		}
		args = []any{name}
		var tables []part
		if err := db.Read.SelectContext(ctx, &tables, mysqlEngines, name); err != nil {
			return s, fmt.Errorf("read the tables: %w", err)
		}
		for _, t := range tables {
			s.engines[t.Table] = t.Type
		}
	}
	var parts []part
	if err := db.Read.SelectContext(ctx, &parts, columns, args...); err != nil {
		return s, fmt.Errorf("read the columns: %w", err)
	}
	s.addColumns(parts)
	parts = nil
	if err := db.Read.SelectContext(ctx, &parts, indexes, args...); err != nil {
		return s, fmt.Errorf("read the indexes: %w", err)
	}
	for _, p := range parts {
		name := p.Table + "." + p.Name
		in := s.indexes[name]
		if in.columns != "" {
			in.columns += ","
		}
		s.indexes[name] = index{columns: in.columns + p.Column, unique: p.Unique}
	}
	return s, nil
}

// addColumns adds columns, and on SQLite the primary keys, which have no index there.
func (s *shape) addColumns(parts []part) {
	keys := map[string]map[int]string{}
	for _, p := range parts {
		c := parseType(p.Type)
		c.notNull = p.NotNull || p.Primary > 0
		c.hasDefault = p.Default != nil && *p.Default != "NULL" || p.Counts
		if p.Type == "INTEGER" { // numbers its rows on SQLite, where it has no other name
			c = parseType("BIGINT")
			c.notNull, c.hasDefault = true, true
		}
		if p.Collates != "" && p.Collates != "utf8mb4_bin" {
			c.kind, c.typ = "text of "+p.Collates, c.typ+" collate "+p.Collates
		}
		s.columns[p.Table+"."+p.Name] = c
		if p.Primary > 0 {
			if keys[p.Table] == nil {
				keys[p.Table] = map[int]string{}
			}
			keys[p.Table][p.Primary] = p.Name
		}
	}
	for table, places := range keys {
		names := make([]string, len(places))
		for place, name := range places {
			names[place-1] = name
		}
		s.indexes[table+"."+primary] = index{columns: strings.Join(names, ","), unique: true}
	}
}

var (
	sized     = regexp.MustCompile(`^(\w+)\((\d+)\)$`)
	intSizes  = map[string]int64{"smallint": 2, "int": 4, "bigint": 8}
	textSizes = map[string]int64{"text": 1 << 14, "mediumtext": 1 << 22, "longtext": 1 << 30} // in characters
)

// parseType reads a type as SQLite, MySQL or MariaDB writes it: some add a width to whole numbers.
func parseType(typ string) column {
	typ = strings.ToLower(typ)
	name, size := typ, int64(0)
	if found := sized.FindStringSubmatch(typ); found != nil {
		name = found[1]
		size, _ = strconv.ParseInt(found[2], 10, 64) // the pattern has digits only
	}
	switch {
	case name == "varchar":
		return column{kind: "text", size: size, typ: typ}
	case textSizes[name] > 0:
		return column{kind: "text", size: textSizes[name], typ: name}
	case intSizes[name] > 0:
		return column{kind: "int", size: intSizes[name], typ: name}
	}
	return column{kind: typ, typ: typ}
}

// compareShapes returns what a program that wants one shape misses in another, in an order that is always the same.
func compareShapes(want, found shape) (lines []string) {
	tables, has := want.tables(), found.tables()
	for table := range tables {
		if !has[table] {
			lines = append(lines, "table "+table+" is missing")
		} else if engine := found.engines[table]; engine != "" {
			lines = append(lines, fmt.Sprintf("table %s has the engine %s, not InnoDB", table, engine))
		}
	}
	for name, c := range want.columns {
		if table, _, _ := strings.Cut(name, "."); has[table] {
			lines = append(lines, c.misses(name, found)...)
		}
	}
	for name, c := range found.columns {
		table, _, _ := strings.Cut(name, ".")
		if _, known := want.columns[name]; tables[table] && !known && c.notNull && !c.hasDefault {
			lines = append(lines, "column "+name+" is not of this version, and has no default: no row can be inserted")
		}
	}
	lines = append(lines, compareIndexes(want, found, tables, has)...)
	lines = append(lines, compareChecks(want, found, has)...)
	slices.Sort(lines)
	return lines
}

// misses returns how a column that is found under a name doesn't do for the one that is wanted.
func (c column) misses(name string, found shape) (lines []string) {
	is, ok := found.columns[name]
	switch {
	case !ok:
		return []string{"column " + name + " is missing"}
	case is.kind != c.kind || is.size < c.size:
		lines = append(lines, fmt.Sprintf("column %s is %s, not %s", name, is.typ, c.typ))
	}
	if is.notNull && !c.notNull {
		lines = append(lines, "column "+name+" must not be NULL")
	}
	if c.hasDefault && !is.hasDefault {
		lines = append(lines, "column "+name+" has no default")
	}
	return lines
}

// compareIndexes compares the indexes of the tables that are wanted and there.
func compareIndexes(want, found shape, tables, has map[string]bool) (lines []string) {
	for name, in := range want.indexes {
		table, short, _ := strings.Cut(name, ".")
		is, ok := found.indexes[name]
		switch {
		case !has[table]:
		case !ok:
			lines = append(lines, fmt.Sprintf("index %s of %s is missing", short, table))
		case is.columns != in.columns:
			lines = append(lines, fmt.Sprintf("index %s of %s is on (%s), not on (%s)", short, table, is.columns,
				in.columns))
		case in.unique && !is.unique:
			lines = append(lines, fmt.Sprintf("index %s of %s is not unique", short, table))
		}
	}
	for name, in := range found.indexes {
		table, short, _ := strings.Cut(name, ".")
		if _, known := want.indexes[name]; tables[table] && !known && in.unique {
			lines = append(lines,
				fmt.Sprintf("index %s of %s is not of this version, and is unique: it may refuse rows",
					short, table))
		}
	}
	return lines
}

// The queries of shapes. A view and the table of the changes are none of this program's statements.
const (
	sqliteColumns = `SELECT m.name AS of_table, p.name AS part, p.type AS type, p."notnull" AS not_null,
		p.dflt_value AS default_value, p.pk AS primary_place FROM sqlite_master m JOIN pragma_table_info(m.name) p
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'schema_changes'`
	// MySQL names the index of a UNIQUE column after it.
	sqliteIndexes = `SELECT m.name AS of_table, CASE l.origin WHEN 'u' THEN
		(SELECT name FROM pragma_index_info(l.name) WHERE seqno = 0) ELSE l.name END AS part, l."unique" AS is_unique,
		i.name AS column_part
		FROM sqlite_master m JOIN pragma_index_list(m.name) l JOIN pragma_index_info(l.name) i
		WHERE m.type = 'table' AND l.origin <> 'pk' AND m.name <> 'schema_changes' ORDER BY m.name, l.name, i.seqno`

	mysqlColumns = `SELECT table_name AS of_table, column_name AS part, column_type AS type,
		is_nullable = 'NO' AS not_null, column_default AS default_value, extra LIKE '%auto_increment%' AS counts,
		COALESCE(collation_name, '') AS collates
		FROM information_schema.columns WHERE table_schema = ? AND table_name <> 'schema_changes'`
	mysqlIndexes = `SELECT table_name AS of_table, index_name AS part, non_unique = 0 AS is_unique,
		column_name AS column_part
		FROM information_schema.statistics WHERE table_schema = ? AND table_name <> 'schema_changes'
		ORDER BY table_name, index_name, seq_in_index`
	mysqlEngines = `SELECT table_name AS of_table, engine AS type FROM information_schema.tables
		WHERE table_schema = ? AND table_type = 'BASE TABLE' AND engine <> 'InnoDB'`
)

// Shape returns the columns and indexes of a database as lines, for a list of what a version had: a kind, a table and a
// fact, parted by tabs.
func Shape(ctx context.Context, db *sqldb.DB) (lines []string, err error) {
	s, err := readShape(ctx, db)
	if err != nil {
		return nil, err
	}
	for name, c := range s.columns {
		line := strings.Replace("column\t"+name, ".", "\t", 1) + " " + c.typ
		if c.notNull {
			line += " required"
		}
		if c.hasDefault {
			line += " default"
		}
		lines = append(lines, line)
	}
	for name, in := range s.indexes {
		line := strings.Replace("index\t"+name, ".", "\t", 1) + " " + in.columns
		if in.unique {
			line += " unique"
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines, nil
}

// Narrowed returns what programs of an older version, which had the lines of a Shape, would be wrong with under a newer
// one: they run beside the newer ones during an upgrade.
func Narrowed(had, has []string) []string { return compareShapes(parseShape(had), parseShape(has)) }

func parseShape(lines []string) shape {
	s := shape{columns: map[string]column{}, indexes: map[string]index{}}
	for _, line := range lines {
		parts := strings.SplitN(line, "\t", 3)
		words := strings.Fields(parts[2])
		name := parts[1] + "." + words[0]
		if parts[0] == "index" {
			s.indexes[name] = index{columns: words[1], unique: slices.Contains(words, "unique")}
			continue
		}
		c := parseType(words[1])
		c.notNull, c.hasDefault = slices.Contains(words, "required"), slices.Contains(words, "default")
		s.columns[name] = c
	}
	return s
}
