package doctor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDoctorWarnsOfAClusterOfSeveralNodes(t *testing.T) {
	t.Parallel()
	d := &Doctor{}
	d.galera(0)
	d.galera(1)
	assert.Empty(t, d.findings)
	d.galera(3)
	require.Len(t, d.findings, 1)
	assert.Equal(t, Warning, d.findings[0].Level)
}
