package pictures

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"

	"golang.org/x/image/webp"

	"onrush/modules/problem"
)

const (
	// MaxBytes is the size of the largest picture.
	MaxBytes = 1 << 20
	// maxSide is the largest width and height in pixels: a browser needs four bytes for each pixel, whatever the size
	// of the file.
	maxSide = 4096
)

// headers read the size of a picture from its header, by its media type. There is neither SVG, which may have scripts,
// nor GIF, which may have thousands of frames.
var headers = map[string]func(io.Reader) (image.Config, error){
	"image/jpeg": jpeg.DecodeConfig, "image/png": png.DecodeConfig, "image/webp": webp.DecodeConfig,
}

// Takes reports whether a media type is one of the kinds of pictures that are kept.
func Takes(mediaType string) bool { return headers[mediaType] != nil }

// measure returns the width and height of a picture. The error is invalid_request unless data begins as a picture of
// the media type does.
func measure(mediaType string, data []byte) (width, height int, err error) {
	read := headers[mediaType]
	if read == nil || http.DetectContentType(data) != mediaType {
		return 0, 0, problem.Errorf(problem.CodeInvalidRequest,
			"The content is not a picture of the type %s.", mediaType)
	}
	header, err := read(bytes.NewReader(data))
	if err != nil {
		return 0, 0, &problem.Error{
			Code: problem.CodeInvalidRequest, Detail: "The picture is damaged: its size can't be read.", Err: err,
		}
	}
	if header.Width < 1 || header.Height < 1 || header.Width > maxSide || header.Height > maxSide {
		return 0, 0, problem.Errorf(problem.CodeInvalidRequest,
			"The picture has %d × %d pixels; it must have at most %d × %[3]d.", header.Width, header.Height, maxSide)
	}
	return header.Width, header.Height, nil
}
