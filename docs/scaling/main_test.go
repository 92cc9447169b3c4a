package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestThePictureOfTheSimulationIsThatOfItsCosts(t *testing.T) {
	t.Parallel()
	want, err := draw()
	require.NoError(t, err)
	got, err := os.ReadFile("../pictures/scaling.svg")
	require.NoError(t, err)
	assert.True(t, bytes.Equal(want, got), "docs/pictures/scaling.svg is old: run go run ./docs/scaling")
}
