package servers

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheServerThatComesFirstOnThePathIsUsed(t *testing.T) {
	t.Parallel()
	install := func(program, version string) (dir string) {
		dir = t.TempDir()
		text := "#!/bin/sh\necho " + version + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, program), []byte(text), 0o700))
		return dir
	}
	maria, mySQL := install("mariadbd", "Ver 11.8.9-MariaDB"), install("mysqld", "Ver 9.7.4")
	other := install("redis-server", "v=8.0.6")
	join := func(dirs ...string) string {
		path := ""
		for _, dir := range dirs {
			path += dir + string(filepath.ListSeparator)
		}
		return path
	}
	for path, want := range map[string]string{
		join(other, mySQL, maria): filepath.Join(mySQL, "mysqld"),
		join(maria, mySQL):        filepath.Join(maria, "mariadbd"),
	} {
		program, err := findSQLOn(path)
		require.NoError(t, err)
		assert.Equal(t, want, program.Path)
		assert.Equal(t, filepath.Base(want) == "mariadbd", program.IsMaria)
	}
	_, err := findSQLOn(other)
	require.Error(t, err)
}
