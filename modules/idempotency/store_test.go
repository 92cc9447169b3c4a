package idempotency

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
	"onrush/modules/sign"
	"onrush/test/kit"
)

var noon = time.Date(2026, 11, 11, 12, 0, 0, 0, time.UTC)

func storeOn(s *kit.Stores, clock *kit.Clock) *Store {
	return NewStore(Deps{
		DB: s.DB, Clock: clock.Now, NewID: rand.Text, Secrets: sign.Secrets{"a secret of paths, 32 bytes long"},
	})
}

// note is a request that inserts a row, and so has an effect that can be counted.
func note(content string) Request {
	return Request{Caller: "ada", Route: "POST /notes", Key: "k", Content: content}
}

// notes counts the effects.
func notes(t *testing.T, s *kit.Stores) (n int) {
	t.Helper()
	require.NoError(t, s.DB.Write.GetContext(t.Context(), &n, `SELECT COUNT(*) FROM order_notes`))
	return n
}

// write is what carries out a note: it keeps its answer in its transaction.
func writeNote(ctx context.Context, s *kit.Stores, id int64) error {
	return s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		const insert = `INSERT INTO order_notes (note_id, order_number, at_ms, actor, note) VALUES (?, 1, 0, '', '')`
		if _, err := tx.ExecContext(ctx, insert, id); err != nil {
			return err
		}
		return Keep(ctx, tx, 201, map[string]int64{"note_id": id})
	})
}

func TestManyRequestsAtOnceWithOneKeyHaveOneEffectAndOneAnswer(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		for name, finish := range map[string]bool{"kept in the transaction": false, "stored after it": true} {
			store := storeOn(s, kit.NewClock(noon))
			before, ids := notes(t, s), atomic.Int64{}
			ids.Store(int64(before))
			r := note("{}")
			r.Key = name
			answers := kit.AtOnce(48, func(int) string {
				claim, answer, err := store.Begin(t.Context(), r)
				if err != nil || answer != nil {
					return fmt.Sprintf("%s%v", answer.Body, err)
				}
				id := ids.Add(1)
				if err := writeNote(claim.With(t.Context()), s, id); err != nil {
					return err.Error()
				}
				body := fmt.Sprintf(`{"note_id":%d}`, id)
				if finish {
					if err := claim.Finish(t.Context(), Answer{Status: 201, Body: []byte(body)}); err != nil {
						return err.Error()
					}
				}
				return body + "<nil>"
			})
			for _, a := range answers {
				assert.Equal(t, answers[0], a, name)
			}
			assert.Equal(t, before+1, notes(t, s), name)
		}
	})
}

func TestAnAcceptedRequestIsOfItsCallerRouteAndContent(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		store := storeOn(s, kit.NewClock(noon))
		claim, _, err := store.Begin(t.Context(), note("one"))
		require.NoError(t, err)
		require.NoError(t, claim.Finish(t.Context(), Answer{Status: 200, ETag: `"7"`, Body: []byte("{}")}))
		_, answer, err := store.Begin(t.Context(), note("one"))
		require.NoError(t, err)
		assert.Equal(t, &Answer{Status: 200, ETag: `"7"`, Body: []byte("{}")}, answer)
		_, _, err = store.Begin(t.Context(), note("two"))
		assert.Equal(t, problem.CodeIdempotencyKeyReused, problem.CodeOf(err))

		for _, other := range []func(*Request){
			func(r *Request) { r.Caller = "bob" },
			func(r *Request) { r.Route = "POST /others" },
			func(r *Request) { r.Key = "l" },
		} {
			r := note("two")
			other(&r)
			claim, _, err := store.Begin(t.Context(), r)
			require.NoError(t, err)
			assert.NotNil(t, claim, "%+v", r)
		}
	})
}

func TestARefusalIsNotRemembered(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		store := storeOn(s, kit.NewClock(noon))
		for _, content := range []string{"refused", "refused", "accepted"} {
			claim, answer, err := store.Begin(t.Context(), note(content))
			require.NoError(t, err)
			require.Nil(t, answer)
			if content == "refused" {
				require.NoError(t, claim.Release(t.Context()))
				continue
			}
			require.NoError(t, writeNote(claim.With(t.Context()), s, 1))
			require.NoError(t, claim.Release(t.Context()), "what was committed is remembered")
		}
		_, answer, err := store.Begin(t.Context(), note("accepted"))
		require.NoError(t, err)
		require.NotNil(t, answer)
		assert.JSONEq(t, `{"note_id":1}`, string(answer.Body))
	})
}

// An instance that was suspended for longer than its claim must not have an effect beside the effect of the instance
// that took its claim over.
func TestARequestWhoseClaimWasTakenOverIsRolledBack(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		clock := kit.NewClock(noon)
		store := storeOn(s, clock)
		late, _, err := store.Begin(t.Context(), note("{}"))
		require.NoError(t, err)
		waits, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _, err = store.Begin(waits, note("{}"))
		require.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))

		clock.Advance(lease + time.Second)
		type begun struct {
			claim *Claim
			err   error
		}
		short, end := context.WithTimeout(t.Context(), 2*time.Second)
		defer end()
		var next *Claim
		for _, b := range kit.AtOnce(8, func(int) (b begun) {
			b.claim, _, b.err = store.Begin(short, note("{}"))
			return b
		}) {
			if b.err == nil {
				assert.Nil(t, next, "one takes it over")
				next = b.claim
			}
		}
		require.NotNil(t, next)
		err = writeNote(late.With(t.Context()), s, 1)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		assert.Zero(t, notes(t, s))
		require.NoError(t, writeNote(next.With(t.Context()), s, 2))
		require.NoError(t, late.Finish(t.Context(), Answer{Status: 500}))
		require.NoError(t, late.Release(t.Context()))
		_, answer, err := store.Begin(t.Context(), note("{}"))
		require.NoError(t, err)
		assert.JSONEq(t, `{"note_id":2}`, string(answer.Body))
		assert.Equal(t, 1, notes(t, s))
	})
}

func TestSQLHasNeitherTheKeyNorTheAnswerInClear(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		store := storeOn(s, kit.NewClock(noon))
		r := note("{}")
		r.Key = "the-callers-own-random-key"
		secret := `{"secret":"whsec_` + strings.Repeat("very-secret", 20) + `"}`
		claim, _, err := store.Begin(t.Context(), r)
		require.NoError(t, err)
		require.NoError(t, claim.Finish(t.Context(), Answer{Status: 200, Body: []byte(secret)}))
		rows, err := s.DB.Read.QueryxContext(t.Context(), `SELECT * FROM idempotency_keys`)
		require.NoError(t, err)
		defer func() { _ = rows.Close() }()
		require.True(t, rows.Next())
		values, err := rows.SliceScan()
		require.NoError(t, err)
		require.NoError(t, rows.Err())
		text := fmt.Sprintf("%s", values)
		assert.NotContains(t, text, "whsec_")
		assert.NotContains(t, text, r.Key)

		sealed := sealedOf(t, s)
		other := r
		other.Key = "k"
		_, err = store.open(other, sealed)
		require.Error(t, err, "the header is needed")
		changed := NewStore(Deps{Secrets: sign.Secrets{"another", store.Secrets[0]}})
		answer, err := changed.open(r, sealed)
		require.NoError(t, err, "the secret was changed")
		assert.Equal(t, secret, string(answer.Body))
		lost := NewStore(Deps{Secrets: sign.Secrets{"another"}, DB: s.DB, Clock: store.Clock, NewID: rand.Text})
		_, _, err = lost.Begin(t.Context(), r)
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err), "the request is not carried out again")
	})
}

func sealedOf(t *testing.T, s *kit.Stores) (sealed string) {
	t.Helper()
	require.NoError(t, s.DB.Write.GetContext(t.Context(), &sealed, `SELECT answer FROM idempotency_keys`))
	return sealed
}

func TestAnAnswerThatIsTooLongIsNotShownAgainAndTheRequestNotRepeated(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		store := storeOn(s, kit.NewClock(noon))
		noise := make([]byte, maxSealed)
		_, err := rand.Read(noise)
		require.NoError(t, err)
		claim, _, err := store.Begin(t.Context(), note("{}"))
		require.NoError(t, err)
		require.NoError(t, claim.Finish(t.Context(), Answer{Status: 200, Body: noise}))
		_, _, err = store.Begin(t.Context(), note("{}"))
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
		require.ErrorIs(t, errors.Unwrap(err), errTooLong)

		large := note("large")
		large.Key = "large"
		claim, _, err = store.Begin(t.Context(), large)
		require.NoError(t, err)
		body := bytes.Repeat([]byte(`{"point_id":"north","quantity":100},`), 300_000)
		require.NoError(t, claim.Finish(t.Context(), Answer{Status: 200, Body: body}))
		_, answer, err := store.Begin(t.Context(), large)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(body, answer.Body), "10 MB that compress well")
	})
}

func TestOldKeysAreForgotten(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		clock := kit.NewClock(noon)
		store := storeOn(s, clock)
		for range 2 {
			claim, answer, err := store.Begin(t.Context(), note("{}"))
			require.NoError(t, err)
			require.Nil(t, answer)
			require.NoError(t, claim.Finish(t.Context(), Answer{Status: 200, Body: []byte("{}")}))
			for _, which := range Expiries(clock.Now()) {
				n, err := s.DB.Expire(t.Context(), which)
				require.NoError(t, err)
				assert.Zero(t, n)
			}
			for _, which := range Expiries(clock.Advance(time.Minute)) {
				n, err := s.DB.Expire(t.Context(), which)
				require.NoError(t, err)
				assert.Equal(t, 1, n)
			}
		}
	})
}

// A buyer who repeats an act with ever new keys does not fill the table, and the keys that are kept go on.
func TestTheKeysOfACallerAreBounded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		store := storeOn(s, kit.NewClock(noon))
		store.MaxPerCaller = 3
		begin := func(caller, key string) (*Claim, *Answer, error) {
			return store.Begin(t.Context(), Request{Caller: caller, Route: "POST /cancel", Key: key, Content: "{}"})
		}
		for i := range 3 {
			claim, _, err := begin("ada", fmt.Sprint(i))
			require.NoError(t, err)
			require.NoError(t, claim.Finish(t.Context(), Answer{Status: 200, Body: []byte("{}")}))
		}
		_, _, err := begin("ada", "3")
		assert.Equal(t, problem.CodeRateLimited, problem.CodeOf(err), "%v", err)
		_, answer, err := begin("ada", "1")
		require.NoError(t, err)
		assert.Equal(t, 200, answer.Status)
		claim, _, err := begin("bob", "3")
		require.NoError(t, err)
		assert.NotNil(t, claim)
	})
}
