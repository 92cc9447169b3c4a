package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	imagepng "image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

// content sets the body of a request that takes no JSON.
func content(mediaType string, body []byte) part {
	return func(r *request) {
		r.body = body
		r.header.Set("Content-Type", mediaType)
	}
}

// png returns a picture of a width and height.
func png(width, height int) []byte {
	var out bytes.Buffer
	if err := imagepng.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		panic(err) // out takes everything
	}
	return out.Bytes()
}

// picture uploads a picture of a width that no other has.
func (w *world) picture(t testing.TB, width int) client.Picture {
	t.Helper()
	a := w.op.send(t, w.op.request(t, "uploadPicture", content("image/png", png(width, 1))))
	require.Less(t, a.Status, 300, "%s", a.Body)
	var p client.Picture
	require.NoError(t, json.Unmarshal(a.Body, &p))
	return p
}

func TestPicturesAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		lamp := []part{content("image/png", png(20, 10)), query("shop_id=shop-1")}
		kept := do[client.Picture](t, w.op, 201, "uploadPicture", lamp...)
		assert.Equal(t, kept, do[client.Picture](t, w.op, 200, "uploadPicture", lamp...))
		assert.Equal(t, []any{"shop-1", "operator", 20, 10, "/pictures/" + kept.PictureID},
			[]any{kept.ShopID, kept.CreatedBy, kept.Width, kept.Height, kept.ImageURL})
		sku := clone(lampBody)
		sku["image_url"] = kept.ImageURL
		w.op.do(t, 200, "putSKU", param("sku_id", "pictured"), sent(sku))

		anybody, at := &person{shop: w.shop}, param("picture_id", kept.PictureID)
		shown := anybody.do(t, 200, "getPicture", at)
		assert.Equal(t, png(20, 10), shown.Body)
		for name, value := range map[string]string{
			"Content-Type": "image/png", "Cache-Control": "public, max-age=31536000, immutable",
			"Content-Security-Policy": "default-src 'none'; sandbox", "X-Content-Type-Options": "nosniff",
		} {
			assert.Equal(t, value, shown.Header.Get(name))
		}
		anybody.do(t, 304, "getPicture", at, func(r *request) {
			r.header.Set("If-None-Match", shown.Header.Get("ETag"))
		})
		anybody.do(t, 404, "getPicture", param("picture_id", "nothing"))

		other := w.picture(t, 30)
		first := do[client.PictureList](t, w.op, 200, "listPictures", query("page_size=1"))
		next := do[client.PictureList](t, w.op, 200, "listPictures", query("after="+first.NextCursor))
		assert.ElementsMatch(t, []string{kept.PictureID, other.PictureID},
			[]string{first.Items[0].PictureID, next.Items[0].PictureID})
		of := do[client.PictureList](t, w.op, 200, "listPictures", query("shop_id=shop-1"))
		assert.Equal(t, []client.Picture{kept}, of.Items)
		w.op.do(t, 422, "listPictures", query("after=x"))

		assert.Equal(t, "conflict", w.op.do(t, 409, "deletePicture", at).Code(), "the sku shows it")
		w.op.do(t, 204, "deleteSKU", param("sku_id", "pictured"))
		w.op.do(t, 204, "deletePicture", at)
		w.op.do(t, 404, "deletePicture", at)
		anybody.do(t, 404, "getPicture", at)
	})
}

// What a browser could take for something else than a picture is refused, and so is what is too large for a phone.
func TestOnlyPicturesAreTaken(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		const svg = `<svg xmlns="http://www.w3.org/2000/svg"/>`
		const page = "<!DOCTYPE html><script>alert(1)</script>"
		for name, c := range map[string]struct {
			mediaType, body, code string
		}{
			"an SVG":               {"image/svg+xml", svg, "unsupported_media_type"},
			"an SVG as PNG":        {"image/png", svg, "invalid_request"},
			"HTML":                 {"text/html", page, "unsupported_media_type"},
			"HTML as PNG":          {"image/png", page, "invalid_request"},
			"a GIF":                {"image/gif", "GIF89a\x01\x00\x01\x00", "unsupported_media_type"},
			"no type":              {"", string(png(1, 1)), "unsupported_media_type"},
			"a type with a rest":   {"image/png; charset=utf-8", string(png(1, 1)), "unsupported_media_type"},
			"a PNG as JPEG":        {"image/jpeg", string(png(1, 1)), "invalid_request"},
			"a signature alone":    {"image/png", "\x89PNG\r\n\x1a\n" + page, "invalid_request"},
			"nothing":              {"image/png", "", "invalid_request"},
			"too many pixels":      {"image/png", string(png(4097, 1)), "invalid_request"},
			"a form with the file": {"multipart/form-data; boundary=x", "--x--", "unsupported_media_type"},
		} {
			a := w.op.send(t, w.op.request(t, "uploadPicture", content(c.mediaType, []byte(c.body))))
			assert.Equal(t, c.code, a.Code(), "%s: %s", name, a.Body)
		}
		large := w.raw(t, fmt.Sprintf("POST /admin/api/v1/pictures HTTP/1.1\r\nHost: x\r\n"+
			"Content-Type: image/png\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n", w.op.token, 1<<20+1))
		assert.Equal(t, 413, large.Status, "the length is enough to refuse")
		packed := w.op.request(t, "uploadPicture", content("image/png", zipped(t, png(1, 1))))
		packed.header.Set("Content-Encoding", "gzip")
		assert.Equal(t, "unsupported_media_type", w.op.send(t, packed).Code())
		for length, status := range map[int]int{1 << 20: 422, 1<<20 + 1: 413, 10 << 20: 413} {
			head := fmt.Sprintf("POST /admin/api/v1/pictures HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\n"+
				"Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n", w.op.token, length)
			if status == 422 {
				head += strings.Repeat("x", length)
			}
			assert.Equal(t, status, w.raw(t, head).Status, "%d bytes, of which the length is enough to refuse", length)
		}
		assert.Empty(t, do[client.PictureList](t, w.op, 200, "listPictures").Items)
	})
}

// A file that is a picture and a page at once is a picture to browsers, since the answer says so.
func TestAPictureWithAPageInItIsShownAsAPicture(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		both := append(png(1, 1), "<script>alert(1)</script>"...)
		kept := do[client.Picture](t, w.op, 201, "uploadPicture", content("image/png", both))
		shown := (&person{shop: w.shop}).do(t, 200, "getPicture", param("picture_id", kept.PictureID))
		assert.Equal(t, []string{"image/png", "nosniff", "default-src 'none'; sandbox"}, []string{
			shown.Header.Get("Content-Type"), shown.Header.Get("X-Content-Type-Options"),
			shown.Header.Get("Content-Security-Policy"),
		})
	})
}

func TestAnOperatorOfOneShopHasItsPicturesOnly(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		made := do[client.Key](t, w.op, 201, "createKey", key("k"),
			sent(object{"name": "keeper", "scope": "catalogue", "shop_id": "shop-2"}))
		keeper := &person{shop: w.shop, name: "key:keeper", token: made.Secret}
		same := content("image/png", png(5, 5))
		theirs := do[client.Picture](t, w.op, 201, "uploadPicture", same, query("shop_id=shop-1"))
		own := do[client.Picture](t, keeper, 201, "uploadPicture", same)
		assert.Equal(t, "shop-2", own.ShopID)
		assert.NotEqual(t, theirs.PictureID, own.PictureID)
		keeper.do(t, 403, "uploadPicture", same, query("shop_id=shop-1"))
		assert.Equal(t, []client.Picture{own}, do[client.PictureList](t, keeper, 200, "listPictures").Items)
		keeper.do(t, 403, "listPictures", query("shop_id=shop-1"))
		keeper.do(t, 404, "deletePicture", param("picture_id", theirs.PictureID))
		keeper.do(t, 204, "deletePicture", param("picture_id", own.PictureID))
	})
}
