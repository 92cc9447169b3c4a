package upgrade

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// The files of a frozen state.
const (
	schemaFile  = "schema.sql"
	dataFile    = "data.sql"
	redisFile   = "redis.jsonl"
	answersFile = "answers.jsonl"
)

// redisKey is a line of redisFile: a key without the prefix of its program.
type redisKey struct {
	Key   string            `json:"key"`
	TTLMS int64             `json:"ttl_ms,omitempty"`
	Text  *string           `json:"string,omitempty"`
	List  []string          `json:"list,omitempty"`
	Set   []string          `json:"set,omitempty"`
	Hash  map[string]string `json:"hash,omitempty"`
	ZSet  []redisMember     `json:"zset,omitempty"`
}

type redisMember struct {
	Member string  `json:"member"`
	Score  float64 `json:"score"`
}

// dump writes the contents of both stores, which are embedded ones, to the files of a folder.
func dump(t *testing.T, s *kit.Stores, dir string) {
	t.Helper()
	dumpSchema(t, s, dir)
	var tables, lines []string
	require.NoError(t, s.DB.Read.SelectContext(t.Context(), &tables,
		`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`))
	for _, table := range tables {
		if table != "write_checks" {
			lines = append(lines, dumpRows(t, s.DB, table)...)
		}
	}
	write(t, dir, dataFile, lines)
	keys, err := s.Redis.Keys(t.Context(), "*").Result()
	require.NoError(t, err)
	slices.Sort(keys)
	lines = nil
	for _, key := range keys {
		lines = append(lines, marshal(t, dumpKey(t, s, key)))
	}
	write(t, dir, redisFile, lines)
}

// dumpSchema writes the statements of all changes and of the table that records them, without those that insert rows.
func dumpSchema(t *testing.T, s *kit.Stores, dir string) {
	t.Helper()
	var text string
	require.NoError(t, s.DB.Read.GetContext(t.Context(), &text,
		`SELECT sql || ';' || char(10) FROM sqlite_master WHERE name = 'schema_changes'`))
	text = strings.Replace(text, ");", ") /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;", 1)
	paths, err := filepath.Glob("../../app/schema/*.sql")
	require.NoError(t, err)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		up, _, _ := strings.Cut(string(data), "-- +goose Down")
		text += up
	}
	var lines []string
	inserts := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		inserts = inserts || strings.HasPrefix(line, "INSERT ")
		if !inserts && line != "" && !strings.HasPrefix(line, "--") {
			lines = append(lines, line)
		}
		inserts = inserts && !strings.HasSuffix(line, ";")
	}
	write(t, dir, schemaFile, lines)
}

// dumpRows returns an INSERT with a line for each row of a table.
func dumpRows(t *testing.T, db *sqldb.DB, table string) (lines []string) {
	t.Helper()
	rows, err := db.Read.QueryContext(t.Context(), `SELECT * FROM `+table)
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	columns, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		require.NoError(t, rows.Scan(into...))
		texts := make([]string, len(values))
		for i, value := range values {
			texts[i] = literal(t, value)
		}
		lines = append(lines, "("+strings.Join(texts, ", ")+"),")
	}
	require.NoError(t, rows.Err())
	if len(lines) == 0 {
		return nil
	}
	slices.Sort(lines)
	lines[len(lines)-1] = strings.TrimSuffix(lines[len(lines)-1], ",") + ";"
	return append([]string{fmt.Sprintf("INSERT INTO %s (%s) VALUES", table, strings.Join(columns, ", "))}, lines...)
}

// lineBreak stands for the end of a line in a text.
const lineBreak = "⏎"

// literal writes a value as both kinds of stores read it, MySQL with NO_BACKSLASH_ESCAPES.
func literal(t *testing.T, value any) string {
	t.Helper()
	switch v := value.(type) {
	case nil:
		return "NULL"
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []byte:
		return literal(t, string(v))
	case string:
		require.True(t, utf8.ValidString(v) && !strings.ContainsAny(v, "\r"+lineBreak), "%q", v)
		text := "'" + strings.ReplaceAll(v, "'", "''") + "'"
		if strings.Contains(text, "\n") { // a statement is a line
			text = "REPLACE(" + strings.ReplaceAll(text, "\n", lineBreak) + ", '" + lineBreak + "', CHAR(10))"
		}
		return text
	}
	require.Fail(t, "a value of another type", "%T", value)
	return ""
}

func dumpKey(t *testing.T, s *kit.Stores, key string) redisKey {
	t.Helper()
	ctx := t.Context()
	name, own := strings.CutPrefix(key, s.Keys.Prefix)
	require.True(t, own, key)
	k := redisKey{Key: name}
	ttl, err := s.Redis.PTTL(ctx, key).Result()
	require.NoError(t, err)
	k.TTLMS = max(0, ttl.Milliseconds())
	switch kind := s.Redis.Type(ctx, key).Val(); kind {
	case "string":
		var text string
		text, err = s.Redis.Get(ctx, key).Result()
		k.Text = &text
	case "list":
		k.List, err = s.Redis.LRange(ctx, key, 0, -1).Result()
	case "set":
		k.Set, err = s.Redis.SMembers(ctx, key).Result()
		slices.Sort(k.Set)
	case "hash":
		k.Hash, err = s.Redis.HGetAll(ctx, key).Result()
	case "zset":
		var members []redis.Z
		members, err = s.Redis.ZRangeWithScores(ctx, key, 0, -1).Result()
		for _, m := range members {
			k.ZSet = append(k.ZSet, redisMember{Member: m.Member.(string), Score: m.Score})
		}
	default:
		require.Fail(t, "a key of another type", "%s: %s", key, kind)
	}
	require.NoError(t, err)
	require.True(t, utf8.ValidString(marshal(t, k)), key)
	return k
}

// load fills empty stores with a frozen state.
func load(t *testing.T, s *kit.Stores, dir string) {
	t.Helper()
	ctx := t.Context()
	conn, err := s.DB.Write.Connx(ctx)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	if s.DB.Dialect == sqldb.MySQL {
		var mode string
		require.NoError(t, conn.GetContext(ctx, &mode, `SELECT @@SESSION.sql_mode`))
		set := func(mode string) {
			_, err := conn.ExecContext(ctx, `SET SESSION sql_mode = '`+mode+`'`)
			require.NoError(t, err)
		}
		set(mode + ",NO_BACKSLASH_ESCAPES")
		defer set(mode) // the connection goes back to the pool
	}
	schema := strings.Join(read(t, dir, schemaFile), "\n")
	if s.DB.Dialect == sqldb.SQLite { // as the program makes this column there
		schema = strings.ReplaceAll(schema, "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY", "INTEGER PRIMARY KEY")
	}
	text := schema + "\n" + strings.Join(read(t, dir, dataFile), "\n")
	for statement := range strings.SplitSeq(text, ";\n") { // the last one keeps its semicolon
		_, err := conn.ExecContext(ctx, statement)
		require.NoError(t, err, statement)
	}
	for _, line := range read(t, dir, redisFile) {
		var k redisKey
		require.NoError(t, json.Unmarshal([]byte(line), &k))
		loadKey(t, s, &k)
	}
}

func loadKey(t *testing.T, s *kit.Stores, k *redisKey) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	key := s.Keys.Prefix + k.Key
	var err error
	switch {
	case k.Text != nil:
		err = s.Redis.Set(ctx, key, *k.Text, 0).Err()
	case k.List != nil:
		err = s.Redis.RPush(ctx, key, k.List).Err()
	case k.Set != nil:
		err = s.Redis.SAdd(ctx, key, k.Set).Err()
	case k.Hash != nil:
		err = s.Redis.HSet(ctx, key, k.Hash).Err()
	default:
		members := make([]redis.Z, len(k.ZSet))
		for i, m := range k.ZSet {
			members[i] = redis.Z{Member: m.Member, Score: m.Score}
		}
		err = s.Redis.ZAdd(ctx, key, members...).Err()
	}
	require.NoError(t, err, key)
	if k.TTLMS > 0 {
		require.NoError(t, s.Redis.PExpire(ctx, key, time.Duration(k.TTLMS)*time.Millisecond).Err(), key)
	}
}

func write(t *testing.T, dir, name string, lines []string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
}

// read returns the lines of a file.
func read(t *testing.T, dir, name string) (lines []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	scanner := bufio.NewScanner(bytes.NewReader(data))
	scanner.Buffer(nil, len(data)+1)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	require.NoError(t, scanner.Err())
	return lines
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(v))
	return strings.TrimSpace(text.String())
}
