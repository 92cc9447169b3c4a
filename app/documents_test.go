package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/deploy/mixin"
	"onrush/modules/catalogue"
	"onrush/test/kit"
)

// inDocument matches a command between backticks or on a line of an example.
var inDocument = regexp.MustCompile("(?m)(?:`|^ *)(?:sudo )?onrush( [^`#|\n]*)?(?:`|$|#|\\|)")

// commandsOf returns the commands of a document, without onrush.
func commandsOf(t *testing.T, path string) (commands []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, m := range inDocument.FindAllStringSubmatch(string(text), -1) {
		if line := strings.TrimSpace(m[1]); line != "" && !slices.Contains(commands, line) {
			commands = append(commands, line)
		}
	}
	return commands
}

func TestTheCommandLineHasEachCommandAndFlagOfTheDocuments(t *testing.T) {
	t.Parallel()
	root, found := os.DirFS(".."), 0
	require.NoError(t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".md" || name == "CHANGELOG.md" ||
			strings.Contains(name, "node_modules") {
			return err
		}
		for _, line := range commandsOf(t, filepath.Join("..", name)) {
			found++
			parser, err := newParser(&commands{}, kong.Exit(func(int) {}), kong.Writers(io.Discard, io.Discard))
			require.NoError(t, err)
			args := strings.Fields(strings.Trim(line, "…"))
			if _, err := parser.Parse(args); err != nil { // a document may leave out arguments
				assert.NotContains(t, err.Error(), "unexpected argument", "%s: onrush %s", name, line)
				assert.NotContains(t, err.Error(), "unknown flag", "%s: onrush %s", name, line)
			}
		}
		return nil
	}))
	assert.Greater(t, found, 50)
}

// An alert that fires at night names a command, which must be one.
func TestTheCommandLineHasEachCommandOfTheAlerts(t *testing.T) {
	t.Parallel()
	rules, err := mixin.Alerts(1, mixin.Docs)
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^ +command: onrush (.+)$`).FindAllStringSubmatch(string(rules), -1)
	assert.Greater(t, len(found), 20)
	for _, command := range found {
		line := regexp.MustCompile(`\{\{.*?\}\}`).ReplaceAllString(command[1], "id")
		for one := range strings.SplitSeq(line, "; onrush ") {
			parser, err := newParser(&commands{}, kong.Exit(func(int) {}), kong.Writers(io.Discard, io.Discard))
			require.NoError(t, err)
			_, err = parser.Parse(strings.Fields(one))
			require.NoError(t, err, command[0])
		}
	}
}

// Each command of the two pages that people read in a hurry runs as it is written there, with a sale of this test.
func TestTheCommandsOfAlertsAndOfASaleRun(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	c.must(t, saleFile("published", 1900, 100), "activities", "apply", "-y", "-f", "-")
	_, err := c.site.Server.Catalogue.PutSKU(t.Context(), catalogue.SKU{
		ID: "card", Title: "Card", Shop: "shop", Kind: catalogue.Voucher, Currency: "CNY", Stock: 10,
	})
	require.NoError(t, err)
	dir := t.TempDir()
	sale, codes := filepath.Join(dir, "sale.yaml"), filepath.Join(dir, "codes.txt")
	require.NoError(t, os.WriteFile(sale, []byte(saleFile("published", 1900, 90)), 0o600))
	require.NoError(t, os.WriteFile(codes, []byte("GIFT-1\n"), 0o600))
	c.must(t, "", "endpoints", "create", "erp", "https://shop.example/events")
	filled := strings.NewReplacer("sale.yaml", sale, "codes.txt", codes, "SKU", "card", "<activity>", "noon",
		"ID", "erp", "--reason …", "--reason=no_record", "keys create", "keys create till till", "activities pause",
		"activities pause noon")
	ran := 0
	for _, page := range []string{"../docs/operating/alerts.md", "../docs/operating/run-a-sale.md"} {
		for _, line := range commandsOf(t, page) {
			args := strings.Fields(filled.Replace(line))
			switch {
			case line == "vouchers import": // named, without its arguments
				args = append(args, "card", "-f", codes)
			case args[0] == "doctor", args[0] == "alerts": // have tests of their own
				continue
			}
			c.must(t, "y\n", args...)
			ran++
		}
	}
	assert.Greater(t, ran, 15)
}
