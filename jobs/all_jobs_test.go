package jobs

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTableLeavesOutJobsWithoutAFunction(t *testing.T) {
	t.Parallel()
	assert.Empty(t, Table(Functions{}))
	list := Table(Functions{Audit: nothing})
	assert.Len(t, list, 1)
	assert.Equal(t, "audit", list[0].Name)
}

func TestTableUsesEachFunctionOnceAndHasAPurposeForEachJob(t *testing.T) {
	t.Parallel()
	called := map[int]int{}
	var f Functions
	fields := reflect.ValueOf(&f).Elem()
	for i := range fields.NumField() {
		fields.Field(i).Set(reflect.ValueOf(RunFunc(func(context.Context) (int, error) { called[i]++; return 0, nil })))
	}
	names := map[string]bool{}
	for _, j := range Table(f) {
		_, err := j.RunOnce(t.Context())
		require.NoError(t, err)
		assert.NotEmpty(t, j.Purpose, j.Name)
		names[j.Name] = true
	}
	assert.Len(t, names, fields.NumField())
	for i := range fields.NumField() {
		assert.Equal(t, 1, called[i], fields.Type().Field(i).Name)
	}
}
