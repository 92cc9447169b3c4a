package setting

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"time"

	"github.com/alecthomas/kong"
)

const (
	// fileSuffix ends the environment variables that name the file of a setting.
	fileSuffix = "_FILE"
	// maxSecretFile bounds such a file in bytes.
	maxSecretFile = 64 << 10
)

// FromFile returns the environment variable that may name the file of a setting; "" if the log shows its value, so that
// it is no secret.
func FromFile(flag *kong.Flag) string {
	if len(flag.Envs) == 0 || IsShown(flag) {
		return ""
	}
	return flag.Envs[0] + fileSuffix
}

// Files reads the settings that are in files. The values of the command line win.
func Files(lookUp func(name string) (string, bool)) kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		name := FromFile(flag)
		path, _ := lookUp(name)
		if path = Trimmed(path); name == "" || path == "" {
			return nil, nil //nolint:nilnil // not in a file
		}
		if value, both := lookUp(flag.Envs[0]); both && Trimmed(value) != "" {
			return nil, fmt.Errorf("%s and %s are both set; unset one of them", flag.Envs[0], name)
		}
		value, err := ReadFile(path)
		if err == nil {
			err = checkLine(flag.Value, value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return value, nil
	})
}

// ReadFile returns the content of a file without the white space around it. Its errors don't have the content.
func ReadFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Size() > maxSecretFile {
		return "", errors.New("the file is larger than 64 KiB")
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator names it
	if err != nil {
		return "", err
	}
	value := Trimmed(string(text))
	if value == "" {
		return "", errors.New("the file is empty")
	}
	return value, nil
}

// IsShown reports whether the log may have the value of a setting as it is.
func IsShown(flag *kong.Flag) bool {
	kind := flag.Target.Kind()
	return flag.Target.Type() == reflect.TypeFor[time.Duration]() || kind == reflect.Bool ||
		kind >= reflect.Int && kind <= reflect.Float64 || flag.Enum != "" || flag.Tag.Get("log") == "show"
}
