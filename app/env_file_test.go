package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnEnvironmentFileIsReadAsSystemdDoes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]variable{
		"A=1\nB=two words \n":                            {{"A", "1"}, {"B", "two words"}},
		" A = 1\r\nB=\t2\r\n":                            {{"A", "1"}, {"B", "2"}},
		"A=\"a \\\"q\\\" \\$ \\x \\\\ b\"\nB='it \"s\\'": {{"A", `a "q" $ \x \ b`}, {"B", `it "s\`}},
		"A=a\\ b\\\\c\\\nd\nB=\"x\\\ny\nz\"\nC='p\nq'\nD=4": {
			{"A", `a b\cd`}, {"B", "xy\nz"}, {"C", "p\nq"}, {"D", "4"},
		},
		"# A=1\n ; B=2\n#C=3\\\nD=4\nE=5#6 # 7\n":         {{"E", "5#6 # 7"}},
		"A=\"x\"'y' z\nB=a\"b\"\nC=\nD":                   {{"A", "xyz"}, {"B", `a"b"`}, {"C", ""}},
		"nothing\nexport A\nexport=1\n1A=2\nÄ=3\n=4\nB=5": {{"export", "1"}, {"B", "5"}},
		"A=1\nB=2\nA=3\n":                                 {{"A", "3"}, {"B", "2"}},
		"A=trailing\\ \\\n":                               {{"A", "trailing "}},
		"":                                                nil,
		"\ufeffA=1\nB=2":                                  {{"A", "1"}, {"B", "2"}},
		"A=a\\\r\nb\r\n#\\\r\nC=1\r\nB=\"x\\\r\ny\"\r\n": {{"A", "ab"}, {"B", "xy"}},
	} {
		found, err := readEnvironment(text)
		require.NoError(t, err, "%q", text)
		assert.Equal(t, want, found, "%q", text)
	}
}

func TestAnEnvironmentFileThatSystemdReadsOtherwiseIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\ufeff# secrets\n\nB=\"x\ny\"\n  export A=hidden\n": "line 5 begins with export",
		"A=1\r\nexport\tA=hidden":                            "line 2 begins with export",
		"\xff\xfeA\x00=\x001\x00":                            "UTF-16",
		"\xfe\xff\x00A\x00=\x001":                            "UTF-16",
		"A\x00=\x001\x00":                                    "UTF-16",
	} {
		_, err := readEnvironment(text)
		require.ErrorContains(t, err, want, "%q", text)
		assert.NotContains(t, err.Error(), "hidden")
	}
}

func TestCommandsReadTheEnvironmentFileOfAUnit(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "onrush.env")
	require.NoError(t, os.WriteFile(file, []byte(
		"# secrets\nONRUSH_JWT_SECRET='a secret of more than 32 bytes, really'\nONRUSH_JWT_ISSUER=file\n"), 0o600))
	for _, args := range [][]string{
		{"token", "alice", "--env-file", file}, {"--env-file=" + file, "token", "alice"},
	} {
		out, logged, code := run(t, nil, args...)
		assert.Zero(t, code, logged)
		assert.NotEmpty(t, out)
	}
	_, logged, code := run(t, []string{"ONRUSH_JWT_SECRET=short"}, "token", "alice", "--env-file="+file)
	assert.Equal(t, 1, code, "a variable of the environment comes before the file")
	assert.Contains(t, logged, "32")
	for _, blank := range []string{"", " ", "\n", "\ufeff\t"} {
		_, logged, code = run(t, []string{"ONRUSH_JWT_SECRET=" + blank}, "token", "alice", "--env-file="+file)
		assert.Zero(t, code, "a variable of white space is unset: %q: %s", blank, logged)
	}
	_, logged, code = run(t, nil, "token", "alice", "--env-file="+file, "--env-file", file)
	assert.Equal(t, 1, code)
	assert.Contains(t, logged, "--env-file: it is given twice")
	_, logged, code = run(t, nil, "token", "alice", "--env-file=/nowhere")
	assert.Equal(t, 1, code)
	assert.Contains(t, logged, "/nowhere")
	require.NoError(t, os.WriteFile(file, []byte("ONRUSH_JWT_SECERT=x\n"), 0o600))
	_, logged, code = run(t, nil, "token", "alice", "--env-file", file)
	assert.NotZero(t, code)
	assert.Contains(t, logged, "did you mean ONRUSH_JWT_SECRET?")
}
