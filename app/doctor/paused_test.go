package doctor_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/doctor"
	"onrush/test/kit"
)

func TestDoctorNamesPausedJobs(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	cfg := settings(stores)
	requireFound := func(want doctor.Level, text string) {
		t.Helper()
		require.EventuallyWithT(t, func(c *assert.CollectT) { // on a busy machine doctor may not get to it in time
			texts, level := found(doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context()), "jobs")
			assert.Equal(c, want, level)
			assert.Equal(c, []string{text}, texts)
		}, time.Minute, 10*time.Millisecond)
	}
	requireFound(doctor.OK, "none is paused")
	_, err := stores.DB.Write.ExecContext(t.Context(),
		`INSERT INTO job_pauses (job, paused_by, paused_ms) VALUES ('move_orders', 'olga', 1700000000000)`)
	require.NoError(t, err)
	requireFound(doctor.Warning, "move_orders is paused by olga since 2023-11-14T22:13:20Z")
}
