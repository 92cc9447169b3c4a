package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"onrush/app/setting"
	"onrush/modules/sheet"
)

// unitFile has the settings of the unit that packages install.
const unitFile = "/etc/onrush/onrush.env"

// forgotten returns advice if the machine has a file of settings and nobody named it: the findings of a command that
// has not read the file say nothing of the instance there. Otherwise it returns "".
func (c *commands) forgotten() (advice string) {
	if _, err := os.Stat(c.unit); c.EnvFile != "" || err != nil {
		return ""
	}
	return "the settings of this machine are in " + c.unit + ": add --env-file " + c.unit
}

// envFile returns the file that the arguments name by --env-file; "" if none does. It refuses two, since an operator
// who gives two may expect the settings of both.
func envFile(args []string) (file string, err error) {
	const flag = "--env-file"
	named := false
	for i, arg := range args {
		path, inArg := strings.CutPrefix(arg, flag+"=")
		switch {
		case arg == "--":
			return file, nil
		case arg == flag && i+1 < len(args):
			path = args[i+1]
		case !inArg:
			continue
		}
		if named {
			return "", errors.New("--env-file: it is given twice, and a command reads one file; join the files")
		}
		file, named = path, true
	}
	return file, nil
}

// loadEnvironment sets the variables of a file that the environment doesn't have, or has with nothing but white space,
// which setting.TidyEnvironment takes for unset. path may be "".
func loadEnvironment(
	path string, lookUp func(name string) (string, bool), set func(name, value string) error,
) error {
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator names it
	if err != nil {
		return fmt.Errorf("--env-file: %w", err)
	}
	found, err := readEnvironment(string(text))
	if err != nil {
		return fmt.Errorf("--env-file %s: %w", path, err)
	}
	for _, v := range found {
		if value, _ := lookUp(v.name); setting.Trimmed(value) != "" {
			continue
		}
		if err := set(v.name, v.value); err != nil {
			return fmt.Errorf("--env-file %s: %s: %w", path, v.name, err)
		}
	}
	return nil
}

// setURL sets ONRUSH_URL, unless it is set, to where the instance of these settings answers operators. An address that
// can't be read is left to the commands that listen there.
func setURL(lookUp func(name string) (string, bool), set func(name, value string) error) error {
	var values []string
	for _, name := range []string{"ONRUSH_URL", "ONRUSH_URL_FILE", "ONRUSH_ADMIN_ADDR", "ONRUSH_ADDR"} {
		value, _ := lookUp(name)
		values = append(values, value)
	}
	addr := cmp.Or(values[2:]...)
	if cmp.Or(values[:2]...) != "" || addr == "" {
		return nil
	}
	url, err := instanceURL(addr)
	if err != nil {
		return nil //nolint:nilerr // as documented
	}
	return set("ONRUSH_URL", url)
}

var errUTF16 = errors.New("the file is in UTF-16, or has NUL bytes; save it as UTF-8")

type variable struct{ name, value string }

// readEnvironment reads variables as systemd reads an EnvironmentFile (systemd.exec(5)): a value may be in quotes, over
// several lines; a line that ends with a backslash goes on in the next one; a line that begins with # or ; is a
// comment; lines without = are ignored. The last value of a name counts. Lines may end with CRLF, and a byte order mark
// is skipped. A line that begins with export is an error: systemd ignores it, so its setting would be lost.
func readEnvironment(text string) (found []variable, err error) {
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") || strings.Contains(text, "\x00") {
		return nil, errUTF16
	}
	all := text
	text = strings.TrimPrefix(text, sheet.Mark)
	at := map[string]int{}
	for text != "" {
		text = strings.TrimLeft(text, " \t\r\n")
		if strings.HasPrefix(text, "#") || strings.HasPrefix(text, ";") {
			_, text = readPlain(text)
			continue
		}
		end := strings.IndexAny(text, "=\n")
		if end < 0 {
			break
		}
		name := strings.TrimSpace(text[:end])
		rest := text[end+1:]
		if text[end] == '\n' {
			text = rest
			continue
		}
		if words := strings.Fields(name); len(words) > 1 && words[0] == "export" {
			line := 1 + strings.Count(all[:len(all)-len(text)], "\n")
			return nil, fmt.Errorf("line %d begins with export, which only shells know; remove the word", line)
		}
		var value string
		value, text = readValue(rest)
		if !isVariable(name) {
			continue
		}
		if i, again := at[name]; again {
			found[i].value = value
			continue
		}
		at[name] = len(found)
		found = append(found, variable{name, value})
	}
	return found, nil
}

// isVariable reports whether systemd accepts a name as the name of a variable.
func isVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// readValue reads quoted and unquoted parts up to the end of the line.
func readValue(text string) (value, rest string) {
	for {
		text = strings.TrimLeft(text, " \t\r")
		var part string
		switch {
		case strings.HasPrefix(text, "'"):
			part, text, _ = strings.Cut(text[1:], "'")
		case strings.HasPrefix(text, `"`):
			part, text = readQuoted(text[1:])
		default:
			part, text = readPlain(text)
			return value + part, text
		}
		value += part
	}
}

// lineEnd returns the length of the line's end, LF or CRLF, that text begins with; 0 if it begins with none.
func lineEnd(text string) int {
	switch {
	case strings.HasPrefix(text, "\n"):
		return len("\n")
	case strings.HasPrefix(text, "\r\n"):
		return len("\r\n")
	}
	return 0
}

// readPlain reads an unquoted part: a backslash keeps the character behind it, and drops the end of a line.
func readPlain(text string) (part, rest string) {
	var b strings.Builder
	kept := 0 // the text from here on is white space, which is dropped if the value ends with it
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			return b.String()[:kept], text[i+1:]
		case c == '\\' && i+1 < len(text):
			if n := lineEnd(text[i+1:]); n > 0 {
				i += n
				continue
			}
			i++
			b.WriteByte(text[i])
			kept = b.Len()
		default:
			b.WriteByte(c)
			if !strings.ContainsRune(" \t\r", rune(c)) {
				kept = b.Len()
			}
		}
	}
	return b.String()[:kept], ""
}

// readQuoted reads up to the closing quote: a backslash keeps only the characters that a shell would expand, and drops
// the end of a line.
func readQuoted(text string) (part, rest string) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return b.String(), text[i+1:]
		case c == '\\' && i+1 < len(text):
			if n := lineEnd(text[i+1:]); n > 0 {
				i += n
				continue
			}
			if i++; !strings.ContainsRune("\"\\`$", rune(text[i])) {
				b.WriteByte(c)
			}
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}
