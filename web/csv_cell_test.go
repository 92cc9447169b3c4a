package web

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNoCellIsAFormulaForASpreadsheet(t *testing.T) {
	t.Parallel()
	for _, cell := range []string{
		"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "＋1", "－1", "＠SUM(A1)",
	} {
		assert.Equal(t, "'"+cell, plainCell(cell))
	}
	for _, cell := range []string{"", "1", "a=1", "ー", "灯=1", "\xff="} {
		assert.Equal(t, cell, plainCell(cell))
	}
}
