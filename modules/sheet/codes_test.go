package sheet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCodesOfSpreadsheetsAreUnquoted(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"A1\nB2\n":                          "A1 B2",
		"\ufeff\"A1\"\r\n\r\n  \"B2\" \r\n": "A1 B2",
		"=\"007\"\n\" C3 \"\n":              "007 C3",
		"\"A,1;\"\"\"\nA\"1\n":              "A,1;\" A\"1",
		"12E5\nEA+1\n#1\nCODEX\n=A1\n":      "12E5 EA+1 #1 CODEX =A1",
		"":                                  "",
		"ABC\nDEF\n":                        "ABC DEF",
		"ABC":                               "ABC",
		"A1\nCODE\n":                        "A1 CODE",
	} {
		codes, err := ReadCodes(strings.NewReader(file), 7)
		require.NoError(t, err, "%q", file)
		require.NoError(t, CheckCodes(codes), "%q", file)
		texts := []string{}
		for _, code := range codes {
			texts = append(texts, code.Text)
		}
		assert.Equal(t, strings.Fields(want), texts, "%q", file)
	}
}

func TestWhatIsNoCodeIsRefusedWithItsLine(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"code\nA1\n":                          "line 1 looks like the name of a column",
		"\n\"Gift code\"\nABC\n":              "line 2 looks like the name of a column",
		"Gutschein\nA1\nB2\n":                 "line 1 looks like the name of a column",
		"A1\nB2,19.00\n":                      "line 2 has more than one column",
		"A1;\n":                               "line 1 has more than one column",
		"A1\tB2\n":                            "line 1 has more than one column",
		"\"A1\";\"B2\"\n":                     "line 1 has more than one column",
		"A1\n\"B2\n\"C3\"\n":                  "line 2 has quotes that don't enclose it",
		"\"A\"1\"\n":                          "line 1 has quotes that don't enclose it",
		"\"\n":                                "line 1 has quotes that don't enclose it",
		"A1\n1.23E+15\n":                      "line 2 is what a spreadsheet makes of a code",
		"A1\n\"1,23E+15\"\n":                  "line 2 is what a spreadsheet makes of a code",
		"5e-07\n":                             "line 1 is what a spreadsheet makes of a code",
		"A1\n#N/A\n":                          "line 2 is what a spreadsheet makes of a code",
		"A1\n########\n":                      "line 2 is what a spreadsheet makes of a code",
		strings.Repeat("A1\n", 8):             "the file has more than 7 codes",
		strings.Repeat("A", 1<<20) + "\nB2\n": "token too long",
	} {
		codes, err := ReadCodes(strings.NewReader(file), 7)
		if err == nil {
			err = CheckCodes(codes)
		}
		assert.ErrorContains(t, err, want, "%.40q", file)
	}
}
