package seckill

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/sign"
)

var testSigner = newSigner(sign.Secrets{"a secret of the sale, long enough"})

func FuzzOpenPath(f *testing.F) {
	f.Add("ada", testSigner.sealPath("ada", path{activity: "a1", sku: "lamp", expiresMS: 1_767_323_045_678}))
	f.Add("ada", testSigner.sealPath("eve", path{activity: "a1", sku: "lamp", expiresMS: 1}))
	f.Add("ada", testSigner.sealPath("ada", path{activity: "a1", sku: "la~mp", expiresMS: -1})+"\n")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, user, sealed string) {
		p, err := testSigner.openPath(user, sealed)
		if err == nil {
			require.Equal(t, testSigner.sealPath(user, p), sealed, "a path has one form")
		}
	})
}

func FuzzOpenTask(f *testing.F) {
	sealed := testSigner.sealTask("ada", newTaskID(3, "a1", "ada", "lamp", "key").String())
	f.Add("ada", sealed)
	f.Add("ada", "+"+sealed)
	f.Add("ada", "0"+sealed)
	f.Add("ada", sealed+"\n")
	f.Add("ada", "1~a~b~c")
	f.Add("", "...")
	f.Fuzz(func(t *testing.T, user, sealed string) {
		task, err := testSigner.openTask(user, sealed)
		if err == nil {
			require.Equal(t, testSigner.sealTask(user, task.String()), sealed, "a task id has one form")
		}
	})
}

// tampered are all texts that one change of a byte, one byte more or one less makes of a text.
func tampered(text string) []string {
	var others []string
	for i := range len(text) + 1 {
		for _, b := range []byte("A_.+0\n\r=\x00\xff") {
			others = append(others, text[:i]+string([]byte{b})+text[i:])
			if i < len(text) && text[i] != b {
				others = append(others, text[:i]+string([]byte{b})+text[i+1:])
			}
		}
		if i < len(text) {
			others = append(others, text[:i]+string([]byte{text[i] ^ 1})+text[i+1:], text[:i]+text[i+1:])
		}
	}
	return others
}

// lamps are units of one sku.
func lamps(quantity int64) []orderLine {
	return []orderLine{{&ActivitySKU{SKU: "lamp", FlashPrice: 5}, quantity, nil}}
}

func TestPathsTasksAndConfirmationsAreRefusedWhenAnyByteIsChanged(t *testing.T) {
	t.Parallel()
	p := path{activity: "a1", sku: "lamp", expiresMS: 1_767_323_045_678}
	for _, text := range tampered(testSigner.sealPath("ada", p)) {
		_, err := testSigner.openPath("ada", text)
		require.Error(t, err, "%q", text)
	}
	for _, text := range tampered(testSigner.sealTask("ada", newTaskID(3, "a1", "ada", "lamp", "key").String())) {
		_, err := testSigner.openTask("ada", text)
		require.Error(t, err, "%q", text)
	}

	s := &Service{sign: testSigner, clock: clock.New(time.Now)}
	q := quote{
		User: "ada", Activity: "a1", SKU: "lamp", Quantity: 2, Price: 5, Point: "0",
		ExpiresMS: time.Now().Add(time.Minute).UnixMilli(),
	}
	sealed := testSigner.sealQuote(q)
	opened, err := s.openQuote("ada", sealed, p, lamps(2), Choice{Quantity: 2})
	require.NoError(t, err)
	assert.Equal(t, q, opened)
	for _, text := range tampered(sealed) {
		_, err := s.openQuote("ada", text, p, lamps(2), Choice{Quantity: 2})
		require.Error(t, err, "%q", text)
	}
	for name, refused := range map[string]func() error{
		"another user's": func() error {
			_, err := s.openQuote("eve", sealed, p, lamps(2), Choice{Quantity: 2})
			return err
		},
		"another sku": func() error {
			_, err := s.openQuote("ada", sealed, path{activity: "a1", sku: "desk"}, lamps(2), Choice{Quantity: 2})
			return err
		},
		"another quantity": func() error {
			_, err := s.openQuote("ada", sealed, p, lamps(3), Choice{Quantity: 3})
			return err
		},
		"another delivery": func() error {
			_, err := s.openQuote("ada", sealed, p, lamps(2), Choice{Quantity: 2, Delivery: catalogue.Express})
			return err
		},
		"one that has expired": func() error {
			late := q
			late.ExpiresMS = time.Now().Add(-time.Second).UnixMilli()
			_, err := s.openQuote("ada", testSigner.sealQuote(late), p, lamps(2), Choice{Quantity: 2})
			return err
		},
	} {
		require.Error(t, refused(), name)
	}
}

func TestSignaturesDifferByKind(t *testing.T) {
	t.Parallel()
	path, task, confirmation := testSigner.path.Sign("u", "x"), testSigner.task.Sign("u", "x"),
		testSigner.confirmation.Sign("u", "x")
	assert.NotEqual(t, path, task)
	assert.NotEqual(t, path, confirmation)
	assert.NotEqual(t, task, confirmation)
}
