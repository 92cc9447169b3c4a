package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"onrush/app/embedded"
	"onrush/app/schema"
	"onrush/app/server"
	"onrush/modules/redisdb"
)

// defaultDataDir is the folder of embedded stores that nobody has chosen.
const defaultDataDir = "./data"

// schemaCommand needs only the address of the SQL store. Where it knows the Redis of the site, too, up makes no tables
// in an empty database beside it.
type schemaCommand struct {
	MySQLDSN string `name:"mysql-dsn" help:"MySQL. Empty: SQLite in data-dir." env:"ONRUSH_MYSQL_DSN"`
	DataDir  string `name:"data-dir" help:"Embedded stores' folder." default:"./data" env:"ONRUSH_DATA_DIR" log:"show"`
	// RedisURL and RedisPrefix are as the settings of serve.
	RedisURL    string `help:"redis://user:password@host:port/db." env:"ONRUSH_REDIS_URL" log:"address"`
	RedisPrefix string `help:"Prefix of keys: a-z, 0-9 and -." default:"onrush" env:"ONRUSH_REDIS_PREFIX" log:"show"`
	DryRun      bool   `help:"Print the statements of up, and run none."`
	Action      string `arg:"" enum:"up,status,check" default:"up" help:"up applies, status lists, check may fail"`
}

// Run applies the schema, or compares it.
func (c *schemaCommand) Run(ctx context.Context, out io.Writer) error {
	cfg := &server.Config{
		MySQLDSN: c.MySQLDSN, DataDir: c.DataDir, RedisURL: c.RedisURL, RedisPrefix: c.RedisPrefix,
	}
	redisdb.LogTo(slog.New(slog.DiscardHandler)) // what its client tries again is no part of the schema
	if c.Action != "up" && c.DryRun {
		return fmt.Errorf("--dry-run is for up: %s changes nothing", c.Action)
	}
	if c.MySQLDSN == "" && c.DataDir == defaultDataDir && !embedded.HasSQL(c.DataDir) {
		return errors.New("which database? Set ONRUSH_MYSQL_DSN or --env-file, or ONRUSH_DATA_DIR for embedded stores")
	}
	if c.Action == "up" && !c.DryRun {
		if err := server.UpgradeSchema(ctx, cfg, slog.New(slog.NewTextHandler(os.Stderr, nil))); err != nil {
			return err
		}
		of := ""
		if c.MySQLDSN == "" {
			of = " of the embedded store in " + c.DataDir
		}
		_, err := fmt.Fprintf(out, "The schema%s is up to date.\n", of)
		return err
	}
	changes, differences, err := server.CompareSchema(ctx, cfg)
	if err != nil {
		return err
	}
	switch c.Action {
	case "status":
		return printChanges(out, changes)
	case "check":
		return checkChanges(out, changes, differences)
	}
	return printStatements(out, changes)
}

// printStatements prints the statements that are missing; if no change is, a comment that says so.
func printStatements(out io.Writer, changes []schema.Change) error {
	text := "-- The schema is up to date.\n"
	if slices.ContainsFunc(changes, func(c schema.Change) bool {
		return c.State == schema.Missing || c.State == schema.Begun
	}) {
		text = ""
	}
	for _, change := range changes {
		if change.Statements != "" {
			text += fmt.Sprintf("-- %s\n%s\n", change.Name, change.Statements)
		}
	}
	_, err := io.WriteString(out, text)
	return err
}

func printChanges(out io.Writer, changes []schema.Change) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "CHANGE\tSTATE\tFINGERPRINT")
	for _, change := range changes {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%.12s\n", change.Name, change.State, change.Fingerprint)
	}
	return table.Flush()
}

// checkChanges returns an error if the database lacks a change, or differs from what the changes made.
func checkChanges(out io.Writer, changes []schema.Change, differences []string) error {
	lacks, newer := 0, 0
	for _, change := range changes {
		switch change.State {
		case schema.Missing, schema.Begun:
			lacks++
		case schema.Newer:
			newer++
		case schema.Applied:
		}
	}
	if lacks > 0 {
		return fmt.Errorf("the database lacks %d of %d changes: run onrush schema up", lacks, len(changes)-newer)
	}
	if len(differences) > 0 {
		return fmt.Errorf("somebody has edited the tables: %s", strings.Join(differences, "; "))
	}
	text := "The schema is up to date."
	if newer > 0 {
		text = fmt.Sprintf("The schema is up to date, and has changes of a newer version, "+
			"with which this one runs: %d.", newer)
	}
	_, err := fmt.Fprintln(out, text)
	return err
}
