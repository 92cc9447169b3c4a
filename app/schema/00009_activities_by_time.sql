-- +goose Up
CREATE INDEX activities_ends ON activities (ends_ms, activity_id);
CREATE INDEX activities_starts ON activities (starts_ms, activity_id);

-- +goose Down
DROP INDEX activities_starts /*! ON activities */;
DROP INDEX activities_ends /*! ON activities */;
