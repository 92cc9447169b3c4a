package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/test/kit"
)

// moodyServer answers at once, or hangs until the caller gives up.
type moodyServer struct {
	hangs     atomic.Bool
	midOfBody bool // it hangs after the header
	calls     atomic.Int64
	held      kit.Concurrency
	heldFor   atomic.Int64 // of all calls
}

// moodyBody is read until the end of ctx, if the server hangs in the middle of it.
type moodyBody struct {
	io.Reader

	close func()
}

func (b moodyBody) Close() error { b.close(); return nil }

type hangingReader struct{ ctx context.Context }

func (r hangingReader) Read([]byte) (int, error) { <-r.ctx.Done(); return 0, r.ctx.Err() }

func (s *moodyServer) RoundTrip(req *http.Request) (*http.Response, error) {
	s.calls.Add(1)
	s.held.Begin()
	began := time.Now()
	body := moodyBody{strings.NewReader("{}"), func() { s.held.End(); s.heldFor.Add(int64(time.Since(began))) }}
	if s.hangs.Load() && !s.midOfBody {
		<-req.Context().Done()
		return nil, errors.Join(req.Context().Err(), body.Close())
	}
	if s.hangs.Load() {
		body.Reader = hangingReader{req.Context()}
	}
	return &http.Response{StatusCode: http.StatusOK, Body: body, Request: req}, nil
}

// call calls the server as gateways do, for at most 10 s.
func call(ctx context.Context, client *http.Client) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://gateway.example/", nil)
	if err != nil {
		return err
	}
	_, _, _, err = Send(client, req)
	return err
}

// crowd lets buyers call again and again for a minute.
func crowd(ctx context.Context, client *http.Client, buyers int) {
	end := time.Now().Add(time.Minute)
	kit.Crowd(buyers, func(int) {
		for time.Now().Before(end) {
			_ = call(ctx, client)
			kit.Pass(time.Second)
		}
	})
}

func TestAGatewayThatHangsHoldsABoundedNumberOfConnections(t *testing.T) {
	t.Parallel()
	const buyers = 188
	for _, midOfBody := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			without, with := &moodyServer{midOfBody: midOfBody}, &moodyServer{midOfBody: midOfBody}
			without.hangs.Store(true)
			with.hangs.Store(true)
			crowd(t.Context(), &http.Client{Transport: without}, buyers)
			client := &http.Client{Transport: newBoundTransport(with, time.Now)}
			crowd(t.Context(), client, buyers)
			t.Logf("in a minute: without a bound %d calls, %d at once, held for %s in all; "+
				"with it %d calls, %d at once, %s",
				without.calls.Load(), without.held.Most(), time.Duration(without.heldFor.Load()), with.calls.Load(),
				with.held.Most(), time.Duration(with.heldFor.Load()))
			assert.LessOrEqual(t, with.held.Most(), int64(maxCalls))
			assert.LessOrEqual(t, with.calls.Load(), int64(maxCalls+restAfter+60/5), "one call ends a rest")

			with.hangs.Store(false)
			kit.Pass(restFor)
			require.NoError(t, call(t.Context(), client))
			for range 2 * maxCalls {
				require.NoError(t, call(t.Context(), client), "the first answer ends the rest")
			}
		})
	}
}

func TestOneCallEndsTheRestOfAGateway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &moodyServer{}
		server.hangs.Store(true)
		client := &http.Client{Transport: newBoundTransport(server, time.Now)}
		rests := func() bool { resting, underWay := CallsOf(client); require.Zero(t, underWay); return resting }
		for range restAfter {
			require.False(t, rests())
			require.ErrorIs(t, call(t.Context(), client), pay.ErrUnavailable)
		}
		require.True(t, rests())
		require.ErrorIs(t, call(t.Context(), client), pay.ErrResting)
		require.ErrorIs(t, call(t.Context(), client), pay.ErrUnavailable, "for callers it is unavailable")
		require.EqualValues(t, restAfter, server.calls.Load())

		kit.Pass(restFor)
		gone, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		require.ErrorIs(t, call(gone, client), context.Canceled)
		server.hangs.Store(false)
		require.True(t, rests(), "until a call is answered")
		require.NoError(t, call(t.Context(), client), "a caller who leaves decides nothing")
		require.False(t, rests())
		require.NoError(t, call(t.Context(), client))
	})
}

func TestACallerWhoLeavesAndALongAnswerAreNoSilence(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]outcome{
		nil: answered, io.EOF: answered, &http.MaxBytesError{Limit: 1}: answered, context.Canceled: undecided,
		context.DeadlineExceeded: silent, errors.New("connection refused"): silent, io.ErrUnexpectedEOF: silent,
	} {
		assert.Equal(t, want, outcomeOf(err), err)
	}
}
