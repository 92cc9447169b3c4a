-- +goose Up
-- When the gateway took the refund, while the money is on its way; 0 otherwise.
ALTER TABLE refunds ADD COLUMN under_way_ms BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE refunds DROP COLUMN under_way_ms;
