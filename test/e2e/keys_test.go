package e2e

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

const keys = admin + "/keys"

// makesKey makes a key as a person.
func makesKey(t *testing.T, p *site.Person, name, scope string, expires time.Time) client.Key {
	t.Helper()
	body := map[string]any{"name": name, "scope": scope}
	if !expires.IsZero() {
		body["expires_at"] = expires
	}
	return site.Read[client.Key](t, http.StatusCreated, p.Call(t, http.MethodPost, keys, rand.Text(), body))
}

func TestRevokedKeyIsRefusedByAnotherInstance(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		here, there := site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())
		op := here.Operator(t)
		key := makesKey(t, op, "till 3", "till", time.Time{})
		holder := there.Holder(key.Secret)
		must(t, http.StatusOK, holder.Ask(http.MethodGet, admin+"/me", "", nil))
		must(t, http.StatusNoContent, op.Call(t, http.MethodDelete, keys+"/"+key.KeyID, "", nil))
		requireRefusal(t, holder.At(here).Ask(http.MethodGet, admin+"/me", "", nil),
			http.StatusUnauthorized, "unauthorized")
		began := time.Now()
		require.Eventually(t, func() bool {
			return holder.Ask(http.MethodGet, admin+"/me", "", nil).Status == http.StatusUnauthorized
		}, 10*time.Second, 10*time.Millisecond) // the bound is a second; a busy machine takes longer
		t.Logf("refused after %s", time.Since(began))
	})
}

func TestKeyExpiresAndDoesNotOutliveItsMaker(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		now := kit.NewClock(time.Now().Truncate(time.Millisecond))
		s := site.Start(t, stores, site.Idle(), site.Time(now.Now))
		end := now.Now().Add(time.Minute)
		boss := s.Holder(makesKey(t, s.Operator(t), "boss", "admin", end).Secret)
		for _, expires := range []any{nil, end.Add(time.Second)} {
			requireRefusal(t, boss.Call(t, http.MethodPost, keys, "k",
				map[string]any{"name": "later", "scope": "admin", "expires_at": expires}),
				http.StatusUnprocessableEntity, "invalid_request")
		}
		assert.Equal(t, "key:boss", makesKey(t, boss, "helper", "read", end).CreatedBy)
		now.Set(end)
		requireRefusal(t, boss.Call(t, http.MethodGet, keys, "", nil), http.StatusUnauthorized, "unauthorized")
	})
}

// A key acts as an operator of its name; its secret is neither in the log nor in SQL.
func TestKeyActsUnderItsNameAndIsNowhere(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		var log kit.Output
		s := site.Start(t, stores, site.Idle(),
			site.Log(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
		key := makesKey(t, s.Operator(t), "catalogue", "catalogue", time.Time{})
		holder := s.Holder(key.Secret)
		holder.PutSKU(t, "lamp", client.SKURequest{
			Title: "Lamp", ShopID: "s", Kind: "virtual", Price: 1, Currency: "EUR", Stock: 1,
		})
		changes := site.Read[client.ChangeList](t, http.StatusOK,
			s.Operator(t).Call(t, http.MethodGet, admin+"/changes?actor=key:catalogue", "", nil)).Items
		require.Len(t, changes, 1)
		assert.Equal(t, "sku:lamp", changes[0].On)

		for _, path := range []string{"/api/v1/orders", "/api/v1/activities", "/api/v1/me/events", admin + "/orders"} {
			requireRefusal(t, holder.Call(t, http.MethodGet, path, "", nil), http.StatusForbidden, "forbidden")
		}
		requireRefusal(t, holder.Call(t, http.MethodGet, "/api/v1/me/events?ticket="+key.Secret, "", nil),
			http.StatusUnauthorized, "unauthorized")
		s.Holder(key.Secret[:20]).Call(t, http.MethodGet, admin+"/skus", "", nil)
		holder.Call(t, http.MethodPost, admin+"/skus/"+key.Secret+"/stock", "k", "{")

		secret := strings.TrimPrefix(key.Secret, "onrush_")[:12]
		assert.NotContains(t, log.String(), secret)
		for _, table := range []string{"operator_keys", "operator_log", "idempotency_keys"} {
			query := `SELECT * FROM ` + table
			rows, err := stores.DB.Read.QueryxContext(t.Context(), query) //nolint:sqlclosecheck // closed below
			require.NoError(t, err)
			defer func() { _ = rows.Close() }()
			for rows.Next() {
				row, err := rows.SliceScan()
				require.NoError(t, err)
				assert.NotContains(t, fmt.Sprintf("%s", row), secret, table)
			}
			require.NoError(t, rows.Err())
		}
	})
}

// An operator's token can't take the name of a key in the log.
func TestOperatorsAreNotNamedLikeKeys(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle())
	token, err := s.Server.Auth.Sign("key:till 3", "admin", time.Hour)
	require.NoError(t, err)
	requireRefusal(t, s.Holder(token).Call(t, http.MethodGet, admin+"/me", "", nil),
		http.StatusUnauthorized, "unauthorized")
}

// The scope read shows no data of buyers, no secret, and not what operators did.
func TestAKeyForReadingDoesNotSeeWhichOperatorRanOrPausedAJob(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Holder(makesKey(t, s.Operator(t), "night shift", "admin", time.Time{}).Secret)
		reader := s.Holder(makesKey(t, op, "dashboard", "read", time.Time{}).Secret)
		const job = admin + "/jobs/audit"
		must(t, http.StatusAccepted, op.Call(t, http.MethodPost, job+"/run", "r", nil))
		must(t, http.StatusOK, op.Call(t, http.MethodPost, job+"/pause", "p", nil))
		for _, path := range []string{admin + "/jobs", job + "/runs"} {
			seen, full := reader.Call(t, http.MethodGet, path, "", nil), op.Call(t, http.MethodGet, path, "", nil)
			must(t, http.StatusOK, seen)
			assert.NotContains(t, string(seen.Body), "night shift", path)
			assert.Contains(t, string(seen.Body), `_by":"operator"`, path)
			assert.Contains(t, string(full.Body), `_by":"key:night shift"`, path)
		}
	})
}
