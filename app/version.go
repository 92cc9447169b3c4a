package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/url"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	mangokong "github.com/alecthomas/mango-kong"
	"github.com/go-sql-driver/mysql"
	"github.com/muesli/roff"

	"onrush/app/release"
	"onrush/app/setting"
	"onrush/modules/sign"
)

type manCommand struct{}

// Run prints the manual page in the format of man.
func (manCommand) Run(parsed *kong.Context, out io.Writer) error {
	forManual(parsed.Model.Node)
	_, err := io.WriteString(out, mangokong.NewManPage(1, parsed.Model).Build(roff.NewDocument()))
	return err
}

type versionCommand struct{}

// Run prints the version, the commit and the Go release that the program was built from.
func (versionCommand) Run(out io.Writer) error {
	_, err := fmt.Fprintf(out, "onrush %s %s\n", release.Version(), runtime.Version())
	return err
}

// logStart writes the line that begins a log: the version, and each setting that is not at its
// default.
func logStart(ctx context.Context, log *slog.Logger, flags []*kong.Flag) {
	attrs := []slog.Attr{slog.String("version", release.Version()), slog.String("go", runtime.Version())}
	for _, flag := range flags {
		if len(flag.Envs) == 0 || !flag.Target.IsValid() || flag.Target.IsZero() || isDefault(flag) {
			continue
		}
		attrs = append(attrs, slog.String(flag.Name, shownValue(flag)))
	}
	log.LogAttrs(ctx, slog.LevelInfo, "starting", attrs...)
}

// isDefault reports whether a setting has its default, in whatever form that is written.
func isDefault(flag *kong.Flag) bool {
	if !flag.HasDefault {
		return false
	}
	value := reflect.New(flag.Target.Type()).Elem()
	scan := kong.Scan().PushTyped(flag.Default, kong.FlagValueToken)
	if err := flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan}, value); err != nil {
		return false
	}
	return reflect.DeepEqual(value.Interface(), flag.Target.Interface())
}

// shownValue is the value of a setting as the log may have it. Numbers, durations, switches and
// choices are shown. A text may be a secret, so it is shown only where its field has the tag
// log:"show"; of a store's address, log:"address", the password is left out. Secrets that are replaced step by step
// (log:"digest"), alone or behind the address that they sign calls to (log:"calls"), are shown as their digests.
func shownValue(flag *kong.Flag) string {
	switch {
	case setting.IsShown(flag):
		return fmt.Sprint(flag.Target.Interface())
	case flag.Tag.Get("log") == "address":
		return address(flag.Target.String())
	case flag.Tag.Get("log") == "digest":
		return sign.ParseSecrets(flag.Target.String()).Digests(flag.Envs[0])
	case flag.Tag.Get("log") == "calls":
		return callDigests(flag)
	}
	return "set"
}

// callDigests are the digests of the secrets behind an address, or behind each of several, by their names.
func callDigests(flag *kong.Flag) string {
	digests := func(text string) string {
		fields := strings.Fields(text) // the address, the secrets, and perhaps a word
		if len(fields) < 2 {
			return "none"
		}
		return sign.ParseSecrets(fields[1]).Digests(flag.Envs[0])
	}
	several, ok := flag.Target.Interface().(map[string]string)
	if !ok {
		return digests(flag.Target.String())
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(several)) {
		all = append(all, name+"="+digests(several[name]))
	}
	return strings.Join(all, ",")
}

// address is where a store is, without the login: host and database of a URL or a MySQL DSN.
func address(text string) string {
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		return u.Host + u.Path
	}
	if dsn, err := mysql.ParseDSN(text); err == nil {
		return dsn.Addr + "/" + dsn.DBName
	}
	return "set"
}
