-- +goose Up
-- outside_id is the gateway's number of a refund that was made at the gateway and not by this program; "" for a refund
-- by this program.
ALTER TABLE refunds ADD COLUMN /*M! IF NOT EXISTS */ outside_id VARCHAR(128) NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE refunds DROP COLUMN outside_id;
