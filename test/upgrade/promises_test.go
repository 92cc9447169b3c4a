package upgrade

import (
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush"
	"onrush/app/schema"
	"onrush/lua"
	"onrush/test/kit"
	"onrush/test/site"
)

// promises are the lists of what a version has, by file: how this version's is made, and which lines of an
// older one are broken. A line that is gone is nil.
var promises = []struct {
	file   string
	list   func(t *testing.T) []string
	broken func(had, has []string) []string
}{
	{"api.txt", listAPI, brokenAPI},
	{"codes.txt", listCodes, nil},
	{"columns.txt", listColumns, schema.Narrowed},
	{"go.txt", listSurface, nil},
	{"metrics.txt", listMetrics, nil},
	{"redis.txt", listRedis, nil},
}

func TestWhatAnOlderVersionHadIsThere(t *testing.T) {
	t.Parallel()
	for _, p := range promises {
		t.Run(p.file, func(t *testing.T) {
			t.Parallel()
			has := p.list(t)
			require.NotEmpty(t, has)
			if version := os.Getenv(freezeVariable); version != "" {
				write(t, version, p.file, group(has))
			}
			broken := p.broken
			if broken == nil {
				broken = gone
			}
			for _, version := range versions(t) {
				assert.Empty(t, broken(expand(read(t, version, p.file)), has), "%s promised it", version)
			}
		})
	}
}

// gone returns the lines that are no more.
func gone(had, has []string) (lines []string) {
	for _, line := range had {
		if !slices.Contains(has, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// group writes lines of one kind and subject, which are parted by tabs, as one line.
func group(lines []string) (grouped []string) {
	former := ""
	for _, line := range lines {
		at := strings.LastIndex(line, "\t")
		if at > 0 && line[:at] == former {
			grouped[len(grouped)-1] += line[at:]
			continue
		}
		grouped = append(grouped, line)
		former = line[:max(at, 0)]
	}
	return grouped
}

// expand undoes group.
func expand(grouped []string) (lines []string) {
	for _, line := range grouped {
		parts := strings.Split(line, "\t")
		if len(parts) < 3 {
			lines = append(lines, line)
			continue
		}
		for _, fact := range parts[2:] {
			lines = append(lines, parts[0]+"\t"+parts[1]+"\t"+fact)
		}
	}
	return lines
}

// listCodes returns the codes of problems with their statuses, as the guide for clients has them: another test compares
// the guide with the code.
func listCodes(t *testing.T) (lines []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/shop/errors.md")
	require.NoError(t, err)
	for _, found := range regexp.MustCompile("(?m)^### `([a-z_]+)` \\((\\d+)\\)$").FindAllStringSubmatch(string(text),
		-1) {
		lines = append(lines, found[1]+" "+found[2])
	}
	slices.Sort(lines)
	return lines
}

// listSurface returns the declarations of package onrush. A type that gets a field has another text, so its lines stand
// alone.
func listSurface(t *testing.T) (lines []string) {
	t.Helper()
	owner := ""
	for _, line := range read(t, "../../docs/api", "onrush.txt") {
		code, _, _ := strings.Cut(line, "//")
		code = strings.Join(strings.Fields(code), " ")
		switch {
		case strings.HasPrefix(line, "type "), strings.HasPrefix(line, "func "):
			owner = code
			lines = append(lines, code)
		case strings.HasPrefix(line, "\t") && code != "" && strings.HasPrefix(owner, "type "):
			lines = append(lines, owner+" "+code)
		case strings.HasPrefix(line, "var "), strings.HasPrefix(line, "const "):
			owner = "type "
			lines = append(lines, code)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// listMetrics returns the metrics: those that say so with the names of their labels, and all names in the code.
func listMetrics(t *testing.T) (lines []string) {
	t.Helper()
	name := regexp.MustCompile(`"(onrush_[a-z_]+)"`)
	for _, folder := range []string{"app", "jobs", "modules", "web"} {
		require.NoError(t, filepath.WalkDir("../../"+folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, found := range name.FindAllStringSubmatch(string(text), -1) {
				lines = append(lines, found[1])
			}
			return err
		}))
	}
	registry := prometheus.NewRegistry()
	settings := map[string]string{}
	for _, setting := range site.Env() {
		name, value, _ := strings.Cut(setting, "=")
		settings[name] = value
	}
	delete(settings, "ONRUSH_PUBLIC_URL")
	platform, err := onrush.New(t.Context(), onrush.Config{
		Dir: t.TempDir(), BaseURL: "http://127.0.0.1:1", Settings: settings, Metrics: registry,
		Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	require.NoError(t, platform.Start(t.Context()))
	defer func() { require.NoError(t, platform.Stop(t.Context())) }()
	described := make(chan *prometheus.Desc)
	go func() {
		registry.Describe(described)
		close(described)
	}()
	facts := regexp.MustCompile(`fqName: "(\w+)".*variableLabels: \{([^}]*)\}`)
	for desc := range described {
		found := facts.FindStringSubmatch(desc.String())
		require.NotNil(t, found, desc.String())
		labels := strings.FieldsFunc(found[2], func(r rune) bool { return r == ',' || r == ' ' })
		slices.Sort(labels)
		lines = append(lines, strings.TrimSpace(found[1]+" "+strings.Join(labels, " ")))
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// listColumns returns the columns and indexes of the schema.
func listColumns(t *testing.T) []string {
	t.Helper()
	s := kit.OnEmbedded(t)
	shape, err := schema.Shape(t.Context(), s.DB)
	require.NoError(t, err)
	return shape
}

// listRedis returns the names of all keys, made of the same ids, and an example of each format of values and fields.
func listRedis(t *testing.T) (lines []string) {
	t.Helper()
	keys := reflect.ValueOf(lua.Keys{Prefix: "onrush"})
	for i := range keys.NumMethod() {
		method := keys.Method(i)
		args := make([]reflect.Value, method.Type().NumIn())
		texts := []string{"sale", "sku", "nonce"}
		for i := range args {
			switch kind := method.Type().In(i); kind.Kind() {
			case reflect.String:
				args[i], texts = reflect.ValueOf(texts[0]), texts[1:]
			default:
				args[i] = reflect.ValueOf(7).Convert(kind)
			}
		}
		for _, result := range method.Call(args) {
			if result.Kind() == reflect.Slice { // keys in an order, to which later ones are appended
				for n := range result.Len() {
					lines = append(lines, fmt.Sprintf("key %v", result.Slice(0, n+1).Interface()))
				}
				continue
			}
			lines = append(lines, fmt.Sprintf("key %v", result.Interface()))
		}
	}
	lines = append(lines,
		"field "+lua.OrderField("7"), "field "+lua.StockField("sku", "point"), "field "+lua.EmptyField("sku"),
		"field "+lua.BoughtField(lua.CountedAll, "user"), "field "+lua.BoughtField(lua.CountedSKU("sku"), "user"),
		"held "+lua.FormatHeld("sku", "point", 2, "user"), "entry "+lua.FormatEntry(7, 1000, "sale", "user"),
		"task "+lua.Task{Number: "7", State: lua.TaskFailed, Digest: "digest", Reason: "no_stock"}.String(),
		"states "+fmt.Sprint(lua.StateLoading, lua.StateOpen, lua.StateClosed, lua.TaskSubmitted, lua.TaskStored),
	)
	slices.Sort(lines)
	return slices.Compact(lines)
}

// The text of a frozen folder is small, since each version adds one.
func TestAFrozenStateIsSmall(t *testing.T) {
	t.Parallel()
	for _, version := range versions(t) {
		var bytes int64
		paths, err := filepath.Glob(filepath.Join(version, "*"))
		require.NoError(t, err)
		for _, path := range paths {
			info, err := os.Stat(path)
			require.NoError(t, err)
			bytes += info.Size()
		}
		assert.Less(t, bytes, int64(400_000), version)
	}
}
