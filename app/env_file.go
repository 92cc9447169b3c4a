package main

import (
	"fmt"
	"os"
	"strings"
)

// envFile returns the file that the arguments name by --env-file; "" if none does.
func envFile(args []string) string {
	const flag = "--env-file"
	for i, arg := range args {
		switch path, inArg := strings.CutPrefix(arg, flag+"="); {
		case arg == "--":
			return ""
		case inArg:
			return path
		case arg == flag && i+1 < len(args):
			return args[i+1]
		}
	}
	return ""
}

// loadEnvironment sets the variables of a file that the environment doesn't have. path may be "".
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
	for _, v := range readEnvironment(string(text)) {
		if value, there := lookUp(v.name); there && value != "" {
			continue
		}
		if err := set(v.name, v.value); err != nil {
			return fmt.Errorf("--env-file %s: %s: %w", path, v.name, err)
		}
	}
	return nil
}

type variable struct{ name, value string }

// readEnvironment reads variables as systemd reads an EnvironmentFile (systemd.exec(5)): a value may be in quotes, over
// several lines; a line that ends with a backslash goes on in the next one; a line that begins with # or ; is a
// comment; lines without = are ignored. The last value of a name counts.
func readEnvironment(text string) (found []variable) {
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
	return found
}

// isVariable reports whether systemd takes a name for that of a variable.
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

// readPlain reads an unquoted part: a backslash keeps the character behind it, and drops the end of a line.
func readPlain(text string) (part, rest string) {
	var b strings.Builder
	kept := 0 // what is behind it is white space that may end the value
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			return b.String()[:kept], text[i+1:]
		case c == '\\' && i+1 < len(text):
			if i++; text[i] != '\n' {
				b.WriteByte(text[i])
				kept = b.Len()
			}
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
			if i++; text[i] == '\n' {
				continue
			}
			if !strings.ContainsRune("\"\\`$", rune(text[i])) {
				b.WriteByte(c)
			}
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}
