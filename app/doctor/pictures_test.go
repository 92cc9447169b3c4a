package doctor_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/app/doctor"
	"onrush/app/server"
	"onrush/test/s3"
)

func TestDoctorUsesTheBucketOfPictures(t *testing.T) {
	t.Parallel()
	store := s3.Start(t, time.Now)
	good := store.Setting("/a")
	for _, tt := range []struct {
		setting, denied, says, advice string
		level                         doctor.Level
	}{
		{good, "", "can be written, read and deleted", "", doctor.OK},
		{
			strings.Replace(good, s3.Name, "another", 1), "", "put: status 404 NoSuchBucket", "address is wrong",
			doctor.Failure,
		},
		{
			strings.Replace(good, s3.Region, "us-1", 1), "", "AuthorizationHeaderMalformed", "region " + s3.Region,
			doctor.Failure,
		},
		{
			strings.Replace(good, s3.Secret, "other-secret", 1), "", "SignatureDoesNotMatch", "credentials are wrong",
			doctor.Failure,
		},
		{good, http.MethodGet, "get: status 403 AccessDenied", "the rights are wrong", doctor.Failure},
		{"sql;" + good, http.MethodPut + http.MethodDelete, "can be read", "", doctor.OK},
		{"sql;" + good, http.MethodGet, "get: status 403 AccessDenied", "the rights are wrong", doctor.Failure},
		{good, http.MethodDelete, "delete: status 403 AccessDenied", "the rights are wrong", doctor.Failure},
		{
			strings.Replace(good, store.URL, "http://127.0.0.1:1", 1), "", "refuses connections", "check host and port",
			doctor.Failure,
		},
		{"s3://a", "", "ONRUSH_PICTURES_BUCKET: item 1 must be", "", doctor.Failure},
	} {
		store.Set(func(s *s3.State) { s.Denied = tt.denied })
		cfg := &server.Config{Lanes: 16, DataDir: t.TempDir(), PicturesBucket: tt.setting}
		for _, f := range doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context()) {
			assert.NotContains(t, f.Detail+f.Advice, s3.Secret)
			assert.NotContains(t, f.Detail+f.Advice, "other-secret")
			if f.Check == "pictures bucket" || tt.setting == "s3://a" && f.Check == "settings" {
				assert.Equal(t, tt.level, f.Level, "%v", f)
				assert.Contains(t, f.Detail, tt.says)
				assert.Contains(t, f.Advice, tt.advice)
				tt.says = "found"
			}
		}
		assert.Equal(t, "found", tt.says, tt.setting)
	}
}
