package jwks

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/aged"
	"onrush/test/kit"
)

func TestKeysAreReadAgainEveryFiveMinutes(t *testing.T) {
	t.Parallel()
	text := []byte(`{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`)
	synctest.Test(t, func(t *testing.T) {
		var read int
		var first *Keys
		s := &Set{log: slog.New(slog.DiscardHandler), aged: aged.Config{Now: time.Now, Within: within, Pause: OnDemand}}
		s.open = func(context.Context) (io.ReadCloser, error) {
			if read++; read == 2 {
				first = s.Current()
			}
			return io.NopCloser(bytes.NewReader(text)), nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); s.Run(ctx) }()
		kit.Pass(16 * time.Minute)
		cancel()
		<-done
		require.Equal(t, 3, read)
		require.NotNil(t, first)
		require.Same(t, first, s.Current(), "the same keys again are no change")
	})
}

func TestReadingKeysEndsAfterThreeSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Set{log: slog.New(slog.DiscardHandler), aged: aged.Config{Now: time.Now, Within: within, Pause: OnDemand}}
		s.open = func(ctx context.Context) (io.ReadCloser, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		began := time.Now()
		require.ErrorIs(t, s.Refresh(t.Context(), 0), context.DeadlineExceeded)
		require.Equal(t, 3*time.Second, time.Since(began))
	})
}

const edKey = `{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`

func openFile(t *testing.T, text string) error {
	t.Helper()
	file := filepath.Join(t.TempDir(), "jwks.json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	_, err := Open(t.Context(), file, slog.New(slog.DiscardHandler), time.Now)
	return err
}

func TestAFileThatIsNoSetOfKeysIsToldWhatItMustBe(t *testing.T) {
	t.Parallel()
	const must = `; it must be a JSON object with a list "keys" (RFC 7517, JWK Set)`
	utf16 := "\xff\xfe" + strings.ReplaceAll(`{"keys":[]}`, "", "\x00")[1:]
	for text, is := range map[string]string{
		"": "is empty", "\ufeff \n": "is empty", utf16: "is in UTF-16 or another encoding with NUL bytes",
		"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n": "is PEM",
		edKey: "is a single key", "[" + edKey + "]": "is a list", "keys": "is no JSON in UTF-8",
		`"keys"`:                   "is no JSON object",
		`{"Keys":[` + edKey + `]}`: `has no "keys"`, `{"keys":` + edKey + `}`: `has "keys" that are no list`,
		`{"keys":[` + edKey + `]`: "is no JSON in UTF-8", "null": `has no "keys"`,
	} {
		err := openFile(t, text)
		require.EqualError(t, err, "read the keys of tokens (ONRUSH_JWKS): what was read "+is+must, "%q", text)
	}
	assert.ErrorContains(t, openFile(t, `{"keys":[]}`), "(ONRUSH_JWKS): no key of RS256, ES256 or EdDSA")
}

func TestAByteOrderMarkBeforeTheKeysIsSkipped(t *testing.T) {
	t.Parallel()
	require.NoError(t, openFile(t, "\ufeff"+`{"keys":[`+edKey+`]}`+"\r\n"))
}
