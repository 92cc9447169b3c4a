-- +goose Up
-- Jobs look for the sales that are not retired, which are few of all that ever were.
CREATE INDEX /*M! IF NOT EXISTS */ activities_not_retired ON activities (retired_ms, ends_ms, activity_id);

-- +goose Down
DROP INDEX activities_not_retired /*! ON activities */;
