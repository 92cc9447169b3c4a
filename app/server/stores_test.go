package server

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFewerLanesThanSalesUseAreRefused(t *testing.T) {
	t.Parallel()
	cfg := Config{DataDir: t.TempDir(), Lanes: 9}
	log := slog.New(slog.DiscardHandler)
	parts, closeStores, err := Open(t.Context(), &cfg, log)
	require.NoError(t, err)
	const insert = `INSERT INTO activities (activity_id, shop_id, title, starts_ms, ends_ms, pay_within_s, purchase_limit, permit_ratio,
		state, lane, created_ms, retired_ms) VALUES ('a', 's', 't', 1, 2, 900, -1, -1, 'published', 9, 1, 0)`
	_, err = parts.DB.Write.ExecContext(t.Context(), insert)
	require.NoError(t, err)
	closeStores()

	cfg.Lanes = 8
	_, _, err = Open(t.Context(), &cfg, log)
	require.ErrorIs(t, err, ErrConfig)
	require.ErrorContains(t, err, "ONRUSH_LANES")

	cfg.Lanes = 10
	_, closeStores, err = Open(t.Context(), &cfg, log)
	require.NoError(t, err)
	closeStores()
}

func TestStoresThatCannotBeOpenedAreAnErrorThatSaysSo(t *testing.T) {
	t.Parallel()
	cfg := Config{
		RedisURL: "redis://127.0.0.1:1/0", MySQLDSN: "user:password@tcp(127.0.0.1:1)/onrush",
		JWTSecret: strings.Repeat("j", 32), PathSecret: strings.Repeat("p", 32), Lanes: 4,
	}
	_, closeStores, err := Open(t.Context(), &cfg, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "open the SQL store")
	require.NotContains(t, err.Error(), "password")
	require.Nil(t, closeStores)
}
