package browser

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"slices"
	"time"
)

// Frame is one picture of a film, and how long it is shown. All frames of a film have the size of the first.
type Frame struct {
	Image image.Image
	For   time.Duration
}

// seeThrough is the index of the colour that lets the picture before show through.
const seeThrough = 255

var errNoFrames = errors.New("a film needs a frame")

// WriteFilm writes a film that repeats for ever, with the 255 colours that its frames have most, as APNG:
// https://www.w3.org/TR/png-3/#apng-frame-based-animation.
func WriteFilm(w io.Writer, frames []Frame) error {
	if len(frames) == 0 {
		return errNoFrames
	}
	colours := paletteOf(frames)
	film := film{palette: colours, near: map[color.RGBA]uint8{}}
	for i, c := range colours[:seeThrough] {
		film.near[c.(color.RGBA)] = uint8(i)
	}
	film.add(frames)
	return film.write(w)
}

// paletteOf returns 256 colours: those that the frames have most, and at last a clear one.
func paletteOf(frames []Frame) color.Palette {
	count := map[color.RGBA]int{}
	for _, f := range frames {
		b := f.Image.Bounds()
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				count[rgba(f.Image.At(x, y))]++
			}
		}
	}
	most := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G),
			cmp.Compare(a.B, b.B))
	})
	colours := make(color.Palette, seeThrough, seeThrough+1)
	for i := range colours {
		colours[i] = most[min(i, len(most)-1)]
	}
	return append(colours, color.RGBA{})
}

func rgba(c color.Color) color.RGBA {
	opaque := color.RGBAModel.Convert(c).(color.RGBA)
	opaque.A = 255
	return opaque
}

// still is a part of a film that is shown for a time.
type still struct {
	pixels *image.Paletted // with the changed pixels only
	lasts  time.Duration
}

type film struct {
	palette color.Palette
	near    map[color.RGBA]uint8 // the index of the nearest colour
	stills  []still
}

// add appends frames as what changed since the frame before.
func (f *film) add(frames []Frame) {
	size := image.Rectangle{Max: frames[0].Image.Bounds().Size()}
	shown := make([]uint8, size.Dx()*size.Dy())
	for i, frame := range frames {
		changed := image.NewPaletted(size, f.palette)
		var box image.Rectangle
		from := frame.Image.Bounds().Min
		for y := range size.Dy() {
			for x := range size.Dx() {
				at := y*size.Dx() + x
				now := f.index(rgba(frame.Image.At(from.X+x, from.Y+y)))
				changed.Pix[at] = seeThrough
				if i == 0 || now != shown[at] {
					changed.Pix[at], shown[at] = now, now
					box = box.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
		if box.Empty() {
			f.stills[len(f.stills)-1].lasts += frame.For
			continue
		}
		f.stills = append(f.stills, still{changed.SubImage(box).(*image.Paletted), frame.For})
	}
}

func (f *film) index(c color.RGBA) uint8 {
	i, ok := f.near[c]
	if !ok {
		i = uint8(f.palette[:seeThrough].Index(c))
		f.near[c] = i
	}
	return i
}

// write writes the chunks of the film: a PNG of the first still, with the other stills behind it.
func (f *film) write(w io.Writer) error {
	out := &chunks{w: w}
	var sequence uint32
	for i, s := range f.stills {
		var data bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&data, s.pixels); err != nil {
			return fmt.Errorf("frame %d: %w", i, err)
		}
		control := func() {
			out.chunk("fcTL", frameControl(sequence, s))
			sequence++
		}
		for name, body := range split(data.Bytes()) {
			switch {
			case i == 0 && name == "IHDR":
				out.raw([]byte("\x89PNG\r\n\x1a\n"))
				out.chunk(name, body)
				count := binary.BigEndian.AppendUint32(nil, uint32(len(f.stills)))
				out.chunk("acTL", append(count, 0, 0, 0, 0))
			case i == 0 && name == "IDAT":
				if sequence == 0 {
					control()
				}
				out.chunk(name, body)
			case i == 0 && name != "IEND":
				out.chunk(name, body)
			case i > 0 && name == "IHDR":
				control()
			case i > 0 && name == "IDAT":
				out.chunk("fdAT", append(binary.BigEndian.AppendUint32(nil, sequence), body...))
				sequence++
			}
		}
	}
	out.chunk("IEND", nil)
	return out.err
}

// frameControl is the body of fcTL: the place of a still, and its time.
func frameControl(sequence uint32, s still) []byte {
	b := s.pixels.Bounds()
	body := binary.BigEndian.AppendUint32(nil, sequence)
	for _, n := range []int{b.Dx(), b.Dy(), b.Min.X, b.Min.Y} {
		body = binary.BigEndian.AppendUint32(body, uint32(n))
	}
	body = binary.BigEndian.AppendUint16(body, uint16(min(s.lasts.Milliseconds(), 65535)))
	body = binary.BigEndian.AppendUint16(body, 1000)
	return append(body, 0, 1) // it stays, and is laid over the one before
}

// split yields the chunks of a PNG.
func split(data []byte) func(yield func(name string, body []byte) bool) {
	return func(yield func(string, []byte) bool) {
		for at := 8; at+12 <= len(data); {
			length := int(binary.BigEndian.Uint32(data[at:]))
			if !yield(string(data[at+4:at+8]), data[at+8:at+8+length]) {
				return
			}
			at += 12 + length
		}
	}
}

// chunks writes chunks, until the first error.
type chunks struct {
	w   io.Writer
	err error
}

func (c *chunks) raw(data []byte) {
	if c.err == nil {
		_, c.err = c.w.Write(data)
	}
}

func (c *chunks) chunk(name string, body []byte) {
	c.raw(binary.BigEndian.AppendUint32(nil, uint32(len(body))))
	named := append([]byte(name), body...)
	c.raw(named)
	c.raw(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(named)))
}
