//go:build large

package browser

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plain is a picture of one colour with a dot at x.
func plain(x int) image.Image {
	picture := image.NewRGBA(image.Rect(0, 0, 40, 20))
	for i := range picture.Pix {
		picture.Pix[i] = 255
	}
	picture.Set(x, 3, color.RGBA{200, 16, 46, 255})
	return picture
}

func TestAFilmHasTheFirstFrameAndThenWhatChanges(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, WriteFilm(&out, []Frame{
		{plain(2), 100 * time.Millisecond}, {plain(2), 100 * time.Millisecond}, {plain(5), 3 * time.Second},
	}))
	first, err := png.Decode(bytes.NewReader(out.Bytes())) // it also checks the sums of the chunks
	require.NoError(t, err)
	assert.Equal(t, image.Rect(0, 0, 40, 20), first.Bounds())
	assert.Equal(t, color.RGBA{200, 16, 46, 255}, rgba(first.At(2, 3)))

	var names []string
	var controls [][]byte
	for name, body := range split(out.Bytes()) {
		names = append(names, name)
		if name == "fcTL" {
			controls = append(controls, body)
		}
	}
	assert.Equal(t, []string{"IHDR", "acTL", "PLTE", "tRNS", "fcTL", "IDAT", "fcTL", "fdAT", "IEND"}, names)
	require.Len(t, controls, 2, "the frame that shows nothing new lengthens the one before")
	millis := func(control []byte) uint16 { return binary.BigEndian.Uint16(control[20:]) }
	assert.EqualValues(t, 200, millis(controls[0]))
	assert.EqualValues(t, 3000, millis(controls[1]))
	changed := make([]uint32, 4)
	for i := range changed {
		changed[i] = binary.BigEndian.Uint32(controls[1][4+4*i:])
	}
	assert.Equal(t, []uint32{4, 1, 2, 3}, changed, "width, height, x and y")
}

func TestAFilmWithoutFramesIsAnError(t *testing.T) {
	t.Parallel()
	assert.ErrorIs(t, WriteFilm(&bytes.Buffer{}, nil), errNoFrames)
}
