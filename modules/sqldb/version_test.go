package sqldb_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/modules/sqldb"
)

func TestServersBeforeMySQL8AndMariaDB106AreTooOld(t *testing.T) {
	t.Parallel()
	for version, old := range map[sqldb.Version]bool{
		"5.7.44-log": true, "8.0.11": false, "8.0.39-30.1": false, "9.7.4-2": false, "10.0.1": false, "": false,
		"10.5.29-MariaDB": true, "10.6.4-MariaDB-log": false, "11.8.9-MariaDB-4 from Debian": false,
	} {
		assert.Equal(t, old, version.TooOld(), version)
	}
}
