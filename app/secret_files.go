package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/alecthomas/kong"
)

const (
	// fileSuffix ends the environment variables that name the file of a setting.
	fileSuffix = "_FILE"
	// maxSecretFile bounds such a file in bytes.
	maxSecretFile = 64 << 10
)

// fromFile returns the environment variable that may name the file of a setting; "" if the log shows its value, so that
// it is no secret.
func fromFile(flag *kong.Flag) string {
	if len(flag.Envs) == 0 || isShown(flag) {
		return ""
	}
	return flag.Envs[0] + fileSuffix
}

// secretFiles reads the settings that are in files. The values of the command line win.
func secretFiles(lookUp func(name string) (string, bool)) kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		name := fromFile(flag)
		path, _ := lookUp(name)
		if path = trimmed(path); name == "" || path == "" {
			return nil, nil //nolint:nilnil // not in a file
		}
		if value, both := lookUp(flag.Envs[0]); both && trimmed(value) != "" {
			return nil, fmt.Errorf("%s and %s are both set; unset one of them", flag.Envs[0], name)
		}
		value, err := readSecret(path)
		if err == nil {
			err = checkLine(flag.Value, value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return value, nil
	})
}

// readSecret returns the content of a file without the white space around it. Its errors don't have the content.
func readSecret(path string) (string, error) {
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
	value := trimmed(string(text))
	if value == "" {
		return "", errors.New("the file is empty")
	}
	return value, nil
}
