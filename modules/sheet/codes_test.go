package sheet

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The console's test reads the same cases.
func TestFilesOfCodesAreReadAsTheConsoleReadsThem(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/codes.json")
	require.NoError(t, err)
	var cases []struct {
		File  string
		Codes []string // of a good file
		Line  int      // of another one, which the error names
		Says  string
	}
	require.NoError(t, json.Unmarshal(data, &cases))
	require.NotEmpty(t, cases)
	for _, c := range cases {
		codes, err := ReadCodes(strings.NewReader(c.File), 20)
		if err == nil {
			err = CheckCodes(codes)
		}
		if c.Line > 0 {
			require.ErrorContains(t, err, c.Says, "%q", c.File)
			assert.True(t, strings.HasPrefix(err.Error(), fmt.Sprintf("line %d ", c.Line)), "%q: %s", c.File, err)
			continue
		}
		require.NoError(t, err, "%q", c.File)
		texts := []string{}
		for _, code := range codes {
			texts = append(texts, code.Text)
		}
		assert.Equal(t, c.Codes, texts, "%q", c.File)
	}
}

func TestFilesOfCodesHaveBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("A", bufio.MaxScanTokenSize)
	for file, want := range map[string]string{
		strings.Repeat("A1\n", 8):  "the file has more than 7 codes",
		"A1\n\n" + long + "\nB2\n": "line 3 is longer than 64 kB",
		long:                       "line 1 is longer than 64 kB",
	} {
		_, err := ReadCodes(strings.NewReader(file), 7)
		assert.EqualError(t, err, want, "%.40q", file)
	}
}
