package setting

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"
)

// Characters around the value of a setting, such as the line break at the end of a secret of Kubernetes, or the space
// behind a comma, is no part of it. Inside it, nothing but a key in PEM or base64 has a line break or another control
// character, and such a value would be refused at each signature, or in each header, long after the start.

// Trimmed returns text without the white space around it, and without the byte order mark that editors of Windows put
// before it.
func Trimmed(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
}

// ErrControl and ErrPair don't quote the value, which may be a secret.
var (
	ErrControl = errors.New("it has a line break or another control character inside")
	ErrPair    = errors.New("an item is not a name, = and a value")
)

// checkLine refuses the value of a setting that has control characters inside, or inside an item of a list, unless its
// tag says that it has lines; and a map with an item that has no name.
func checkLine(setting *kong.Value, value string) error {
	items := []string{value}
	switch {
	case setting.IsMap():
		items = nil
		for _, item := range kong.SplitEscaped(value, setting.Tag.MapSep) {
			name, text, found := strings.Cut(item, "=")
			if Trimmed(item) != "" && (!found || Trimmed(name) == "") {
				return ErrPair
			}
			items = append(items, name, text)
		}
	case setting.IsSlice():
		items = kong.SplitEscaped(value, setting.Tag.Sep)
	}
	if setting.Tag.Has("lines") {
		return nil
	}
	for _, item := range items {
		if strings.ContainsFunc(Trimmed(item), unicode.IsControl) {
			return ErrControl
		}
	}
	return nil
}

// trimSettings makes the parser take the white space off all settings, which are the flags with an environment
// variable, from wherever they come; off each item of a list, and each key and value of a map.
var trimSettings = kong.KindMapper(reflect.String, kong.MapperFunc(
	func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto("string", &text); err != nil {
			return err
		}
		if len(ctx.Value.Tag.Envs) > 0 {
			if err := checkLine(ctx.Value, text); err != nil {
				return err
			}
			text = Trimmed(text)
		}
		target.SetString(text)
		return nil
	}))

// pairs makes the parser read maps without quoting them in its errors.
var pairs = kong.KindMapper(reflect.Map, kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("map", &text); err != nil {
		return err
	}
	if err := checkLine(ctx.Value, text); err != nil {
		return err
	}
	values := map[string]string{}
	for _, item := range kong.SplitEscaped(text, ctx.Value.Tag.MapSep) {
		if name, value, found := strings.Cut(item, "="); found {
			values[Trimmed(name)] = Trimmed(value)
		}
	}
	target.Set(reflect.ValueOf(values))
	return nil
}))

// decimal makes the parser read whole numbers as people do: it took 010 for 8. A tag least says which is too small.
var decimal = kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("number", &text); err != nil {
		return err
	}
	var err error
	if bits := target.Type().Bits(); target.CanUint() {
		var n uint64
		n, err = strconv.ParseUint(Trimmed(text), 10, bits)
		target.SetUint(n)
	} else {
		var n int64
		n, err = strconv.ParseInt(Trimmed(text), 10, bits)
		target.SetInt(n)
	}
	if err != nil {
		return errors.New("expected a decimal number")
	}
	if least, err := strconv.ParseInt(ctx.Value.Tag.Get("least"), 10, 64); err == nil && target.Int() < least {
		return fmt.Errorf("it must be %d or more", least)
	}
	return nil
})

// TidyEnvironment takes the white space off the environment variables of settings, which environ lists in the form of
// os.Environ, and unsets variables that are empty then.
func TidyEnvironment(
	app *kong.Application, environ []string, set func(name, value string) error, unset func(name string) error,
) error {
	settings := Of(app.Node)
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		i := slices.IndexFunc(settings, func(f *kong.Flag) bool { return slices.Contains(f.Envs, name) })
		if i < 0 {
			continue
		}
		err := checkLine(settings[i].Value, value)
		switch tidy := Trimmed(value); {
		case err != nil:
		case tidy == "":
			err = unset(name)
		case tidy != value:
			err = set(name, tidy)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// Of returns the flags of a command and of those below it.
func Of(node *kong.Node) []*kong.Flag {
	flags := slices.Clone(node.Flags)
	for _, child := range node.Children {
		flags = append(flags, Of(child)...)
	}
	return flags
}

// Mappers are how a parser reads the values of settings.
func Mappers() []kong.Option {
	return []kong.Option{
		trimSettings, pairs, kong.KindMapper(reflect.Int, decimal), kong.KindMapper(reflect.Int64, decimal),
		kong.KindMapper(reflect.Uint64, decimal),
	}
}
